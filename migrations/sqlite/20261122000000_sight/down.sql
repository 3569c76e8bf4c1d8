DROP INDEX projects_sight;
