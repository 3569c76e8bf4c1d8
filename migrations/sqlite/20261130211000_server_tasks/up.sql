-- Work of the server on itself that administrators see: backups, their verification, the doctor.
CREATE TABLE server_tasks (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('backup', 'verification', 'doctor')),
    requested_at TIMESTAMP NOT NULL,
    -- Empty while it waits.
    started_at TIMESTAMP,
    -- The end; empty while it runs.
    ended_at TIMESTAMP,
    outcome TEXT CHECK (outcome IN ('done', 'findings', 'failed')),
    summary TEXT NOT NULL DEFAULT '',
    -- A list of texts, as JSON.
    findings TEXT NOT NULL DEFAULT '[]',
    size BIGINT,
    CHECK ((ended_at IS NULL) = (outcome IS NULL))
);
CREATE INDEX server_tasks_kind ON server_tasks (kind, id);
CREATE INDEX server_tasks_outcome ON server_tasks (kind, outcome, id);
