-- The refresh tokens of a grant that were replaced within the last moments: the digest of each and when, in microseconds since 1970,
-- separated by a colon; the newest first, separated by spaces. One of them that comes again ends nothing: two threads of one client
-- may have sent it.
ALTER TABLE oauth_grants ADD COLUMN replaced_refreshes TEXT NOT NULL DEFAULT '';
