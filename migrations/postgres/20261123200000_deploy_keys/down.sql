DROP TABLE deploy_keys_projects;
DROP TABLE deploy_keys;
DROP FUNCTION remove_unused_deploy_key;
