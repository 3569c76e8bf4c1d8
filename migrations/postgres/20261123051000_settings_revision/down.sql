DROP TRIGGER settings_change_access ON settings;
