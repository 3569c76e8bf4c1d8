SET LOCAL statement_timeout = 0;
DROP INDEX notes_author;
CREATE INDEX notes_author ON notes (author_id);
DROP INDEX notes_naming;
