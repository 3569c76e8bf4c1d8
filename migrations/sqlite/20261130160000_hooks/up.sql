-- What came later to hooks: a row for each. `hooks` has no room for more columns.
CREATE TABLE hook_options (
    hook_id BIGINT PRIMARY KEY NOT NULL REFERENCES hooks (id) ON DELETE CASCADE,
    emoji_events BOOLEAN NOT NULL,
    milestone_events BOOLEAN NOT NULL,
    releases_events BOOLEAN NOT NULL,
    feature_flag_events BOOLEAN NOT NULL,
    deployment_events BOOLEAN NOT NULL,
    resource_access_token_events BOOLEAN NOT NULL,
    -- How `push_events_branch_filter` is read: `wildcard`, `regex` or `all_branches`.
    branch_filter_strategy TEXT NOT NULL,
    -- JSON lists of `{"key": .., "sealed": ..}`: the values are encrypted.
    custom_headers TEXT NOT NULL,
    url_variables TEXT NOT NULL,
    custom_webhook_template TEXT
);
INSERT INTO hook_options
SELECT id, FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, 'wildcard', '[]', '[]', NULL FROM hooks;

-- The number of attempts in a row that failed, with an answer or without one.
ALTER TABLE hooks RENAME COLUMN unanswered TO failures;

-- From this moment on the key opens nothing.
ALTER TABLE deploy_keys ADD COLUMN expires_at TIMESTAMP;
