-- Until when an administrator acts as such in the session. NULL if they have not entered that mode, or have left it.
ALTER TABLE sessions ADD COLUMN admin_mode_until TIMESTAMP;
