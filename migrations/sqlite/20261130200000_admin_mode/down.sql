ALTER TABLE sessions DROP COLUMN admin_mode_until;
