DROP INDEX issuables_project_created;
CREATE INDEX issuables_project_created ON issuables (project_id, kind, created_at, id, state, confidential, deleted_at)
    WHERE deleted_at IS NULL;
DROP TRIGGER issuables_update_counts_labels ON issuables;
DROP TRIGGER issuable_labels_delete_counts ON issuable_labels;
DROP TRIGGER issuable_labels_insert_counts ON issuable_labels;
DROP FUNCTION what_carries_labels_changes();
DROP FUNCTION labels_are_taken_off();
DROP FUNCTION labels_are_put_on();
DROP TABLE label_counts;
