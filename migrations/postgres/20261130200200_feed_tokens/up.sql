-- The tokens with which feed readers read feeds as their users. They are shown again, so that they are sealed and not only digested.
CREATE TABLE feed_tokens (
    user_id BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    digest TEXT NOT NULL,
    sealed_token TEXT NOT NULL
);
CREATE UNIQUE INDEX feed_tokens_digest ON feed_tokens (digest);
