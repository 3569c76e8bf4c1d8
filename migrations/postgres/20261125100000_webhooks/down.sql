DROP TABLE hook_deliveries;
DROP TABLE hook_events;
DELETE FROM hooks WHERE project_id IS NULL;
ALTER TABLE hooks DROP COLUMN paused_until;
ALTER TABLE hooks DROP COLUMN failing_since;
ALTER TABLE hooks DROP COLUMN unanswered;
ALTER TABLE hooks DROP COLUMN repository_update_events;
ALTER TABLE hooks ALTER COLUMN project_id SET NOT NULL;
ALTER TABLE jobs DROP COLUMN again_at;
