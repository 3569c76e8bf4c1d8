ALTER TABLE repository_facts DROP COLUMN license_key;
ALTER TABLE repository_facts DROP COLUMN license_path;
