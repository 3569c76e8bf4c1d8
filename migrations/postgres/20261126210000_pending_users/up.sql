-- Accounts that their users have made can wait for an administrator's approval.
ALTER TABLE users DROP CONSTRAINT users_state_check;
ALTER TABLE users ADD CONSTRAINT users_state_check
    CHECK (state IN ('active', 'blocked', 'deactivated', 'banned', 'blocked_pending_approval'));
