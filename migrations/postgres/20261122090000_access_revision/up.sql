-- A number that is drawn anew with every change of what decides who may see what. What was computed from these tables is
-- true as long as it stays the same (crates/storage/src/cache/access_cache.rs). Triggers see to it, so that no write can forget it.
CREATE TABLE access_revision (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    value BIGINT NOT NULL
);

CREATE FUNCTION drawn_revision() RETURNS BIGINT LANGUAGE sql VOLATILE AS
    'SELECT (''x'' || substr(md5(random()::text || clock_timestamp()::text), 1, 16))::bit(64)::bigint';

INSERT INTO access_revision (id, value) VALUES (1, drawn_revision());

CREATE FUNCTION access_changes() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    UPDATE access_revision SET value = drawn_revision();
    RETURN NULL;
END
$$;

CREATE TRIGGER members_change_access AFTER INSERT OR DELETE OR UPDATE ON members
    FOR EACH STATEMENT EXECUTE FUNCTION access_changes();
CREATE TRIGGER shares_change_access AFTER INSERT OR DELETE OR UPDATE ON shares
    FOR EACH STATEMENT EXECUTE FUNCTION access_changes();
CREATE TRIGGER namespace_closure_change_access AFTER INSERT OR DELETE OR UPDATE ON namespace_closure
    FOR EACH STATEMENT EXECUTE FUNCTION access_changes();
CREATE TRIGGER namespaces_come_and_go_changes_access AFTER INSERT OR DELETE ON namespaces
    FOR EACH STATEMENT EXECUTE FUNCTION access_changes();
CREATE TRIGGER namespaces_update_changes_access AFTER UPDATE OF owner_id ON namespaces
    FOR EACH ROW WHEN (OLD.owner_id IS DISTINCT FROM NEW.owner_id)
    EXECUTE FUNCTION access_changes();
CREATE TRIGGER projects_come_and_go_changes_access AFTER INSERT OR DELETE ON projects
    FOR EACH STATEMENT EXECUTE FUNCTION access_changes();
CREATE TRIGGER projects_update_changes_access AFTER UPDATE OF namespace_id, visibility, deleting_at ON projects
    FOR EACH ROW WHEN (OLD.namespace_id IS DISTINCT FROM NEW.namespace_id OR OLD.visibility IS DISTINCT FROM NEW.visibility OR OLD.deleting_at IS DISTINCT FROM NEW.deleting_at)
    EXECUTE FUNCTION access_changes();
CREATE TRIGGER project_features_come_and_go_changes_access AFTER INSERT OR DELETE ON project_features
    FOR EACH STATEMENT EXECUTE FUNCTION access_changes();
CREATE TRIGGER project_features_update_changes_access AFTER UPDATE OF issues_enabled, merge_requests_enabled ON project_features
    FOR EACH ROW WHEN (OLD.issues_enabled IS DISTINCT FROM NEW.issues_enabled OR OLD.merge_requests_enabled IS DISTINCT FROM NEW.merge_requests_enabled)
    EXECUTE FUNCTION access_changes();
