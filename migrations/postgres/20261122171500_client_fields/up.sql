-- What is shown of a user only on a page of their own. No row until something is said.
CREATE TABLE user_details (
    user_id BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    job_title TEXT NOT NULL,
    pronouns TEXT
);
ALTER TABLE namespaces ADD COLUMN project_creation_level TEXT NOT NULL DEFAULT 'maintainer';
ALTER TABLE namespaces ADD COLUMN subgroup_creation_level TEXT NOT NULL DEFAULT 'owner';
ALTER TABLE namespaces ADD COLUMN require_two_factor_authentication BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE namespaces ADD COLUMN two_factor_grace_period BIGINT NOT NULL DEFAULT 48;
-- NULL where there is no patch, or one that is too large.
ALTER TABLE merge_request_versions ADD COLUMN patch_id_sha TEXT;
