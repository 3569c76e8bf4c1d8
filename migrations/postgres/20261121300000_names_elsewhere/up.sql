-- What commits name, and under which names projects were known before.

-- The issues that a commit has mentioned or closed, each once; the system note about it, for those who may read the commit.
CREATE TABLE commit_references (
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    sha TEXT NOT NULL,
    closes BOOLEAN NOT NULL,
    note_id BIGINT REFERENCES notes (id) ON DELETE SET NULL,
    PRIMARY KEY (issuable_id, project_id, sha, closes)
);
CREATE INDEX commit_references_project ON commit_references (project_id);
CREATE INDEX commit_references_note ON commit_references (note_id);

-- The paths that projects had before they moved: Git still finds them there, until something else takes the path.
CREATE TABLE former_paths (
    path_key TEXT PRIMARY KEY NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE
);
CREATE INDEX former_paths_project ON former_paths (project_id);
