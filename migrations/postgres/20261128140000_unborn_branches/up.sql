-- The branch that becomes the default one of an empty repository when it is pushed. Those that are empty now were made with the name
-- that the settings say, or will be.
ALTER TABLE projects ADD COLUMN unborn_branch TEXT NOT NULL DEFAULT 'main';
UPDATE projects SET unborn_branch = COALESCE((SELECT value::JSONB #>> '{}' FROM settings WHERE name = 'default_branch_name'), 'main')
    WHERE default_branch IS NULL;
