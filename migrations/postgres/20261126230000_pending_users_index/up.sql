-- Accounts that wait for approval are few among all.
CREATE INDEX users_pending ON users (id, created_at)
    WHERE state = 'blocked_pending_approval' AND deleting_at IS NULL;
