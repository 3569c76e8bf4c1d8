DROP TRIGGER issuables_delete_words;
DROP TABLE issuable_search_terms;
DROP TABLE issuable_search_parts;
DROP TABLE issuable_search_words;
DROP TABLE issuable_search;
CREATE VIRTUAL TABLE issuable_search USING fts5 (
    title, description, tokenize = 'trigram case_sensitive 1', detail = 'none', content = '', contentless_delete = 1
);
INSERT INTO issuable_search (rowid, title, description)
    SELECT id, lower(title), lower(COALESCE(description, '')) FROM issuables WHERE deleted_at IS NULL;
DROP INDEX issuables_project_created;
CREATE INDEX issuables_project_created ON issuables (project_id, kind, created_at, id, state, confidential, deleted_at)
    WHERE deleted_at IS NULL;
DROP TRIGGER issuables_update_counts_labels;
DROP TRIGGER issuable_labels_delete_counts;
DROP TRIGGER issuable_labels_insert_counts;
DROP TABLE label_counts;
