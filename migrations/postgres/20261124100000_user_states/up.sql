-- Accounts that were not used can be deactivated, and others banned.
ALTER TABLE users DROP CONSTRAINT users_state_check;
ALTER TABLE users ADD CONSTRAINT users_state_check CHECK (state IN ('active', 'blocked', 'deactivated', 'banned'));
