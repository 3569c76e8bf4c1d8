-- Requests of devices that have no browser (RFC 8628). The user enters the code that the device shows, on another one; the
-- device asks for its tokens with a secret of its own, of which only the digest is kept.
CREATE TABLE oauth_device_grants (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    application_id BIGINT NOT NULL REFERENCES oauth_applications (id) ON DELETE CASCADE,
    scopes TEXT NOT NULL,
    device_digest TEXT NOT NULL,
    user_code TEXT NOT NULL,
    user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    denied BOOLEAN NOT NULL DEFAULT FALSE,
    polled_at TIMESTAMP,
    expires_at TIMESTAMP NOT NULL,
    CHECK (user_id IS NULL OR NOT denied)
);
CREATE UNIQUE INDEX oauth_device_grants_digest ON oauth_device_grants (device_digest);
CREATE UNIQUE INDEX oauth_device_grants_user_code ON oauth_device_grants (user_code);
CREATE INDEX oauth_device_grants_application ON oauth_device_grants (application_id, expires_at);
CREATE INDEX oauth_device_grants_user ON oauth_device_grants (user_id);
CREATE INDEX oauth_device_grants_expiry ON oauth_device_grants (expires_at);
