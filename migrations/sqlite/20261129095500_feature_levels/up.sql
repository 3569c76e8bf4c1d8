-- Who has the parts of a project. Those that statements compare have a column, the others are among the settings.
DROP TRIGGER project_features_update_changes_access;
ALTER TABLE project_features ADD COLUMN issues_access_level TEXT NOT NULL DEFAULT 'enabled'
    CHECK (issues_access_level IN ('disabled', 'private', 'enabled'));
ALTER TABLE project_features ADD COLUMN merge_requests_access_level TEXT NOT NULL DEFAULT 'enabled'
    CHECK (merge_requests_access_level IN ('disabled', 'private', 'enabled'));
ALTER TABLE project_features ADD COLUMN repository_access_level TEXT NOT NULL DEFAULT 'enabled'
    CHECK (repository_access_level IN ('disabled', 'private', 'enabled'));
UPDATE project_features SET issues_access_level = 'disabled' WHERE NOT issues_enabled;
UPDATE project_features SET merge_requests_access_level = 'disabled' WHERE NOT merge_requests_enabled;
UPDATE project_features SET settings = '{' || rtrim(
    CASE WHEN jobs_enabled THEN '' ELSE '"builds_access_level":"disabled",' END ||
    CASE WHEN wiki_enabled THEN '' ELSE '"wiki_access_level":"disabled",' END ||
    CASE WHEN snippets_enabled THEN '' ELSE '"snippets_access_level":"disabled",' END ||
    CASE WHEN container_registry_enabled THEN '' ELSE '"container_registry_access_level":"disabled",' END, ',') || '}'
    WHERE settings = '{}';
ALTER TABLE project_features DROP COLUMN issues_enabled;
ALTER TABLE project_features DROP COLUMN merge_requests_enabled;
ALTER TABLE project_features DROP COLUMN jobs_enabled;
ALTER TABLE project_features DROP COLUMN wiki_enabled;
ALTER TABLE project_features DROP COLUMN snippets_enabled;
ALTER TABLE project_features DROP COLUMN container_registry_enabled;
CREATE TRIGGER project_features_update_changes_access AFTER UPDATE OF issues_access_level, merge_requests_access_level, repository_access_level ON project_features
    WHEN OLD.issues_access_level IS NOT NEW.issues_access_level OR
        OLD.merge_requests_access_level IS NOT NEW.merge_requests_access_level OR
        OLD.repository_access_level IS NOT NEW.repository_access_level
BEGIN
    UPDATE access_revision SET value = random();
END;
