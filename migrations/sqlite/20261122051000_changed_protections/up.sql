-- When the levels of a rule were changed; NULL where they are as they were made.
ALTER TABLE protected_refs ADD COLUMN updated_at TIMESTAMP;
