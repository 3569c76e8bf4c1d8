-- Settings are kept in memory by the revision of access: another one is drawn when they change.
CREATE TRIGGER settings_change_access AFTER INSERT OR DELETE OR UPDATE ON settings
    FOR EACH STATEMENT EXECUTE FUNCTION access_changes();
