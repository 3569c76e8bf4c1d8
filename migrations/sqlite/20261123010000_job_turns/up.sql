-- Every claim has a number, by which a runner is known to hold a job. What counts towards giving a job up is apart: how often
-- it failed, and how often its process ended while it ran.
ALTER TABLE jobs RENAME COLUMN attempts TO claims;
ALTER TABLE jobs ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN deaths BIGINT NOT NULL DEFAULT 0;
UPDATE jobs SET failures = CASE WHEN claims < 11 THEN claims ELSE 11 END WHERE last_error IS NOT NULL;
-- A job that was given up is held by no runner.
UPDATE jobs SET lease_until = NULL WHERE dead;
-- Whether it may be claimed now. The others are claimed, given up, or become ready at their time.
ALTER TABLE jobs ADD COLUMN ready BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE jobs SET ready = TRUE WHERE NOT dead AND lease_until IS NULL AND run_at <= CURRENT_TIMESTAMP;
-- Jobs that start processes of Git have a queue of their own.
UPDATE jobs SET queue = 'git' WHERE kind IN (
    'refresh_repository', 'read_messages', 'follow_branch', 'merge_when_ready', 'reconcile_refs',
    'reconcile_repository', 'look_after_repositories', 'forget_merge_request'
);
DROP INDEX jobs_due;
-- Users take turns: the jobs of the next user are found in one step, however many the one before has.
CREATE INDEX jobs_ready ON jobs (queue, user_id, run_at, id) WHERE ready;
CREATE INDEX jobs_scheduled ON jobs (queue, run_at, id) WHERE NOT ready AND NOT dead AND lease_until IS NULL;
CREATE INDEX jobs_leased ON jobs (queue, lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX jobs_dead ON jobs (id) WHERE dead;
