-- Deployments, as other programs report them.
CREATE TABLE deployments (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    iid BIGINT NOT NULL,
    environment_id BIGINT NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
    ref TEXT NOT NULL,
    tag BOOLEAN NOT NULL,
    sha TEXT NOT NULL,
    user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    status TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    finished_at TIMESTAMP
);
CREATE UNIQUE INDEX deployments_project_iid ON deployments (project_id, iid);
CREATE INDEX deployments_project ON deployments (project_id, id);
CREATE INDEX deployments_environment ON deployments (environment_id, status, id);
CREATE INDEX deployments_user ON deployments (user_id) WHERE user_id IS NOT NULL;
-- SQLite cannot change the condition of a column, so the table of counters is made again.
CREATE TABLE new_iid_counters (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('issue', 'merge_request', 'milestone', 'deployment', 'user_list')),
    last_iid BIGINT NOT NULL,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
INSERT INTO new_iid_counters SELECT id, project_id, namespace_id, kind, last_iid FROM iid_counters;
DROP TABLE iid_counters;
ALTER TABLE new_iid_counters RENAME TO iid_counters;
CREATE UNIQUE INDEX iid_counters_project ON iid_counters (project_id, kind);
CREATE UNIQUE INDEX iid_counters_namespace ON iid_counters (namespace_id, kind);
