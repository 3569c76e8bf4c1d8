DROP INDEX snippet_notes_in_order;
