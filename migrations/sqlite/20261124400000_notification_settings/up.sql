-- About what users want mail: in general (neither a group nor a project), for a group, or for a project.
CREATE TABLE notification_settings (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    namespace_id BIGINT REFERENCES namespaces (id) ON DELETE CASCADE,
    project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
    level TEXT NOT NULL CHECK (level IN ('disabled', 'participating', 'watch', 'global', 'mention', 'custom')),
    -- One bit for each event of the level custom.
    events BIGINT NOT NULL,
    -- Where mail goes, if not to the primary address.
    email TEXT CHECK (email IS NULL OR (namespace_id IS NULL AND project_id IS NULL)),
    updated_at TIMESTAMP NOT NULL,
    CHECK (namespace_id IS NULL OR project_id IS NULL)
);
CREATE UNIQUE INDEX notification_settings_global ON notification_settings (user_id)
    WHERE namespace_id IS NULL AND project_id IS NULL;
CREATE UNIQUE INDEX notification_settings_group ON notification_settings (namespace_id, user_id)
    WHERE namespace_id IS NOT NULL;
CREATE UNIQUE INDEX notification_settings_project ON notification_settings (project_id, user_id)
    WHERE project_id IS NOT NULL;
CREATE INDEX notification_settings_user ON notification_settings (user_id);
