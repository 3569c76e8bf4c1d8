-- Addresses beside the primary ones, which are in users. Commands see to it that no address is in both tables: they run one
-- after the other.
CREATE TABLE emails (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    email TEXT NOT NULL,
    confirmed_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX emails_email ON emails (email);
CREATE INDEX emails_user ON emails (user_id, id);
