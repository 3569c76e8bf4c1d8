-- The accounts of programs: each is that of the access token of a project or group.
ALTER TABLE users ADD COLUMN bot BOOLEAN NOT NULL DEFAULT FALSE;
-- What a bot was made for. A bot without a row is removed.
CREATE TABLE bots (
    user_id BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
-- Indexes of columns that are NULL in many rows are partial: otherwise SQLite does not use them.
CREATE INDEX bots_project ON bots (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX bots_namespace ON bots (namespace_id) WHERE namespace_id IS NOT NULL;
CREATE INDEX users_bots ON users (id) WHERE bot;
