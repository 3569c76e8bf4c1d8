-- Old paths of groups are kept beside those of projects, and in the order in which they were left.
CREATE TABLE former_paths_before AS
    SELECT path_key, project_id FROM former_paths WHERE path_key NOT IN (SELECT path_key FROM full_paths);
DROP TABLE former_paths;
CREATE TABLE former_paths (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    path_key TEXT NOT NULL,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
CREATE UNIQUE INDEX former_paths_path_key ON former_paths (path_key);
CREATE INDEX former_paths_namespace ON former_paths (namespace_id);
CREATE INDEX former_paths_project ON former_paths (project_id);
INSERT INTO former_paths (path_key, project_id) SELECT path_key, project_id FROM former_paths_before;
DROP TABLE former_paths_before;
