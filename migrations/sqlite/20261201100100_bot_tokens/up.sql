-- Tokens of bots. SQLite changes no constraint: the table is made anew, with the ids that were given out.
CREATE TABLE tokens_new (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    grant_id BIGINT REFERENCES oauth_grants (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('personal', 'impersonation', 'oauth', 'bot')),
    name TEXT NOT NULL,
    description TEXT,
    scopes TEXT NOT NULL,
    digest TEXT NOT NULL,
    sealed_secret TEXT,
    revoked BOOLEAN NOT NULL DEFAULT FALSE,
    replaced_by_id BIGINT REFERENCES tokens_new (id) ON DELETE SET NULL,
    expires_at DATE,
    ends_at TIMESTAMP,
    last_used_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
INSERT INTO tokens_new (
    id, user_id, grant_id, kind, name, description, scopes, digest, sealed_secret, revoked, replaced_by_id, expires_at, ends_at,
    last_used_at, created_at, updated_at
)
SELECT
    id, user_id, grant_id, kind, name, description, scopes, digest, sealed_secret, revoked, replaced_by_id, expires_at, ends_at,
    last_used_at, created_at, updated_at
FROM tokens;
UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'tokens') WHERE name = 'tokens_new';
DROP TABLE tokens;
ALTER TABLE tokens_new RENAME TO tokens;
CREATE UNIQUE INDEX tokens_digest ON tokens (digest);
CREATE INDEX tokens_user ON tokens (user_id, kind, id);
CREATE INDEX tokens_replaced_by ON tokens (replaced_by_id);
CREATE INDEX tokens_grant ON tokens (grant_id);
CREATE INDEX tokens_end ON tokens (ends_at);
