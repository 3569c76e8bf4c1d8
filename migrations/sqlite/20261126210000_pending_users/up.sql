-- Accounts that their users have made can wait for an administrator's approval. As in user_states, a column with the new rule takes
-- the place of the old one.
DROP INDEX users_listed;
ALTER TABLE users RENAME COLUMN state TO former_state;
ALTER TABLE users ADD COLUMN state TEXT NOT NULL DEFAULT 'blocked'
    CHECK (state IN ('active', 'blocked', 'deactivated', 'banned', 'blocked_pending_approval'));
UPDATE users SET state = former_state;
ALTER TABLE users DROP COLUMN former_state;
CREATE INDEX users_listed ON users (id, state, ghost, external, deleting_at) WHERE deleting_at IS NULL;
