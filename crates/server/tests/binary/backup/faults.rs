//! Places, parts and manifests that are not as they should be.

use std::fs::{self, File};
use std::path::PathBuf;

use serde_json::Value;
use tenon_testkit::Backend;

use super::{PROJECT, Site, assert_code, assert_refused, commit, complaint, files, titles, zstd_or_plain};
use crate::process::{Serving, run};

#[test]
fn places_that_are_not_fit_are_refused() {
    let site = Site::new(Backend::Sqlite);
    let inside = site.data().join("store");
    assert_refused(&site.create_in(&inside, &[]), "lies in the data folder");
    let full = site.folder.path().join("full");
    fs::create_dir(&full).unwrap();
    fs::write(full.join("letter"), "dear").unwrap();
    assert_refused(&site.create_in(&full, &[]), "is not empty and is no folder of backups");
    let link = site.folder.path().join("link");
    std::os::unix::fs::symlink(&full, &link).unwrap();
    assert_refused(&site.create_in(&link, &[]), "is a link");
    assert_refused(&site.restore(&site.folder.path().join("new"), None, &[]), "is no folder of backups");
    assert_code(&site.create(&[]), 0);
    // Another command writes.
    let lock = File::options().write(true).open(site.store().join("lock")).unwrap();
    lock.lock().unwrap();
    assert_refused(&site.create(&[]), "another command writes");
    assert_refused(&run(&["backup", "prune", "--to", site.store().to_str().unwrap()]), "another command writes");
    drop(lock);
    // Another server.
    let other = Site::new(Backend::Sqlite);
    assert_refused(&other.create_in(&site.store(), &[]), "has the backups of another server");
    let nobody = site.folder.path().join("nobody");
    let output = run(&["backup", "create", "--to", "/nowhere", "--data-dir", nobody.to_str().unwrap()]);
    assert_code(&output, 1);
    assert!(complaint(&output).contains("is --data-dir the data folder of a server that has run?"));
    assert!(!nobody.exists());
    // Targets that are not empty.
    assert_refused(&site.restore(&full, None, &[]), "is not empty");
    let new = site.folder.path().join("new");
    assert_refused(&site.restore(&new, Some(&site.url), &[]), "name a database without tables");
    assert_refused(&site.restore(&new, None, &["--at", "2020-01-01T00:00:00Z"]), "no backup of 2020-01-01");
    assert_refused(&site.restore(&new, None, &["--backup", "x"]), "no backup x");
    // A newer format.
    let head = site.store().join("tenon-backup.json");
    let text = fs::read_to_string(&head).unwrap();
    fs::write(&head, text.replace("\"format\": 1", "\"format\": 2")).unwrap();
    assert_refused(&site.restore(&new, None, &[]), "use a newer version of tenon");
}

#[test]
fn a_damaged_part_is_named_and_nothing_is_restored_until_it_is_back() {
    let site = Site::new(Backend::Sqlite);
    assert_code(&site.create(&["--with-key"]), 0);
    let (data, draft) = (site.folder.path().join("restored"), site.folder.path().join("restored.restoring"));
    let verify = || run(&["backup", "verify", "--to", site.store().to_str().unwrap()]);
    let parts: Vec<PathBuf> = files(&site.store())
        .into_iter()
        .filter(|file| {
            ["db", "git", "files", "key", "manifests"].iter().any(|it| file.starts_with(site.store().join(it)))
        })
        .collect();
    assert!(parts.len() >= 6, "{parts:?}");
    for part in &parts {
        let bytes = fs::read(part).unwrap();
        let mut swapped = bytes.clone();
        let middle = swapped.len() / 2;
        swapped[middle] ^= 1;
        for damaged in [Some(swapped), Some(bytes[..bytes.len() - 1].to_vec()), None] {
            match &damaged {
                Some(bytes) => fs::write(part, bytes).unwrap(),
                None => fs::remove_file(part).unwrap(),
            }
            let is_gone = damaged.is_none() && part.starts_with(site.store().join("manifests"));
            for output in [site.restore(&data, None, &[]), verify()] {
                // Without its manifest there is no backup.
                assert_code(&output, if is_gone { 3 } else { 1 });
                let name = part.file_name().unwrap().to_str().unwrap();
                let complaint = complaint(&output);
                assert!(is_gone || complaint.contains(name), "{name}: {complaint}");
            }
            assert!(!data.exists(), "{}", part.display());
            // Parts that were restored before the damaged one are not read again.
            let _ = fs::remove_dir_all(&draft);
        }
        fs::write(part, bytes).unwrap();
    }
    assert_code(&verify(), 0);
    // A repository that an earlier try has restored is used.
    assert_code(&site.restore(&data, None, &[]), 0);
    let serving = Serving::start(&data, &format!("sqlite:{}", data.join("tenon.db").display()));
    assert_eq!(serving.root().get(PROJECT).status(), 200);
}

#[test]
fn a_manifest_of_a_stranger_leads_nowhere() {
    let site = Site::new(Backend::Sqlite);
    assert_code(&site.create(&[]), 0);
    let manifest = files(&site.store().join("manifests")).remove(0);
    let text = String::from_utf8(zstd_or_plain(&fs::read(&manifest).unwrap())).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let secret = site.folder.path().join("secret");
    fs::write(&secret, "of the machine").unwrap();
    for path in ["../secret", "/etc/passwd", "db/../../secret", "db//x", "./x", "", "db/\u{0}x", ".hidden/x"] {
        let mut value = value.clone();
        value["rows"]["path"] = path.into();
        fs::write(&manifest, zstd::encode_all(&*value.to_string().into_bytes(), 1).unwrap()).unwrap();
        let output = site.restore(&site.folder.path().join("new"), None, &[]);
        assert_code(&output, 1);
        assert!(complaint(&output).contains("outside of the folder"), "{path}: {}", complaint(&output));
    }
    // No manifest at all.
    for text in ["[]", "{}", "null", "x"] {
        fs::write(&manifest, zstd::encode_all(text.as_bytes(), 1).unwrap()).unwrap();
        assert_code(&site.restore(&site.folder.path().join("new"), None, &[]), 1);
    }
    // A table that the server has not, one that a backup does not have, and rows behind the last table.
    let wrong = [
        ("sqlite_master", "not that of the migration"),
        ("sessions", "not that of the migration"),
        ("", "behind the last"),
    ];
    for (name, why) in wrong {
        let rows = site.store().join(value["rows"]["path"].as_str().unwrap());
        let table = format!("{{\"name\":\"{name}\",\"columns\":[],\"key\":[]}}");
        let (said, begun) = if name.is_empty() { ("", "users") } else { (table.as_str(), name) };
        let text = format!("{{\"tables\":[{said}]}}\n{{\"table\":\"{begun}\"}}\n[1]\n");
        let bytes = zstd::encode_all(text.as_bytes(), 1).unwrap();
        fs::write(&rows, &bytes).unwrap();
        let mut value = value.clone();
        value["rows"]["size"] = bytes.len().into();
        value["rows"]["sha256"] = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(&bytes)).into();
        fs::write(&manifest, zstd::encode_all(&*value.to_string().into_bytes(), 1).unwrap()).unwrap();
        let output = site.restore(&site.folder.path().join("other"), None, &[]);
        assert_code(&output, 1);
        assert!(complaint(&output).contains(why), "{}", complaint(&output));
    }
}

#[test]
fn what_is_missing_at_the_source_is_named_and_the_rest_is_backed_up() {
    let site = Site::new(Backend::Sqlite);
    let upload = files(&site.data().join("objects")).remove(0);
    fs::remove_file(&upload).unwrap();
    let created = site.create(&[]);
    assert_code(&created, 2);
    assert!(complaint(&created).contains("a row names it, and it is missing"), "{}", complaint(&created));
    let data = site.folder.path().join("restored");
    assert_code(&site.restore(&data, None, &[]), 0);
    let serving = Serving::start(&data, &format!("sqlite:{}", data.join("tenon.db").display()));
    assert_eq!(titles(&serving.root()).len(), 1);
}

#[test]
fn a_repository_that_is_missing_at_the_source_is_named_and_its_last_backup_is_kept() {
    let site = Site::new(Backend::Sqlite);
    assert_code(&site.create(&[]), 0);
    let repository = site.data().join("repositories/001/1.git");
    fs::rename(&repository, site.folder.path().join("1.git")).unwrap();
    let created = site.create(&[]);
    assert_code(&created, 2);
    assert!(complaint(&created).contains("project 1: the repository"), "{}", complaint(&created));
    let data = site.folder.path().join("restored");
    assert_code(&site.restore(&data, None, &[]), 0);
    let serving = Serving::start(&data, &format!("sqlite:{}", data.join("tenon.db").display()));
    assert_eq!(serving.root().get(&format!("{PROJECT}/repository/branches/main")).status(), 200);
}

#[test]
fn a_repository_whose_last_backup_is_damaged_is_packed_anew() {
    let site = Site::new(Backend::Sqlite);
    assert_code(&site.create(&[]), 0);
    let refs = files(&site.store().join("git")).into_iter().find(|file| file.extension().is_none()).unwrap();
    let mut bytes = fs::read(&refs).unwrap();
    bytes[10] ^= 1;
    fs::write(&refs, bytes).unwrap();
    commit(&site.serving.root(), "second");
    assert_code(&site.create(&[]), 0);
    assert_code(&site.restore(&site.folder.path().join("restored"), None, &[]), 0);
}

#[test]
fn damaged_parts_are_left_out_if_that_is_asked_for() {
    let site = Site::new(Backend::Sqlite);
    assert_code(&site.create(&["--with-key"]), 0);
    for folder in ["git", "files"] {
        fs::write(files(&site.store().join(folder)).remove(0), "x").unwrap();
    }
    let data = site.folder.path().join("restored");
    assert_code(&site.restore(&data, None, &[]), 1);
    let restored = site.restore(&data, None, &["--skip-damaged"]);
    assert_code(&restored, 2);
    let complaint = complaint(&restored);
    assert!(complaint.contains("left out: repository of project 1") && complaint.contains("left out: file uploads/"));
    let serving = Serving::start(&data, &format!("sqlite:{}", data.join("tenon.db").display()));
    assert_eq!(titles(&serving.root()).len(), 1);
}

#[test]
fn a_manifest_that_cannot_be_read_stops_only_what_removes_files() {
    let site = Site::new(Backend::Sqlite);
    assert_code(&site.create(&[]), 0);
    fs::write(files(&site.store().join("manifests")).remove(0), "x").unwrap();
    let created = site.create(&[]);
    assert_code(&created, 2);
    assert!(complaint(&created).contains("an earlier backup cannot be read"), "{}", complaint(&created));
    let store = site.store();
    let store = store.to_str().unwrap();
    assert_code(&run(&["backup", "list", "--to", store]), 2);
    assert_refused(&run(&["backup", "prune", "--to", store]), "remove that file if the backup is lost");
    assert_code(&site.restore(&site.folder.path().join("restored"), None, &[]), 0);
}

#[test]
fn the_configuration_of_git_stays_that_of_the_server() {
    let site = Site::new(Backend::Sqlite);
    let of_git = || {
        let of = |file: PathBuf| (file.clone(), fs::symlink_metadata(&file).unwrap().modified().unwrap());
        files(&site.data().join("git")).into_iter().map(of).collect::<Vec<_>>()
    };
    let before = of_git();
    assert!(before.len() > 2, "{before:?}");
    assert_code(&site.create(&[]), 0);
    assert_eq!(of_git(), before);
    let mounted = site.folder.path().join("link");
    std::os::unix::fs::symlink(site.folder.path(), &mounted).unwrap();
    assert_refused(&site.restore(&mounted, None, &[]), "is a link");
    let missing = format!("sqlite:{}", site.folder.path().join("missing.db").display());
    let data = site.data();
    let arguments = ["backup", "create", "--to", "/nowhere", "--data-dir", data.to_str().unwrap(), "--database-url"];
    assert_refused(&run(&[arguments.as_slice(), &[&missing]].concat()), "name the database of the server");
}
