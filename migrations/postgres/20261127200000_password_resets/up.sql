-- Links by which users choose a new password, one for each user. The token is known by its digest only, and made when the mail is
-- sent; the row stays when it is used up, with the count of mails.
CREATE TABLE password_resets (
    user_id BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    digest TEXT,
    asked_at TIMESTAMP NOT NULL,
    expires_at TIMESTAMP NOT NULL,
    counted_since TIMESTAMP NOT NULL,
    mails BIGINT NOT NULL
);
CREATE UNIQUE INDEX password_resets_digest ON password_resets (digest);
