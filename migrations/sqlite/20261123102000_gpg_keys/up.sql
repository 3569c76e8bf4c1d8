CREATE TABLE gpg_keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    key_text TEXT NOT NULL,
    -- Of the primary key, in hexadecimal, upper case.
    fingerprint TEXT NOT NULL,
    keyid TEXT NOT NULL,
    can_sign BOOLEAN NOT NULL,
    revoked BOOLEAN NOT NULL,
    expires_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX gpg_keys_fingerprint ON gpg_keys (fingerprint);
CREATE UNIQUE INDEX gpg_keys_keyid ON gpg_keys (keyid);
CREATE INDEX gpg_keys_user ON gpg_keys (user_id, id);

-- Only those that may sign. Two keys may share one.
CREATE TABLE gpg_subkeys (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    gpg_key_id BIGINT NOT NULL REFERENCES gpg_keys (id) ON DELETE CASCADE,
    fingerprint TEXT NOT NULL,
    keyid TEXT NOT NULL,
    revoked BOOLEAN NOT NULL,
    expires_at TIMESTAMP
);
CREATE INDEX gpg_subkeys_key ON gpg_subkeys (gpg_key_id, id);
CREATE INDEX gpg_subkeys_keyid ON gpg_subkeys (keyid, id);

-- Whom a key names.
CREATE TABLE gpg_user_ids (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    gpg_key_id BIGINT NOT NULL REFERENCES gpg_keys (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    email TEXT NOT NULL
);
CREATE INDEX gpg_user_ids_key ON gpg_user_ids (gpg_key_id, id);
