DROP INDEX oauth_applications_owner;
ALTER TABLE oauth_applications DROP COLUMN owner_id;
