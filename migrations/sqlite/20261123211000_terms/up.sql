-- Who has accepted which terms of service, known by the SHA-256 of their text.
CREATE TABLE terms_acceptances (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    version TEXT NOT NULL,
    accepted_at TIMESTAMP NOT NULL,
    PRIMARY KEY (user_id, version)
);
