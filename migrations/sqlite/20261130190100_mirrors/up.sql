-- The repositories of other servers that projects follow. A project without a row follows none.
CREATE TABLE project_mirrors (
    project_id BIGINT PRIMARY KEY NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    enabled BOOLEAN NOT NULL,
    sealed_url TEXT,
    -- In whose name branches and tags move.
    user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    only_protected_branches BOOLEAN NOT NULL,
    overwrites_diverged_branches BOOLEAN NOT NULL,
    branch_regex TEXT,
    trigger_builds BOOLEAN NOT NULL,
    status TEXT NOT NULL,
    last_error TEXT,
    -- The begin and end of the last update, and the end of the last one that has succeeded.
    started_at TIMESTAMP,
    ended_at TIMESTAMP,
    succeeded_at TIMESTAMP,
    -- The updates in a row that have failed.
    failures BIGINT NOT NULL
);
CREATE INDEX project_mirrors_user ON project_mirrors (user_id);
