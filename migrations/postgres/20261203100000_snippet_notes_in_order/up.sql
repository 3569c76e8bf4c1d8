-- A page of comments is read in their order, without the others.
CREATE INDEX snippet_notes_in_order ON snippet_notes (snippet_id, created_at, id);
