ALTER TABLE protected_refs DROP COLUMN updated_at;
