-- An earlier version does not know the state: what may not be used remains shut out.
DROP INDEX users_listed;
ALTER TABLE users RENAME COLUMN state TO former_state;
ALTER TABLE users ADD COLUMN state TEXT NOT NULL DEFAULT 'blocked'
    CHECK (state IN ('active', 'blocked', 'deactivated', 'banned'));
UPDATE users SET state = CASE former_state WHEN 'blocked_pending_approval' THEN 'blocked' ELSE former_state END;
ALTER TABLE users DROP COLUMN former_state;
CREATE INDEX users_listed ON users (id, state, ghost, external, deleting_at) WHERE deleting_at IS NULL;
