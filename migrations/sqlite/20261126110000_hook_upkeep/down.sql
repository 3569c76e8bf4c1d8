DROP INDEX hook_events_rendered;
DROP TABLE hook_event_bytes;
ALTER TABLE hook_events DROP COLUMN bytes;
ALTER TABLE hooks DROP COLUMN failure_announced;
