-- Lists that go on behind a row: each order that has no index yet.
CREATE INDEX projects_name ON projects (name, id, visibility, namespace_id, deleting_at) WHERE deleting_at IS NULL;
CREATE INDEX projects_path ON projects (path, id, visibility, namespace_id, deleting_at) WHERE deleting_at IS NULL;
CREATE INDEX projects_updated_at ON projects (updated_at, id, visibility, namespace_id, deleting_at)
    WHERE deleting_at IS NULL;
CREATE INDEX namespaces_kind ON namespaces (kind, id);
CREATE INDEX issuables_kind ON issuables (kind, id) WHERE deleted_at IS NULL;
CREATE INDEX issuables_project_kind ON issuables (project_id, kind, id) WHERE deleted_at IS NULL;

-- Of issues. Merge requests have no weight, and the usual type.
ALTER TABLE issuables ADD COLUMN weight BIGINT CHECK (weight BETWEEN 0 AND 1000000);
ALTER TABLE issuables ADD COLUMN issue_type TEXT NOT NULL DEFAULT 'issue'
    CHECK (issue_type IN ('issue', 'incident', 'test_case', 'task'));
