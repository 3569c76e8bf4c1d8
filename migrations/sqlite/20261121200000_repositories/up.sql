-- What lists show of repositories without asking Git, and what Git does not know.

-- The refs as they were when the server last looked; a reconciler makes them agree with the repository.
CREATE TABLE refs (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    oid TEXT NOT NULL,
    PRIMARY KEY (project_id, name)
);

CREATE TABLE repository_facts (
    project_id BIGINT PRIMARY KEY NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    commit_count BIGINT NOT NULL DEFAULT 0,
    repository_size BIGINT NOT NULL DEFAULT 0,
    readme_path TEXT,
    languages TEXT NOT NULL DEFAULT '[]',
    updated_at TIMESTAMP NOT NULL
);

CREATE TABLE protected_refs (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('branch', 'tag')),
    name TEXT NOT NULL,
    push_level BIGINT NOT NULL CHECK (push_level IN (0, 30, 40)),
    merge_level BIGINT NOT NULL CHECK (merge_level IN (0, 30, 40)),
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX protected_refs_name ON protected_refs (project_id, kind, name);

CREATE TABLE releases (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    tag_name TEXT NOT NULL,
    description TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    PRIMARY KEY (project_id, tag_name)
);

CREATE TABLE commit_comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    sha TEXT NOT NULL,
    author_id BIGINT NOT NULL REFERENCES users (id),
    note TEXT NOT NULL,
    path TEXT,
    line BIGINT,
    line_type TEXT CHECK (line_type IN ('new', 'old')),
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX commit_comments_project ON commit_comments (project_id, sha, id);
CREATE INDEX commit_comments_author ON commit_comments (author_id);

CREATE TABLE pipelines (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    sha TEXT NOT NULL,
    ref TEXT NOT NULL,
    tag BOOLEAN NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'success', 'failed', 'canceled', 'skipped')),
    started_at TIMESTAMP,
    finished_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE INDEX pipelines_project ON pipelines (project_id, id);
CREATE INDEX pipelines_sha ON pipelines (project_id, sha, ref, id);
CREATE INDEX pipelines_user ON pipelines (user_id);

CREATE TABLE commit_statuses (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    pipeline_id BIGINT NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
    author_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'success', 'failed', 'canceled', 'skipped')),
    target_url TEXT,
    description TEXT,
    coverage TEXT,
    -- A later one of the same name has taken its place.
    retried BOOLEAN NOT NULL DEFAULT FALSE,
    started_at TIMESTAMP,
    finished_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX commit_statuses_pipeline ON commit_statuses (pipeline_id, id);
CREATE INDEX commit_statuses_author ON commit_statuses (author_id);
