DROP TABLE deployments;
CREATE TABLE old_iid_counters (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('issue', 'merge_request', 'milestone')),
    last_iid BIGINT NOT NULL,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
INSERT INTO old_iid_counters SELECT id, project_id, namespace_id, kind, last_iid FROM iid_counters WHERE kind NOT IN ('deployment', 'user_list');
DROP TABLE iid_counters;
ALTER TABLE old_iid_counters RENAME TO iid_counters;
CREATE UNIQUE INDEX iid_counters_project ON iid_counters (project_id, kind);
CREATE UNIQUE INDEX iid_counters_namespace ON iid_counters (namespace_id, kind);
