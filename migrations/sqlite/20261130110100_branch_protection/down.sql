ALTER TABLE namespaces DROP COLUMN default_branch_protection;
