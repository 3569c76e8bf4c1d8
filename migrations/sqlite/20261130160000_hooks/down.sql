ALTER TABLE deploy_keys DROP COLUMN expires_at;
ALTER TABLE hooks RENAME COLUMN failures TO unanswered;
DROP TABLE hook_options;
