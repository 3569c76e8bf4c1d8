-- SQLite asks a row whether it is deleted even where the index has none that is: with the column in it, the index alone
-- answers. Deep pages and counts read nothing else.
DROP INDEX issuables_project_created;
CREATE INDEX issuables_project_created ON issuables (project_id, kind, created_at, id, state, confidential, deleted_at)
    WHERE deleted_at IS NULL;
DROP INDEX issuables_project_updated;
CREATE INDEX issuables_project_updated ON issuables (project_id, kind, updated_at, id, state, confidential, deleted_at)
    WHERE deleted_at IS NULL;
DROP INDEX issuables_created;
CREATE INDEX issuables_created ON issuables (kind, created_at, id, project_id, state, confidential, deleted_at)
    WHERE deleted_at IS NULL;
DROP INDEX issuables_updated;
CREATE INDEX issuables_updated ON issuables (kind, updated_at, id, project_id, state, confidential, deleted_at)
    WHERE deleted_at IS NULL;
DROP INDEX projects_sight;
CREATE INDEX projects_sight ON projects (visibility, namespace_id, id, deleting_at)
    WHERE deleting_at IS NULL;
DROP INDEX projects_created_at;
CREATE INDEX projects_created_at ON projects (created_at, id, visibility, namespace_id, deleting_at)
    WHERE deleting_at IS NULL;
DROP INDEX projects_last_activity_at;
CREATE INDEX projects_last_activity_at ON projects (last_activity_at, id, visibility, namespace_id, deleting_at)
    WHERE deleting_at IS NULL;

-- Accounts are counted by what stands here, and not by their wide rows.
CREATE INDEX users_listed ON users (id, state, ghost, external, deleting_at) WHERE deleting_at IS NULL;

-- Where most rows have nothing in a column, SQLite takes an index of it for useless: of those that have something it is not.
DROP INDEX labels_project_name;
CREATE UNIQUE INDEX labels_project_name ON labels (project_id, name) WHERE project_id IS NOT NULL;
DROP INDEX labels_namespace_name;
CREATE UNIQUE INDEX labels_namespace_name ON labels (namespace_id, name) WHERE namespace_id IS NOT NULL;
DROP INDEX projects_forked_from;
CREATE INDEX projects_forked_from ON projects (forked_from_id) WHERE forked_from_id IS NOT NULL;
DROP INDEX issuables_milestone;
CREATE INDEX issuables_milestone ON issuables (milestone_id) WHERE milestone_id IS NOT NULL;
DROP INDEX issuables_closed_by;
CREATE INDEX issuables_closed_by ON issuables (closed_by_id) WHERE closed_by_id IS NOT NULL;
DROP INDEX issuables_moved_to;
CREATE INDEX issuables_moved_to ON issuables (moved_to_id) WHERE moved_to_id IS NOT NULL;
DROP INDEX milestones_project_iid;
CREATE UNIQUE INDEX milestones_project_iid ON milestones (project_id, iid) WHERE project_id IS NOT NULL;
DROP INDEX milestones_project_title;
CREATE UNIQUE INDEX milestones_project_title ON milestones (project_id, title) WHERE project_id IS NOT NULL;
DROP INDEX milestones_namespace_iid;
CREATE UNIQUE INDEX milestones_namespace_iid ON milestones (namespace_id, iid) WHERE namespace_id IS NOT NULL;
DROP INDEX milestones_namespace_title;
CREATE UNIQUE INDEX milestones_namespace_title ON milestones (namespace_id, title) WHERE namespace_id IS NOT NULL;

-- The index of trigrams says which rows may have a word, and the rows themselves whether they have it: it needs no copies of
-- their texts, which were two thirds of its size.
DROP TABLE issuable_search;
CREATE VIRTUAL TABLE issuable_search USING fts5 (
    title, description, tokenize = 'trigram case_sensitive 1', detail = 'none', content = '', contentless_delete = 1
);
-- `lower` is the program's own, which knows every script: by hand, in another shell, only ASCII would be folded.
INSERT INTO issuable_search (rowid, title, description)
    SELECT id, lower(title), lower(COALESCE(description, '')) FROM issuables WHERE deleted_at IS NULL;
