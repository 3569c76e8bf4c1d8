DROP TABLE deployments;
DELETE FROM iid_counters WHERE kind IN ('deployment', 'user_list');
ALTER TABLE iid_counters DROP CONSTRAINT iid_counters_kind_check;
ALTER TABLE iid_counters ADD CONSTRAINT iid_counters_kind_check
    CHECK (kind IN ('issue', 'merge_request', 'milestone'));
