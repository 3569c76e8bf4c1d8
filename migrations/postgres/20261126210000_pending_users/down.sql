-- An earlier version does not know the state: what may not be used remains shut out.
UPDATE users SET state = 'blocked' WHERE state = 'blocked_pending_approval';
ALTER TABLE users DROP CONSTRAINT users_state_check;
ALTER TABLE users ADD CONSTRAINT users_state_check CHECK (state IN ('active', 'blocked', 'deactivated', 'banned'));
