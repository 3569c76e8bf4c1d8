-- Pushes since the new objects of the repository were packed last, as the settings count them.
ALTER TABLE projects ADD COLUMN pushes_since_packing BIGINT NOT NULL DEFAULT 0;
