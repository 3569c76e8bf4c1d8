DROP TABLE deploy_keys_projects;
DROP TABLE deploy_keys;
