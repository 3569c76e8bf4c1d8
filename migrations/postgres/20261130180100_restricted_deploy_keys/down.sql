ALTER TABLE protected_refs DROP COLUMN restricts_deploy_keys;
