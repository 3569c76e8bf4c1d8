CREATE TABLE former_paths_after AS SELECT path_key, project_id FROM former_paths WHERE project_id IS NOT NULL;
DROP TABLE former_paths;
CREATE TABLE former_paths (
    path_key TEXT PRIMARY KEY NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE
);
CREATE INDEX former_paths_project ON former_paths (project_id);
INSERT INTO former_paths (path_key, project_id) SELECT path_key, project_id FROM former_paths_after;
DROP TABLE former_paths_after;
