-- Each queue has runners of its own, so that a slow kind of work keeps no other waiting.
ALTER TABLE jobs ADD COLUMN queue TEXT NOT NULL DEFAULT 'short';
-- For whom it is done, where one user may have only so many at once.
ALTER TABLE jobs ADD COLUMN user_id BIGINT;
UPDATE jobs SET queue = CASE kind
    WHEN 'import_project' THEN 'imports'
    WHEN 'fork_project' THEN 'forks'
    WHEN 'maintain_repository' THEN 'maintenance'
    ELSE 'short'
END;
DROP INDEX jobs_due;
CREATE INDEX jobs_due ON jobs (queue, run_at, id) WHERE NOT dead;
