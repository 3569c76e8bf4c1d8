-- A number that grows with every change of what decides who reaches what. What was worked out from these tables is true
-- for as long as it stays the same (crates/storage/src/memory.rs). Triggers see to it, so that no write can forget.
CREATE TABLE access_revision (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    value BIGINT NOT NULL
);
INSERT INTO access_revision (id, value) VALUES (1, 1);

CREATE FUNCTION access_changes() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    UPDATE access_revision SET value = value + 1;
    RETURN NULL;
END
$$;

CREATE TRIGGER members_change_access AFTER INSERT OR DELETE OR UPDATE ON members
    FOR EACH STATEMENT EXECUTE FUNCTION access_changes();
CREATE TRIGGER shares_change_access AFTER INSERT OR DELETE OR UPDATE ON shares
    FOR EACH STATEMENT EXECUTE FUNCTION access_changes();
CREATE TRIGGER namespace_closure_change_access AFTER INSERT OR DELETE OR UPDATE ON namespace_closure
    FOR EACH STATEMENT EXECUTE FUNCTION access_changes();
CREATE TRIGGER namespaces_change_access AFTER INSERT OR DELETE OR UPDATE OF owner_id ON namespaces
    FOR EACH STATEMENT EXECUTE FUNCTION access_changes();
CREATE TRIGGER projects_change_access AFTER INSERT OR DELETE OR UPDATE OF namespace_id, visibility, deleting_at ON projects
    FOR EACH STATEMENT EXECUTE FUNCTION access_changes();
CREATE TRIGGER project_features_change_access AFTER INSERT OR DELETE OR UPDATE OF issues_enabled, merge_requests_enabled ON project_features
    FOR EACH STATEMENT EXECUTE FUNCTION access_changes();
