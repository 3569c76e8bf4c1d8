ALTER TABLE ssh_keys DROP COLUMN last_used_at;
