DROP TABLE deploy_tokens;
