-- Pictures with a link that the pages of projects show.
CREATE TABLE badges (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    name TEXT,
    link_url TEXT NOT NULL,
    image_url TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
-- Indexes of columns that are NULL in most rows are partial: otherwise SQLite does not use them.
CREATE INDEX badges_project ON badges (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX badges_namespace ON badges (namespace_id) WHERE namespace_id IS NOT NULL;
