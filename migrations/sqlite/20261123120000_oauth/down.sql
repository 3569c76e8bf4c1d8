DELETE FROM tokens WHERE grant_id IS NOT NULL;
DROP INDEX tokens_end;
DROP INDEX tokens_grant;
ALTER TABLE tokens DROP COLUMN ends_at;
ALTER TABLE tokens DROP COLUMN grant_id;
DROP TABLE oauth_grants;
DROP TABLE oauth_applications;
