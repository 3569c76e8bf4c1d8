-- Users register applications of their own, which go with their accounts. Without an owner: an application of the server.

ALTER TABLE oauth_applications ADD COLUMN owner_id BIGINT REFERENCES users (id) ON DELETE CASCADE;
CREATE INDEX oauth_applications_owner ON oauth_applications (owner_id, id);
