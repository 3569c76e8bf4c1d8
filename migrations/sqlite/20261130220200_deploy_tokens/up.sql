-- The secrets that read a project, or all projects below a group, and belong to no account. Each is known by its digest.
CREATE TABLE deploy_tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- NULL for the usual user name, which has the id.
    username TEXT,
    digest TEXT NOT NULL,
    -- Words, separated by spaces.
    scopes TEXT NOT NULL,
    -- The last day on which it works.
    expires_at DATE,
    created_at TIMESTAMP NOT NULL,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
CREATE UNIQUE INDEX deploy_tokens_digest ON deploy_tokens (digest);
-- Indexes of columns that are NULL in most rows are partial: otherwise SQLite does not use them.
CREATE INDEX deploy_tokens_project ON deploy_tokens (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX deploy_tokens_namespace ON deploy_tokens (namespace_id) WHERE namespace_id IS NOT NULL;
