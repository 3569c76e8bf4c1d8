-- When Git was last used with a key; null where it never was.
ALTER TABLE ssh_keys ADD COLUMN last_used_at TIMESTAMP;
