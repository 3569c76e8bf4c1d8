-- Comments on snippets of projects, and reactions to both.
CREATE TABLE snippet_notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    snippet_id BIGINT NOT NULL REFERENCES snippets (id) ON DELETE CASCADE,
    author_id BIGINT NOT NULL REFERENCES users (id),
    discussion_id TEXT NOT NULL,
    individual BOOLEAN NOT NULL,
    body TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE INDEX snippet_notes_discussion ON snippet_notes (snippet_id, discussion_id, id);
CREATE INDEX snippet_notes_author ON snippet_notes (author_id);
CREATE TABLE snippet_awards (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    snippet_id BIGINT NOT NULL REFERENCES snippets (id) ON DELETE CASCADE,
    note_id BIGINT REFERENCES snippet_notes (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX snippet_awards_once ON snippet_awards (snippet_id, user_id, name) WHERE note_id IS NULL;
CREATE UNIQUE INDEX snippet_awards_once_of_note ON snippet_awards (note_id, user_id, name) WHERE note_id IS NOT NULL;
CREATE INDEX snippet_awards_user ON snippet_awards (user_id);
CREATE INDEX snippet_awards_snippet ON snippet_awards (snippet_id, id);
