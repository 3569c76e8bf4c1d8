-- The settings of a project that are not the defaults: a JSON object of name and value.
ALTER TABLE project_features ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
