-- Backups that run: while one is alive, no bytes of files and repositories are removed (crates/storage/src/backup/pin.rs).
CREATE TABLE backup_pins (
    id TEXT PRIMARY KEY NOT NULL,
    started_at TIMESTAMP NOT NULL,
    lease_until TIMESTAMP NOT NULL
);
