-- A number that is drawn anew with every change of what decides who may see what. What was computed from these tables is
-- true as long as it stays the same (crates/storage/src/cache/access_cache.rs). Triggers see to it, so that no write can forget it.
CREATE TABLE access_revision (
    id BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    value BIGINT NOT NULL
);
INSERT INTO access_revision (id, value) VALUES (1, random());

CREATE TRIGGER members_insert_changes_access AFTER INSERT ON members
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER members_update_changes_access AFTER UPDATE ON members
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER members_delete_changes_access AFTER DELETE ON members
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER shares_insert_changes_access AFTER INSERT ON shares
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER shares_update_changes_access AFTER UPDATE ON shares
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER shares_delete_changes_access AFTER DELETE ON shares
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER namespace_closure_insert_changes_access AFTER INSERT ON namespace_closure
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER namespace_closure_update_changes_access AFTER UPDATE ON namespace_closure
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER namespace_closure_delete_changes_access AFTER DELETE ON namespace_closure
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER namespaces_insert_changes_access AFTER INSERT ON namespaces
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER namespaces_update_changes_access AFTER UPDATE OF owner_id ON namespaces
    WHEN OLD.owner_id IS NOT NEW.owner_id
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER namespaces_delete_changes_access AFTER DELETE ON namespaces
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER projects_insert_changes_access AFTER INSERT ON projects
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER projects_update_changes_access AFTER UPDATE OF namespace_id, visibility, deleting_at ON projects
    WHEN OLD.namespace_id IS NOT NEW.namespace_id OR OLD.visibility IS NOT NEW.visibility OR OLD.deleting_at IS NOT NEW.deleting_at
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER projects_delete_changes_access AFTER DELETE ON projects
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER project_features_insert_changes_access AFTER INSERT ON project_features
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER project_features_update_changes_access AFTER UPDATE OF issues_enabled, merge_requests_enabled ON project_features
    WHEN OLD.issues_enabled IS NOT NEW.issues_enabled OR OLD.merge_requests_enabled IS NOT NEW.merge_requests_enabled
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER project_features_delete_changes_access AFTER DELETE ON project_features
BEGIN
    UPDATE access_revision SET value = random();
END;
