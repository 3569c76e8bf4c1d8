ALTER TABLE oauth_grants DROP COLUMN replaced_refreshes;
