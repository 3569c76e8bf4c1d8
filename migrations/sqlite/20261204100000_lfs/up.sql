-- Large files (LFS): objects by the SHA-256 of their bytes, the projects that have them, and the paths that users have locked.
CREATE TABLE lfs_objects (
    oid TEXT PRIMARY KEY NOT NULL,
    size BIGINT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    -- When the last project that had it was removed.
    unlinked_at TIMESTAMP
);
CREATE INDEX lfs_objects_unlinked ON lfs_objects (unlinked_at) WHERE unlinked_at IS NOT NULL;

-- A project has an object only by such a row.
CREATE TABLE lfs_links (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    oid TEXT NOT NULL REFERENCES lfs_objects (oid),
    size BIGINT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    PRIMARY KEY (project_id, oid)
);
CREATE INDEX lfs_links_oid ON lfs_links (oid);

CREATE TABLE lfs_locks (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    locked_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX lfs_locks_path ON lfs_locks (project_id, path);
CREATE INDEX lfs_locks_user ON lfs_locks (user_id);

-- Bytes of all LFS objects of the project. Triggers keep the sum.
ALTER TABLE repository_facts ADD COLUMN lfs_size BIGINT NOT NULL DEFAULT 0;
CREATE TRIGGER lfs_links_insert_size AFTER INSERT ON lfs_links BEGIN
    INSERT INTO repository_facts (project_id, updated_at, lfs_size) VALUES (NEW.project_id, NEW.created_at, NEW.size)
        ON CONFLICT (project_id) DO UPDATE SET lfs_size = lfs_size + excluded.lfs_size;
END;
CREATE TRIGGER lfs_links_delete_size AFTER DELETE ON lfs_links BEGIN
    UPDATE repository_facts SET lfs_size = lfs_size - OLD.size WHERE project_id = OLD.project_id;
END;
