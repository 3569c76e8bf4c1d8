-- Applications that act for users, and what they are granted. Secrets, codes and tokens are known by their digests only.

CREATE TABLE oauth_applications (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    uid TEXT NOT NULL,
    secret_digest TEXT NOT NULL,
    name TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    scopes TEXT NOT NULL,
    confidential BOOLEAN NOT NULL,
    trusted BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX oauth_applications_uid ON oauth_applications (uid);

-- Without an application: a user has signed in with a password. Without a user: an application acts for itself, and
-- access_digest is that of its token. A grant that begins with a code keeps it, so that a second use is recognised.
CREATE TABLE oauth_grants (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    application_id BIGINT REFERENCES oauth_applications (id) ON DELETE CASCADE,
    user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    scopes TEXT NOT NULL,
    code_digest TEXT,
    code_used BOOLEAN NOT NULL DEFAULT FALSE,
    redirect_uri TEXT,
    code_challenge TEXT,
    code_challenge_method TEXT CHECK (code_challenge_method IN ('S256', 'plain')),
    nonce TEXT,
    family_digest TEXT,
    refresh_digest TEXT,
    access_digest TEXT,
    revoked BOOLEAN NOT NULL DEFAULT FALSE,
    expires_at TIMESTAMP NOT NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX oauth_grants_code ON oauth_grants (code_digest);
CREATE UNIQUE INDEX oauth_grants_family ON oauth_grants (family_digest);
CREATE UNIQUE INDEX oauth_grants_access ON oauth_grants (access_digest);
CREATE INDEX oauth_grants_application ON oauth_grants (application_id, user_id, id);
CREATE INDEX oauth_grants_user ON oauth_grants (user_id, application_id, id);
CREATE INDEX oauth_grants_expiry ON oauth_grants (expires_at);

ALTER TABLE tokens ADD COLUMN grant_id BIGINT REFERENCES oauth_grants (id) ON DELETE CASCADE;
ALTER TABLE tokens ADD COLUMN ends_at TIMESTAMP;
CREATE INDEX tokens_grant ON tokens (grant_id);
CREATE INDEX tokens_end ON tokens (ends_at);
