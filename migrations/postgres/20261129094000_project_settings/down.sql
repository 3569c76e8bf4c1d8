ALTER TABLE project_features DROP COLUMN settings;
