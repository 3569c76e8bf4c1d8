CREATE TABLE ssh_keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    key_text TEXT NOT NULL,
    -- 32 hexadecimal digits.
    md5 TEXT NOT NULL,
    -- Base64 without padding.
    sha256 TEXT NOT NULL,
    usage_type TEXT NOT NULL CHECK (usage_type IN ('auth_and_signing', 'auth', 'signing')),
    expires_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX ssh_keys_md5 ON ssh_keys (md5);
CREATE UNIQUE INDEX ssh_keys_sha256 ON ssh_keys (sha256);
CREATE INDEX ssh_keys_user ON ssh_keys (user_id, id);
