-- What merge requests have besides what issues have, and what is said about lines of their differences.

CREATE TABLE merge_requests (
    issuable_id BIGINT PRIMARY KEY NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    source_project_id BIGINT REFERENCES projects (id) ON DELETE SET NULL,
    source_branch TEXT NOT NULL,
    target_branch TEXT NOT NULL,
    draft BOOLEAN NOT NULL,
    squash BOOLEAN NOT NULL,
    force_remove_source_branch BOOLEAN NOT NULL,
    should_remove_source_branch BOOLEAN,
    allow_collaboration BOOLEAN NOT NULL,
    merge_status TEXT NOT NULL CHECK (merge_status IN ('unchecked', 'can_be_merged', 'cannot_be_merged')),
    merge_error TEXT,
    -- The newest version.
    base_sha TEXT,
    start_sha TEXT,
    head_sha TEXT,
    commits_count BIGINT NOT NULL DEFAULT 0,
    changes_count BIGINT NOT NULL DEFAULT 0,
    overflow BOOLEAN NOT NULL DEFAULT FALSE,
    -- A merge that waits for the pipeline.
    auto_merge_by_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    auto_merge_message TEXT,
    auto_merge_squash_message TEXT,
    -- A merge that has happened.
    merged_at TIMESTAMP,
    merged_by_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    merge_commit_sha TEXT,
    squash_commit_sha TEXT
);
CREATE INDEX merge_requests_source ON merge_requests (source_project_id, source_branch);
CREATE INDEX merge_requests_target_branch ON merge_requests (target_branch, issuable_id);
CREATE INDEX merge_requests_source_branch ON merge_requests (source_branch, issuable_id);
CREATE INDEX merge_requests_merged_by ON merge_requests (merged_by_id);
CREATE INDEX merge_requests_auto_merge_by ON merge_requests (auto_merge_by_id);

CREATE TABLE merge_request_versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    issuable_id BIGINT NOT NULL REFERENCES merge_requests (issuable_id) ON DELETE CASCADE,
    base_sha TEXT NOT NULL,
    start_sha TEXT NOT NULL,
    head_sha TEXT NOT NULL,
    commits_count BIGINT NOT NULL,
    changes_count BIGINT NOT NULL,
    overflow BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX merge_request_versions_issuable ON merge_request_versions (issuable_id, id);

CREATE TABLE merge_request_reviewers (
    issuable_id BIGINT NOT NULL REFERENCES merge_requests (issuable_id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    PRIMARY KEY (issuable_id, user_id)
);
CREATE INDEX merge_request_reviewers_user ON merge_request_reviewers (user_id, issuable_id);

-- The issues that a merge request closes when it is merged, found out when its texts or commits change.
CREATE TABLE merge_request_closes (
    issuable_id BIGINT NOT NULL REFERENCES merge_requests (issuable_id) ON DELETE CASCADE,
    issue_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    -- Whether a commit says so, or title and description.
    by_commit BOOLEAN NOT NULL,
    PRIMARY KEY (issuable_id, issue_id, by_commit)
);
CREATE INDEX merge_request_closes_issue ON merge_request_closes (issue_id, issuable_id);

-- Merges that are under way: recorded before the branch moves, gone when the merge is done or given up.
CREATE TABLE merge_intents (
    issuable_id BIGINT PRIMARY KEY NOT NULL REFERENCES merge_requests (issuable_id) ON DELETE CASCADE,
    -- No reference: what has begun is finished even if the account is removed.
    user_id BIGINT NOT NULL,
    target_sha TEXT NOT NULL,
    source_sha TEXT NOT NULL,
    tip_sha TEXT NOT NULL,
    merge_commit_sha TEXT,
    squash_commit_sha TEXT,
    remove_source_branch BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL
);

-- Where in a difference a note stands, and who has resolved it.
ALTER TABLE notes ADD COLUMN position TEXT;
ALTER TABLE notes ADD COLUMN resolved_at TIMESTAMP;
ALTER TABLE notes ADD COLUMN resolved_by_id BIGINT REFERENCES users (id) ON DELETE SET NULL;
CREATE INDEX notes_resolved_by ON notes (resolved_by_id);
