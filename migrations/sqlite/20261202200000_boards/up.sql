-- Boards: the issues of a project or group, in lists by label.
CREATE TABLE boards (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    hides_open BOOLEAN NOT NULL,
    hides_closed BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
-- Indexes of columns that are NULL in most rows are partial: otherwise SQLite does not use them.
CREATE INDEX boards_project ON boards (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX boards_namespace ON boards (namespace_id) WHERE namespace_id IS NOT NULL;
-- The place of a list is that of its row in the order of position and id.
CREATE TABLE board_lists (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    board_id BIGINT NOT NULL REFERENCES boards (id) ON DELETE CASCADE,
    label_id BIGINT NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX board_lists_board_label ON board_lists (board_id, label_id);
CREATE INDEX board_lists_label ON board_lists (label_id);
