-- Whether it was announced that the hook fails; no longer, once a delivery has succeeded.
ALTER TABLE hooks ADD COLUMN failure_announced BOOLEAN NOT NULL DEFAULT FALSE;

-- What the bodies of events take, event by event and summed up for each project; 0 stands for the whole server.
ALTER TABLE hook_events ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
UPDATE hook_events SET bytes = length(body) WHERE body IS NOT NULL;
CREATE TABLE hook_event_bytes (
    project_id BIGINT PRIMARY KEY NOT NULL,
    bytes BIGINT NOT NULL
);
INSERT INTO hook_event_bytes (project_id, bytes)
SELECT coalesce(project_id, 0), CAST(sum(bytes) AS BIGINT) FROM hook_events WHERE body IS NOT NULL GROUP BY coalesce(project_id, 0);
-- The events of a project that may make room for others, oldest first.
CREATE INDEX hook_events_rendered ON hook_events (project_id, id) WHERE body IS NOT NULL;
