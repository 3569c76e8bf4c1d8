ALTER TABLE merge_request_versions DROP COLUMN patch_id_sha;
ALTER TABLE namespaces DROP COLUMN two_factor_grace_period;
ALTER TABLE namespaces DROP COLUMN require_two_factor_authentication;
ALTER TABLE namespaces DROP COLUMN subgroup_creation_level;
ALTER TABLE namespaces DROP COLUMN project_creation_level;
DROP TABLE user_details;
