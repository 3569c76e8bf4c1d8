//! Encrypted backups.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::json;
use tenon_testkit::{Backend, Multipart};

use super::{PROJECT, Site, assert_code, assert_refused, commit, complaint, files, titles};
use crate::process::{Serving, run, text};

/// A new key in the folder of a site.
fn key(site: &Site, name: &str) -> String {
    let file = site.folder.path().join(name).to_str().unwrap().to_owned();
    assert_code(&run(&["backup", "keygen", &file]), 0);
    file
}

fn on_store(site: &Site, command: &str, more: &[&str]) -> Output {
    let store = site.store();
    let mut arguments = vec!["backup", command, "--to", store.to_str().unwrap()];
    arguments.extend(more);
    run(&arguments)
}

fn start(data: &Path) -> Serving {
    Serving::start(data, &format!("sqlite:{}", data.join("tenon.db").display()))
}

/// The files of backups, without the head and the lock.
fn sealed(site: &Site) -> Vec<PathBuf> {
    let named = |file: &PathBuf| file.file_name().is_some_and(|name| name != "tenon-backup.json" && name != "lock");
    files(&site.store()).into_iter().filter(named).collect()
}

#[test]
fn an_encrypted_backup_comes_back_with_its_key_only() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let site = Site::new(backend);
        let (key, other) = (key(&site, "key"), key(&site, "other"));
        assert_code(&site.create(&["--key-file", &key]), 0);
        let root = site.serving.root();
        root.post(&format!("{PROJECT}/issues"), json!({"title": "the second secret plan"})).assert_status(201).json();
        commit(&root, "second");
        // The bytes of a file that the first backup has, under another name.
        let form = Multipart::default().file("file", "again.txt", b"a drawing of the engine");
        let _ = root.multipart("POST", &format!("{PROJECT}/uploads"), &form).assert_status(201);
        assert_code(&site.create(&["--key-file", &key]), 0);
        let verified = on_store(&site, "verify", &["--key-file", &key]);
        assert_code(&verified, 0);
        let listed = on_store(&site, "list", &["--key-file", &key, "--json"]);
        assert_eq!(text(&listed).lines().count(), 2, "{}", text(&listed));

        for file in sealed(&site) {
            let bytes = fs::read(&file).unwrap();
            assert!(bytes.starts_with(b"age-encryption.org/v1\n"), "{}", file.display());
        }
        let data = site.folder.path().join("restored");
        assert_refused(&site.restore(&data, None, &[]), "is encrypted: name the file of its key");
        assert_refused(&site.restore(&data, None, &["--key-file", &other]), "is encrypted by another key");
        assert_refused(&site.create(&["--key-file", &other]), "is encrypted by another key");
        assert_refused(&on_store(&site, "prune", &[]), "is encrypted");
        assert_code(&on_store(&site, "prune", &["--key-file", &key, "--dry-run"]), 0);
        assert_code(&site.restore(&data, None, &["--key-file", &key]), 0);
        // The keys of the server are in it.
        let restored = start(&data);
        assert_eq!(fs::read(data.join("secret.key")).unwrap(), fs::read(site.data().join("secret.key")).unwrap());
        assert!(titles(&restored.root()).contains("the second secret plan"));
        assert_eq!(restored.root().get(&format!("{PROJECT}/repository/files/second/raw?ref=main")).text(), "second");
        assert_eq!(restored.root().get(&site.upload).text(), "a drawing of the engine");
        assert!(!data.join("restore.packs").exists());
        // So is the first backup, which the second one has left as it was.
        let first = text(&listed).lines().next().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let first = first.unwrap()["backup"].as_str().unwrap().to_owned();
        let data = site.folder.path().join("first");
        assert_code(&site.restore(&data, None, &["--key-file", &key, "--backup", &first]), 0);
        assert!(!titles(&start(&data).root()).contains("the second secret plan"));
    }
}

#[test]
fn a_changed_byte_of_an_encrypted_backup_is_found() {
    let site = Site::new(Backend::Sqlite);
    let key = key(&site, "key");
    assert_code(&site.create(&["--key-file", &key]), 0);
    let data = site.folder.path().join("restored");
    for part in sealed(&site) {
        let bytes = fs::read(&part).unwrap();
        let mut swapped = bytes.clone();
        *swapped.last_mut().unwrap() ^= 1;
        let name = part.file_name().unwrap().to_str().unwrap();
        for damaged in [swapped, bytes[..bytes.len() - 1].to_vec(), b"age-encryption.org/v1\n".to_vec()] {
            fs::write(&part, damaged).unwrap();
            let output = site.restore(&data, None, &["--key-file", &key]);
            assert_code(&output, 1);
            assert!(complaint(&output).contains(name), "{name}: {}", complaint(&output));
            let _ = fs::remove_dir_all(site.folder.path().join("restored.restoring"));
        }
        fs::write(&part, bytes).unwrap();
    }
    assert_code(&site.restore(&data, None, &["--key-file", &key]), 0);
}

#[test]
fn a_file_that_is_no_key_is_refused() {
    let site = Site::new(Backend::Sqlite);
    let file = key(&site, "key");
    let taken = run(&["backup", "keygen", &file]);
    assert_code(&taken, 1);
    let text = fs::read_to_string(&file).unwrap();
    let create = || site.create(&["--key-file", &file]);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    assert_refused(&create(), "chmod 600");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    for wrong in ["", "# a comment\n", &text.repeat(2), "-----BEGIN OPENSSH PRIVATE KEY-----\n"] {
        fs::write(&file, wrong).unwrap();
        assert_refused(&create(), "has not exactly one key");
    }
    fs::write(&file, text.trim_end().strip_suffix(|_: char| true).unwrap()).unwrap();
    assert_refused(&create(), "is cut or mistyped");
    // The key stays out of complaints.
    assert!(!complaint(&create()).contains("AGE-SECRET"));
    fs::write(&file, text).unwrap();
    // A folder is encrypted or not from its first backup on.
    assert_code(&site.create(&[]), 0);
    assert_refused(&create(), "is not encrypted");
}
