-- Messages of administrators to all users. The access levels are numbers, separated by commas.
CREATE TABLE broadcast_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    message TEXT NOT NULL,
    starts_at TIMESTAMP NOT NULL,
    ends_at TIMESTAMP NOT NULL,
    color TEXT NOT NULL,
    font TEXT NOT NULL,
    target_access_levels TEXT NOT NULL,
    target_path TEXT NOT NULL,
    broadcast_type TEXT NOT NULL CHECK (broadcast_type IN ('banner', 'notification')),
    dismissable BOOLEAN NOT NULL,
    theme TEXT NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE INDEX broadcast_messages_end ON broadcast_messages (ends_at);

-- Every page shows them: they are kept in memory by the revision of access, and another one is drawn when they change.
CREATE TRIGGER broadcast_messages_insert_changes_access AFTER INSERT ON broadcast_messages
BEGIN
    UPDATE access_revision SET value = random();
END;
CREATE TRIGGER broadcast_messages_update_changes_access AFTER UPDATE ON broadcast_messages
BEGIN
    UPDATE access_revision SET value = random();
END;
CREATE TRIGGER broadcast_messages_delete_changes_access AFTER DELETE ON broadcast_messages
BEGIN
    UPDATE access_revision SET value = random();
END;
