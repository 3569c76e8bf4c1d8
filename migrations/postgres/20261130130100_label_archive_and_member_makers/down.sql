DROP INDEX members_created_by;
ALTER TABLE members DROP COLUMN created_by_id;
ALTER TABLE labels DROP COLUMN archived;
