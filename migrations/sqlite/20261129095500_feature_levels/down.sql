DROP TRIGGER project_features_update_changes_access;
ALTER TABLE project_features ADD COLUMN issues_enabled BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE project_features ADD COLUMN merge_requests_enabled BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE project_features ADD COLUMN jobs_enabled BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE project_features ADD COLUMN wiki_enabled BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE project_features ADD COLUMN snippets_enabled BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE project_features ADD COLUMN container_registry_enabled BOOLEAN NOT NULL DEFAULT TRUE;
UPDATE project_features SET issues_enabled = FALSE WHERE issues_access_level = 'disabled';
UPDATE project_features SET merge_requests_enabled = FALSE WHERE merge_requests_access_level = 'disabled';
UPDATE project_features SET jobs_enabled = FALSE WHERE settings LIKE '%"builds_access_level":"disabled"%';
UPDATE project_features SET wiki_enabled = FALSE WHERE settings LIKE '%"wiki_access_level":"disabled"%';
UPDATE project_features SET snippets_enabled = FALSE WHERE settings LIKE '%"snippets_access_level":"disabled"%';
UPDATE project_features SET container_registry_enabled = FALSE WHERE settings LIKE '%"container_registry_access_level":"disabled"%';
ALTER TABLE project_features DROP COLUMN issues_access_level;
ALTER TABLE project_features DROP COLUMN merge_requests_access_level;
ALTER TABLE project_features DROP COLUMN repository_access_level;
CREATE TRIGGER project_features_update_changes_access AFTER UPDATE OF issues_enabled, merge_requests_enabled ON project_features
    WHEN OLD.issues_enabled IS NOT NEW.issues_enabled OR OLD.merge_requests_enabled IS NOT NEW.merge_requests_enabled
BEGIN
    UPDATE access_revision SET value = random();
END;
