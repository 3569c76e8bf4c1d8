ALTER TABLE namespaces DROP COLUMN ip_ranges;
ALTER TABLE namespaces DROP COLUMN settings;
