-- Links that confirm addresses. The token is known by its digest only, and made when the mail is sent.
CREATE TABLE email_confirmations (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    email TEXT NOT NULL,
    digest TEXT,
    created_at TIMESTAMP NOT NULL,
    expires_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX email_confirmations_digest ON email_confirmations (digest);
CREATE INDEX email_confirmations_user ON email_confirmations (user_id, expires_at);
