-- How the default branches of the new projects of a group are protected: a number, or its parts. NULL for the server's setting.
ALTER TABLE namespaces ADD COLUMN default_branch_protection TEXT;
