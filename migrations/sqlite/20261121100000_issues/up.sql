-- Issues, and what merge requests will share with them.

-- The last number given out, per owner and kind: an iid is never used twice.
CREATE TABLE iid_counters (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('issue', 'merge_request', 'milestone')),
    last_iid BIGINT NOT NULL,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
CREATE UNIQUE INDEX iid_counters_project ON iid_counters (project_id, kind);
CREATE UNIQUE INDEX iid_counters_namespace ON iid_counters (namespace_id, kind);

CREATE TABLE labels (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    color TEXT NOT NULL,
    description TEXT,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
CREATE UNIQUE INDEX labels_project_name ON labels (project_id, name);
CREATE UNIQUE INDEX labels_namespace_name ON labels (namespace_id, name);
CREATE INDEX labels_name ON labels (name, id);

CREATE TABLE label_priorities (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    label_id BIGINT NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
    priority BIGINT NOT NULL CHECK (priority >= 0),
    PRIMARY KEY (project_id, label_id)
);
CREATE INDEX label_priorities_label ON label_priorities (label_id);

CREATE TABLE label_subscriptions (
    label_id BIGINT NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (label_id, user_id)
);
CREATE INDEX label_subscriptions_user ON label_subscriptions (user_id);

CREATE TABLE milestones (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    iid BIGINT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL CHECK (state IN ('active', 'closed')),
    start_date DATE,
    due_date DATE,
    closed_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);
CREATE UNIQUE INDEX milestones_project_iid ON milestones (project_id, iid);
CREATE UNIQUE INDEX milestones_namespace_iid ON milestones (namespace_id, iid);
CREATE UNIQUE INDEX milestones_project_title ON milestones (project_id, title);
CREATE UNIQUE INDEX milestones_namespace_title ON milestones (namespace_id, title);
CREATE INDEX milestones_title ON milestones (title, id);

-- What can be opened, discussed, labelled, assigned and closed. Deleted rows stay and are never found.
CREATE TABLE issuables (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('issue', 'merge_request')),
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    iid BIGINT NOT NULL,
    author_id BIGINT NOT NULL REFERENCES users (id),
    title TEXT NOT NULL,
    description TEXT,
    state TEXT NOT NULL CHECK (state IN ('opened', 'closed', 'merged', 'locked')),
    closed_at TIMESTAMP,
    closed_by_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    milestone_id BIGINT REFERENCES milestones (id) ON DELETE SET NULL,
    confidential BOOLEAN NOT NULL DEFAULT FALSE,
    discussion_locked BOOLEAN,
    due_date DATE,
    time_estimate BIGINT NOT NULL DEFAULT 0 CHECK (time_estimate >= 0),
    total_time_spent BIGINT NOT NULL DEFAULT 0 CHECK (total_time_spent >= 0),
    user_notes_count BIGINT NOT NULL DEFAULT 0,
    upvotes BIGINT NOT NULL DEFAULT 0,
    downvotes BIGINT NOT NULL DEFAULT 0,
    moved_to_id BIGINT REFERENCES issuables (id) ON DELETE SET NULL,
    user_agent TEXT,
    ip_address TEXT,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    deleted_at TIMESTAMP
);
CREATE UNIQUE INDEX issuables_project_iid ON issuables (project_id, kind, iid);
CREATE INDEX issuables_author ON issuables (author_id, kind, created_at, id);
CREATE INDEX issuables_closed_by ON issuables (closed_by_id);
CREATE INDEX issuables_milestone ON issuables (milestone_id);
CREATE INDEX issuables_moved_to ON issuables (moved_to_id);
-- Each order of a list has an index with all that the usual filters ask, so that deep pages and counts touch no row.
CREATE INDEX issuables_project_created ON issuables (project_id, kind, created_at, id, state, confidential)
    WHERE deleted_at IS NULL;
CREATE INDEX issuables_project_updated ON issuables (project_id, kind, updated_at, id, state, confidential)
    WHERE deleted_at IS NULL;
CREATE INDEX issuables_created ON issuables (kind, created_at, id, project_id, state, confidential)
    WHERE deleted_at IS NULL;
CREATE INDEX issuables_updated ON issuables (kind, updated_at, id, project_id, state, confidential)
    WHERE deleted_at IS NULL;

-- How many there are, kept current by every write: totals of unfiltered lists at any size.
CREATE TABLE issuable_counts (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    confidential BOOLEAN NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (project_id, kind, state, confidential)
);

CREATE TABLE issuable_labels (
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    label_id BIGINT NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
    PRIMARY KEY (issuable_id, label_id)
);
CREATE INDEX issuable_labels_label ON issuable_labels (label_id, issuable_id);

CREATE TABLE issuable_assignees (
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    PRIMARY KEY (issuable_id, user_id)
);
CREATE INDEX issuable_assignees_user ON issuable_assignees (user_id, issuable_id);

-- Whether a user has subscribed or unsubscribed; without a row, participation decides.
CREATE TABLE issuable_subscriptions (
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    subscribed BOOLEAN NOT NULL,
    PRIMARY KEY (issuable_id, user_id)
);
CREATE INDEX issuable_subscriptions_user ON issuable_subscriptions (user_id);

-- A discussion has an id and no row: it is the notes that carry it.
CREATE TABLE notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    author_id BIGINT NOT NULL REFERENCES users (id),
    discussion_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('note', 'discussion', 'diff')),
    system BOOLEAN NOT NULL DEFAULT FALSE,
    body TEXT NOT NULL,
    -- What a system note names: hidden from those who may not see that.
    refers_to_id BIGINT REFERENCES issuables (id) ON DELETE CASCADE,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE INDEX notes_issuable_created ON notes (issuable_id, created_at, id);
CREATE INDEX notes_discussion ON notes (discussion_id, id);
CREATE INDEX notes_author ON notes (author_id);
CREATE INDEX notes_refers_to ON notes (refers_to_id);

-- Who is named in which text: that of the issuable itself, or that of one of its notes.
CREATE TABLE mentions (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    note_id BIGINT REFERENCES notes (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX mentions_issuable ON mentions (issuable_id, user_id);
CREATE INDEX mentions_note ON mentions (note_id);
CREATE INDEX mentions_user ON mentions (user_id);

CREATE TABLE award_emoji (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    note_id BIGINT REFERENCES notes (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX award_emoji_issuable ON award_emoji (issuable_id, user_id, name) WHERE note_id IS NULL;
CREATE UNIQUE INDEX award_emoji_note ON award_emoji (note_id, user_id, name);
CREATE INDEX award_emoji_of_issuable ON award_emoji (issuable_id, note_id, id);
CREATE INDEX award_emoji_user ON award_emoji (user_id, name, issuable_id);

CREATE TABLE timelogs (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    seconds BIGINT NOT NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX timelogs_issuable ON timelogs (issuable_id, id);
CREATE INDEX timelogs_user ON timelogs (user_id);

-- Changes of labels, milestone and state that clients read one by one.
CREATE TABLE resource_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    kind TEXT NOT NULL CHECK (kind IN ('label', 'milestone', 'state')),
    action TEXT NOT NULL,
    label_id BIGINT REFERENCES labels (id) ON DELETE SET NULL,
    milestone_id BIGINT REFERENCES milestones (id) ON DELETE SET NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX resource_events_issuable ON resource_events (issuable_id, kind, id);
CREATE INDEX resource_events_user ON resource_events (user_id);
CREATE INDEX resource_events_label ON resource_events (label_id);
CREATE INDEX resource_events_milestone ON resource_events (milestone_id);

CREATE TABLE todos (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    author_id BIGINT NOT NULL REFERENCES users (id),
    issuable_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    note_id BIGINT REFERENCES notes (id) ON DELETE SET NULL,
    action TEXT NOT NULL,
    done BOOLEAN NOT NULL DEFAULT FALSE,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE INDEX todos_user ON todos (user_id, done, id);
CREATE INDEX todos_author ON todos (author_id);
CREATE INDEX todos_issuable ON todos (issuable_id, user_id, done);
CREATE INDEX todos_note ON todos (note_id);

CREATE TABLE issue_links (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    source_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    target_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('relates_to', 'blocks')),
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    CHECK (source_id <> target_id)
);
CREATE UNIQUE INDEX issue_links_pair ON issue_links (source_id, target_id);
CREATE INDEX issue_links_target ON issue_links (target_id);

-- What contribution events need to name.
ALTER TABLE events ADD COLUMN issuable_id BIGINT;
ALTER TABLE events ADD COLUMN note_id BIGINT;
ALTER TABLE events ADD COLUMN milestone_id BIGINT;
CREATE INDEX events_issuable ON events (issuable_id);

-- Lower-cased copies with an index of trigrams: a word is found in a million titles without reading them.
CREATE VIRTUAL TABLE issuable_search USING fts5 (
    title, description, tokenize = 'trigram case_sensitive 1', detail = 'none', columnsize = 0
);
