ALTER TABLE projects DROP COLUMN imported_from;
