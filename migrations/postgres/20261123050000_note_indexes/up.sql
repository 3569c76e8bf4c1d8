-- What the system notes of an issue name, without reading all of its notes.
SET LOCAL statement_timeout = 0;
CREATE INDEX notes_naming ON notes (issuable_id, refers_to_id) WHERE refers_to_id IS NOT NULL;
-- Whether a user has commented on an issue, without reading all of its notes.
DROP INDEX notes_author;
CREATE INDEX notes_author ON notes (author_id, issuable_id);
