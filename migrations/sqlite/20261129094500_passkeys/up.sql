-- Passkeys of users. Identifiers and public keys are in base64url. `sign_count` is the newest number of uses that an
-- authenticator has said.
CREATE TABLE passkeys (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    credential TEXT NOT NULL,
    public_key TEXT NOT NULL,
    sign_count BIGINT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    last_used_at TIMESTAMP
);
CREATE UNIQUE INDEX passkeys_credential ON passkeys (credential);
CREATE INDEX passkeys_user ON passkeys (user_id);

-- What browsers are asked while users sign in. Each is answered once. A browser is known by the digest of its cookie.
CREATE TABLE sign_in_challenges (
    browser TEXT NOT NULL,
    purpose TEXT NOT NULL,
    value TEXT NOT NULL,
    expires_at TIMESTAMP NOT NULL,
    PRIMARY KEY (browser, purpose)
);
CREATE INDEX sign_in_challenges_expires_at ON sign_in_challenges (expires_at);
