-- Changes that comments on lines of merge requests propose.
CREATE TABLE suggestions (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    note_id BIGINT NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
    -- Among the suggestions of the note, counted from zero.
    place BIGINT NOT NULL,
    from_line BIGINT NOT NULL,
    to_line BIGINT NOT NULL,
    from_content TEXT NOT NULL,
    to_content TEXT NOT NULL,
    -- True if a later push has changed the lines.
    outdated BOOLEAN NOT NULL,
    -- The commit that applies it, from the moment at which it is made and before the branch has it.
    commit_sha TEXT,
    parent_sha TEXT,
    -- No reference: a commit that was begun is finished even if the account is removed.
    user_id BIGINT,
    begun_at TIMESTAMP,
    -- When the branch was known to have the commit.
    applied_at TIMESTAMP
);
CREATE UNIQUE INDEX suggestions_note ON suggestions (note_id, place);
CREATE INDEX suggestions_issuable ON suggestions (issuable_id, id);
