-- Settings are kept in memory by the revision of access: another one is drawn when they change.
CREATE TRIGGER settings_insert_changes_access AFTER INSERT ON settings
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER settings_update_changes_access AFTER UPDATE ON settings
BEGIN
    UPDATE access_revision SET value = random();
END;

CREATE TRIGGER settings_delete_changes_access AFTER DELETE ON settings
BEGIN
    UPDATE access_revision SET value = random();
END;
