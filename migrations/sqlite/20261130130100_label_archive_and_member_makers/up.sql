-- Archived labels stay where they are, and are not offered any more.
ALTER TABLE labels ADD COLUMN archived BOOLEAN NOT NULL DEFAULT FALSE;

-- Who has made a membership.
ALTER TABLE members ADD COLUMN created_by_id BIGINT REFERENCES users (id) ON DELETE SET NULL;
CREATE INDEX members_created_by ON members (created_by_id) WHERE created_by_id IS NOT NULL;
