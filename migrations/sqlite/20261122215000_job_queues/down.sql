DROP INDEX jobs_due;
ALTER TABLE jobs DROP COLUMN user_id;
ALTER TABLE jobs DROP COLUMN queue;
CREATE INDEX jobs_due ON jobs (run_at, id) WHERE NOT dead;
