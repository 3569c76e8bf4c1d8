-- A number that grows with every change of what decides who reaches what. What was worked out from these tables is true
-- for as long as it stays the same (crates/storage/src/memory.rs). Triggers see to it, so that no write can forget.
CREATE TABLE access_revision (
    id BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    value BIGINT NOT NULL
);
INSERT INTO access_revision (id, value) VALUES (1, 1);

CREATE TRIGGER members_insert_changes_access AFTER INSERT ON members
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER members_update_changes_access AFTER UPDATE ON members
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER members_delete_changes_access AFTER DELETE ON members
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER shares_insert_changes_access AFTER INSERT ON shares
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER shares_update_changes_access AFTER UPDATE ON shares
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER shares_delete_changes_access AFTER DELETE ON shares
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER namespace_closure_insert_changes_access AFTER INSERT ON namespace_closure
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER namespace_closure_update_changes_access AFTER UPDATE ON namespace_closure
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER namespace_closure_delete_changes_access AFTER DELETE ON namespace_closure
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER namespaces_insert_changes_access AFTER INSERT ON namespaces
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER namespaces_update_changes_access AFTER UPDATE OF owner_id ON namespaces
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER namespaces_delete_changes_access AFTER DELETE ON namespaces
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER projects_insert_changes_access AFTER INSERT ON projects
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER projects_update_changes_access AFTER UPDATE OF namespace_id, visibility, deleting_at ON projects
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER projects_delete_changes_access AFTER DELETE ON projects
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER project_features_insert_changes_access AFTER INSERT ON project_features
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER project_features_update_changes_access AFTER UPDATE OF issues_enabled, merge_requests_enabled ON project_features
BEGIN
    UPDATE access_revision SET value = value + 1;
END;

CREATE TRIGGER project_features_delete_changes_access AFTER DELETE ON project_features
BEGIN
    UPDATE access_revision SET value = value + 1;
END;
