-- A job that is asked for while it runs is run once more, from this moment on.
ALTER TABLE jobs ADD COLUMN again_at TIMESTAMP;

-- Hooks of no project are those of the whole server. SQLite cannot drop NOT NULL: the table is made anew.
CREATE TABLE hooks_of_projects AS SELECT * FROM hooks;
DROP TABLE hooks;
CREATE TABLE hooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    sealed_token TEXT,
    push_events BOOLEAN NOT NULL,
    push_events_branch_filter TEXT,
    issues_events BOOLEAN NOT NULL,
    confidential_issues_events BOOLEAN NOT NULL,
    merge_requests_events BOOLEAN NOT NULL,
    tag_push_events BOOLEAN NOT NULL,
    note_events BOOLEAN NOT NULL,
    confidential_note_events BOOLEAN,
    job_events BOOLEAN NOT NULL,
    pipeline_events BOOLEAN NOT NULL,
    wiki_page_events BOOLEAN NOT NULL,
    enable_ssl_verification BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    repository_update_events BOOLEAN NOT NULL DEFAULT FALSE,
    -- Attempts in a row to which the receiver gave no answer, since when, and until when it is not called.
    unanswered BIGINT NOT NULL DEFAULT 0,
    failing_since TIMESTAMP,
    paused_until TIMESTAMP
);
INSERT INTO hooks (id, project_id, url, sealed_token, push_events, push_events_branch_filter, issues_events,
    confidential_issues_events, merge_requests_events, tag_push_events, note_events, confidential_note_events, job_events,
    pipeline_events, wiki_page_events, enable_ssl_verification, created_at, updated_at)
SELECT id, project_id, url, sealed_token, push_events, push_events_branch_filter, issues_events,
    confidential_issues_events, merge_requests_events, tag_push_events, note_events, confidential_note_events, job_events,
    pipeline_events, wiki_page_events, enable_ssl_verification, created_at, updated_at
FROM hooks_of_projects;
DROP TABLE hooks_of_projects;
CREATE INDEX hooks_project ON hooks (project_id, id);

-- What happened, as hooks receive it. `captured` is what was so when it happened; `body` is made of it once, and sent the same
-- to all receivers, on every attempt. There is no reference to the project: that it was deleted is such an event as well.
CREATE TABLE hook_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT,
    actor_id BIGINT,
    hook_trigger TEXT NOT NULL,
    uuid TEXT NOT NULL,
    captured TEXT NOT NULL,
    body TEXT,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX hook_events_unrendered ON hook_events (project_id, id) WHERE body IS NULL;
CREATE INDEX hook_events_created ON hook_events (created_at);

-- An event on its way to one hook, with the last attempt to send it.
CREATE TABLE hook_deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    hook_id BIGINT NOT NULL REFERENCES hooks (id) ON DELETE CASCADE,
    event_id BIGINT NOT NULL REFERENCES hook_events (id) ON DELETE CASCADE,
    uuid TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'retrying', 'delivered', 'parked')),
    attempts BIGINT NOT NULL DEFAULT 0,
    url TEXT NOT NULL DEFAULT '',
    request_headers TEXT NOT NULL DEFAULT '{}',
    response_status BIGINT,
    response_headers TEXT NOT NULL DEFAULT '{}',
    response_body TEXT NOT NULL DEFAULT '',
    duration_micros BIGINT NOT NULL DEFAULT 0,
    error TEXT,
    attempted_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX hook_deliveries_event ON hook_deliveries (event_id, hook_id);
CREATE INDEX hook_deliveries_hook ON hook_deliveries (hook_id, id);
CREATE INDEX hook_deliveries_waiting ON hook_deliveries (hook_id, id) WHERE state = 'waiting';
CREATE INDEX hook_deliveries_retrying ON hook_deliveries (attempted_at, id) WHERE state = 'retrying';
