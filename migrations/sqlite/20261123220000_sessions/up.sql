-- Sessions of browsers, with what their users see of them. There were none before: nothing could start one. The token
-- against forged requests follows from the cookie and is not stored.
DROP TABLE sessions;
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    digest TEXT NOT NULL,
    address TEXT,
    user_agent TEXT,
    remembered BOOLEAN NOT NULL,
    awaits_second_factor BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL,
    last_used_at TIMESTAMP NOT NULL,
    expires_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX sessions_digest ON sessions (digest);
CREATE INDEX sessions_user ON sessions (user_id, last_used_at);
CREATE INDEX sessions_expires_at ON sessions (expires_at);
