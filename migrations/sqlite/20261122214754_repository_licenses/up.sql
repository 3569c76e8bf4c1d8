-- The licence of the default branch: its file, and which one it is where that is known.
ALTER TABLE repository_facts ADD COLUMN license_path TEXT;
ALTER TABLE repository_facts ADD COLUMN license_key TEXT;
