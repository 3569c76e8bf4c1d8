-- Snippets of users and of projects, and the texts in them.
CREATE TABLE snippets (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    author_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    description TEXT,
    visibility TEXT NOT NULL CHECK (visibility IN ('private', 'internal', 'public')),
    size BIGINT NOT NULL,
    user_agent TEXT,
    ip_address TEXT,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE INDEX snippets_author ON snippets (author_id, created_at, id);
CREATE INDEX snippets_project ON snippets (project_id, created_at, id) WHERE project_id IS NOT NULL;
CREATE INDEX snippets_created ON snippets (created_at, id);
CREATE TABLE snippet_files (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    snippet_id BIGINT NOT NULL REFERENCES snippets (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    content TEXT NOT NULL
);
CREATE UNIQUE INDEX snippet_files_path ON snippet_files (snippet_id, path);
-- Statements about the snippets of many projects compare it.
ALTER TABLE project_features ADD COLUMN snippets_access_level TEXT NOT NULL DEFAULT 'enabled'
    CHECK (snippets_access_level IN ('disabled', 'private', 'enabled'));
UPDATE project_features SET snippets_access_level = 'disabled' WHERE settings LIKE '%"snippets_access_level":"disabled"%';
UPDATE project_features SET snippets_access_level = 'private' WHERE settings LIKE '%"snippets_access_level":"private"%';
