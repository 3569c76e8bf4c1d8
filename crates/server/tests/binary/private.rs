//! The permissions of the files of the server.

use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde_json::json;
use tenon_testkit::{Backend, Multipart};

use crate::process::{Serving, database, run};

/// Everything below a folder, and the folder.
fn all_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.symlink_metadata().unwrap().is_dir() {
            found.extend(all_in(&path));
        } else {
            found.push(path);
        }
    }
    found
}

#[test]
fn nothing_in_the_data_folder_can_be_read_by_other_accounts() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (_database, url) = database(Backend::Sqlite, &data);
    let serving = Serving::start(&data, &url);
    let root = serving.root();
    let project = root.post("/projects", json!({"name": "Tool"})).assert_status(201).json()["id"].clone();
    let file = json!({"branch": "main", "content": "x", "commit_message": "first"});
    let _ = root.post(&format!("/projects/{project}/repository/files/a.txt"), file).assert_status(201);
    let form = Multipart::default().file("file", "a.txt", b"x");
    let _ = root.multipart("POST", &format!("/projects/{project}/uploads"), &form).assert_status(201);
    let _ = root.get(&format!("/projects/{project}/repository/archive.tar.gz")).assert_status(200);

    let all = all_in(&data);
    let named = |name: &str| all.iter().any(|path| path.to_string_lossy().contains(name));
    for name in ["tenon.db", "tenon.db-wal", "secret.key", "objects/uploads", ".git/HEAD", ".git/objects"] {
        assert!(named(name), "{name}: {all:?}");
    }
    assert!(all.iter().any(|path| path.symlink_metadata().unwrap().file_type().is_socket()), "{all:?}");
    for path in all {
        let found = path.symlink_metadata().unwrap();
        assert!(found.is_symlink() || found.mode().trailing_zeros() >= 6, "{:o} {}", found.mode(), path.display());
    }
    assert_eq!(data.metadata().unwrap().mode() & 0o7777, 0o700);
}

#[test]
fn the_command_line_makes_private_files_too() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    assert!(run(&["--data-dir", data.to_str().unwrap(), "migrate"]).status.success());
    for path in all_in(&data) {
        assert_eq!(path.metadata().unwrap().mode() & 0o077, 0, "{}", path.display());
    }
}

#[test]
fn a_database_outside_the_data_folder_is_private_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let (data, elsewhere) = (folder.path().join("data"), folder.path().join("elsewhere"));
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::set_permissions(&elsewhere, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mode = |name: &str| elsewhere.join(name).metadata().unwrap().mode() & 0o7777;
    // A new file, and one that an earlier version or a restored backup has left open, with the files of SQLite beside
    // it.
    for name in ["new.db", "old.db"] {
        let file = elsewhere.join(name);
        let url = format!("sqlite:{}", file.display());
        if name == "old.db" {
            std::fs::copy(elsewhere.join("new.db"), &file).unwrap();
            for beside in ["old.db", "old.db-wal", "old.db-shm"] {
                let path = elsewhere.join(beside);
                std::fs::OpenOptions::new().append(true).create(true).open(&path).unwrap();
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
            }
        }
        let serving = Serving::start(&data, &url);
        let _ = serving.root().get("/user").assert_status(200);
        for beside in ["", "-wal", "-shm"] {
            assert_eq!(mode(&format!("{name}{beside}")), 0o600, "{name}{beside}");
        }
        assert!(serving.terminate().success());
    }
    assert_eq!(elsewhere.metadata().unwrap().mode() & 0o7777, 0o755, "a folder that is not the server's own");
}
