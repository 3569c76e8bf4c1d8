-- An earlier version knows no more than these two: what may not be used remains shut out.
DROP INDEX users_listed;
ALTER TABLE users RENAME COLUMN state TO former_state;
ALTER TABLE users ADD COLUMN state TEXT NOT NULL DEFAULT 'blocked' CHECK (state IN ('active', 'blocked'));
UPDATE users SET state = CASE former_state WHEN 'active' THEN 'active' ELSE 'blocked' END;
ALTER TABLE users DROP COLUMN former_state;
CREATE INDEX users_listed ON users (id, state, ghost, external, deleting_at) WHERE deleting_at IS NULL;
