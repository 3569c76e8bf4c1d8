-- Whom users follow.
CREATE TABLE user_follows (
    follower_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    followed_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at TIMESTAMP NOT NULL,
    PRIMARY KEY (follower_id, followed_id)
);
CREATE INDEX user_follows_followed ON user_follows (followed_id, follower_id);

-- How users want pages to be shown; those who have said nothing have no row.
CREATE TABLE user_preferences (
    user_id BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    view_diffs_file_by_file BOOLEAN NOT NULL,
    show_whitespace_in_diffs BOOLEAN NOT NULL,
    pass_user_identities_to_ci_jwt BOOLEAN NOT NULL
);
