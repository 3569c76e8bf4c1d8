-- Who sees a project is decided by what stands here: counts and reaches read the index, and not the wide rows.
CREATE INDEX projects_sight ON projects (visibility, namespace_id, id) WHERE deleting_at IS NULL;
