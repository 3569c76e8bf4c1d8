CREATE TABLE deploy_keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    -- Who has added it; nothing where that account is gone.
    user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    title TEXT NOT NULL,
    key_text TEXT NOT NULL,
    -- 32 hexadecimal digits.
    md5 TEXT NOT NULL,
    -- Base64 without padding.
    sha256 TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX deploy_keys_md5 ON deploy_keys (md5);
CREATE UNIQUE INDEX deploy_keys_sha256 ON deploy_keys (sha256);
CREATE INDEX deploy_keys_user ON deploy_keys (user_id);

CREATE TABLE deploy_keys_projects (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    deploy_key_id BIGINT NOT NULL REFERENCES deploy_keys (id) ON DELETE CASCADE,
    can_push BOOLEAN NOT NULL,
    PRIMARY KEY (project_id, deploy_key_id)
);
CREATE INDEX deploy_keys_projects_key ON deploy_keys_projects (deploy_key_id);

-- A key that opens nothing any more is of no use, whatever has removed its last project.
CREATE TRIGGER deploy_keys_projects_last AFTER DELETE ON deploy_keys_projects
BEGIN
    DELETE FROM deploy_keys
    WHERE id = OLD.deploy_key_id
        AND NOT EXISTS (SELECT 1 FROM deploy_keys_projects WHERE deploy_key_id = OLD.deploy_key_id);
END;
