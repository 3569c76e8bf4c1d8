-- The variables of projects, of groups and of the whole server, for jobs.
CREATE TABLE variables (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    sealed_value TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('env_var', 'file')),
    protected BOOLEAN NOT NULL,
    masked BOOLEAN NOT NULL,
    hidden BOOLEAN NOT NULL,
    raw BOOLEAN NOT NULL,
    environment_scope TEXT NOT NULL,
    description TEXT,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    CHECK (project_id IS NULL OR namespace_id IS NULL)
);
-- Indexes of columns that are NULL in most rows are partial: otherwise SQLite does not use them.
CREATE UNIQUE INDEX variables_project_key ON variables (project_id, key, environment_scope) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX variables_namespace_key ON variables (namespace_id, key, environment_scope) WHERE namespace_id IS NOT NULL;
CREATE UNIQUE INDEX variables_server_key ON variables (key) WHERE project_id IS NULL AND namespace_id IS NULL;
