-- Comments that only their authors see until they are published together.
CREATE TABLE draft_notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    author_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    body TEXT NOT NULL,
    -- The discussion that it answers; null where it begins one.
    discussion_id TEXT,
    position TEXT,
    -- Whether the discussion that it answers is resolved with it.
    resolves BOOLEAN NOT NULL DEFAULT FALSE,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE INDEX draft_notes_author ON draft_notes (author_id, issuable_id, id);
CREATE INDEX draft_notes_issuable ON draft_notes (issuable_id);

-- Files of a merge request that a user has viewed, as long as their changes have this digest.
CREATE TABLE viewed_files (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (user_id, issuable_id, path)
);
CREATE INDEX viewed_files_issuable ON viewed_files (issuable_id);

-- The version of a merge request up to which a user has seen its changes.
CREATE TABLE seen_versions (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    version_id BIGINT NOT NULL REFERENCES merge_request_versions (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, issuable_id)
);
CREATE INDEX seen_versions_issuable ON seen_versions (issuable_id);
CREATE INDEX seen_versions_version ON seen_versions (version_id);
