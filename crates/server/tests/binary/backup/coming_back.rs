//! A backup brings everything back, on either database.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tenon_testkit::postgres::cluster;
use tenon_testkit::{Backend, Client, soon};

use super::{PROJECT, Site, assert_code, assert_refused, commit, files, titles, zstd_or_plain};
use crate::process::{Serving, TOKEN, program, run, text};

/// An LFS object, and its address, which has the SHA-256 of its bytes.
const BYTES: &[u8] = b"large bytes of one file";
const OBJECT: &str =
    "//root/engine.git/info/lfs/objects/78d8eb4c04533bb77c84628253722c8680bc384046d63662e1f7c1f1c03205a3";

/// An empty database of this kind, and its folder.
fn empty(backend: Backend, number: usize) -> Option<String> {
    match backend {
        Backend::Sqlite => None,
        Backend::Postgres => {
            let name = format!("restored_{number}_{}", std::process::id());
            cluster().unwrap().create_database(&name, Some("template0")).unwrap();
            Some(cluster().unwrap().url(&name))
        }
    }
}

/// The answers of a server that a restore must bring back.
fn seen(root: &Client) -> Vec<Value> {
    let get = |path: &str| root.get(path).assert_status(200).json();
    let mut seen = vec![
        get(&format!("{PROJECT}/issues?order_by=created_at&sort=asc&per_page=100")),
        get(&format!("{PROJECT}/merge_requests")),
        get(&format!("{PROJECT}/merge_requests/1/commits")),
        get(&format!("{PROJECT}/repository/branches")),
        get(&format!("{PROJECT}/wikis?with_content=true")),
        get(&format!("{PROJECT}/hooks")),
        get("/users"),
    ];
    // The address of a server is that of its port.
    for value in &mut seen {
        let text = value.to_string();
        *value = serde_json::from_str(&text.replace(root.base(), "")).unwrap();
    }
    seen
}

#[test]
fn what_was_acknowledged_before_a_backup_comes_back_on_either_database() {
    let available: Vec<Backend> =
        [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()).collect();
    for (number, from) in available.iter().enumerate() {
        let site = Site::new(*from);
        let (is_done, issues, tips) = (AtomicBool::new(false), Mutex::new(BTreeSet::new()), Mutex::new(Vec::new()));
        // Of each backup: the issues that there were before it began, and the newest commit.
        let mut before = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let root = site.serving.root();
                for at in 0.. {
                    if is_done.load(Ordering::Relaxed) {
                        break;
                    }
                    let title = format!("issue {at}");
                    root.post(&format!("{PROJECT}/issues"), json!({"title": &title})).assert_status(201).json();
                    issues.lock().unwrap().insert(title);
                    tips.lock().unwrap().push(commit(&root, &format!("file{at}")));
                }
            });
            for _ in 0..3 {
                let count = tips.lock().unwrap().len();
                soon("more is written", || tips.lock().unwrap().len() > count);
                before.push((issues.lock().unwrap().clone(), tips.lock().unwrap().len() - 1));
                let created = site.create(&[]);
                assert_code(&created, 0);
                assert!(text(&created).contains("secret.key, without which"), "{}", text(&created));
            }
            is_done.store(true, Ordering::Relaxed);
        });
        let listed = text(&run(&["backup", "list", "--to", site.store().to_str().unwrap()]));
        let names: Vec<&str> = listed.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(names.len(), 3, "{listed}");
        let tips = tips.into_inner().unwrap();
        for (at, (name, (issues, tip))) in names.iter().zip(&before).enumerate() {
            // The last backup goes everywhere.
            let targets = if at == 2 { available.as_slice() } else { &available[..1] };
            for to in targets {
                let data = site.folder.path().join(format!("restored-{at}-{to:?}"));
                let url = empty(*to, number * 10 + at);
                let restored = site.restore(&data, url.as_deref(), &["--backup", name]);
                assert_code(&restored, 0);
                assert!(text(&restored).contains("put the secret.key of the old server"), "{}", text(&restored));
                fs::copy(site.data().join("secret.key"), data.join("secret.key")).unwrap();
                let url = url.unwrap_or_else(|| format!("sqlite:{}", data.join("tenon.db").display()));
                let serving = Serving::start(&data, &url);
                let root = serving.root();
                let listed: BTreeSet<String> = titles(&root);
                assert!(issues.is_subset(&listed), "{from:?} to {to:?}: {issues:?} {listed:?}");
                let branch = root.get(&format!("{PROJECT}/repository/branches/main")).assert_status(200).json();
                let found = tips.iter().position(|tip| branch["commit"]["id"] == **tip);
                assert!(found.is_some_and(|found| found >= *tip), "{from:?} to {to:?}: {branch}");
                // The server works: it takes writes, and the doctor finds nothing.
                commit(&root, "after");
                root.post(&format!("{PROJECT}/issues"), json!({"title": "after"})).assert_status(201).json();
                assert_eq!(serving.terminate().code(), Some(0));
                let data = data.to_str().unwrap();
                let looked = run(&["admin", "doctor", "--data-dir", data, "--database-url", &url]);
                assert_code(&looked, 0);
            }
        }
    }
}

#[test]
fn a_backup_without_writers_brings_everything_back() {
    for (number, from) in [Backend::Sqlite, Backend::Postgres].into_iter().enumerate() {
        if !from.is_available() {
            continue;
        }
        let site = Site::new(from);
        let sent = site.serving.root().basic("root", TOKEN).send("PUT", &format!("{OBJECT}/23"), None, BYTES.to_vec());
        let _ = sent.assert_status(200);
        let was = seen(&site.serving.root());
        assert_code(&site.create(&["--with-key"]), 0);
        let clear = files(&site.store()).into_iter().any(|file| {
            let bytes = fs::read(file).unwrap();
            let bytes = zstd_or_plain(&bytes);
            String::from_utf8_lossy(&bytes).contains("the secret of a hook")
        });
        assert!(!clear, "a secret is sealed in a backup as in the database");
        let verified = run(&["backup", "verify", "--to", site.store().to_str().unwrap()]);
        assert_code(&verified, 0);
        assert!(text(&verified).contains("was restored and checked"), "{}", text(&verified));
        let listed = text(&run(&["backup", "list", "--to", site.store().to_str().unwrap()]));
        assert!(!listed.contains("never"), "{listed}");
        for to in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|to| to.is_available()) {
            let data = site.folder.path().join(format!("restored-{to:?}"));
            let url = empty(to, 100 + number);
            assert_code(&site.restore(&data, url.as_deref(), &[]), 0);
            let url = url.unwrap_or_else(|| format!("sqlite:{}", data.join("tenon.db").display()));
            let serving = Serving::start(&data, &url);
            assert_eq!(seen(&serving.root()), was, "{from:?} to {to:?}");
            assert_eq!(serving.root().get(&site.upload).bytes(), b"a drawing of the engine");
            assert_eq!(serving.root().basic("root", TOKEN).get(OBJECT).bytes(), BYTES);
        }
    }
}

#[test]
fn a_restore_that_has_failed_goes_on() {
    let site = Site::new(Backend::Sqlite);
    assert_code(&site.create(&["--with-key"]), 0);
    let first = files(&site.store().join("manifests")).remove(0);
    let first = first.file_name().unwrap().to_str().unwrap().trim_end_matches(".json.zst").to_owned();
    assert_code(&site.create(&["--with-key"]), 0);
    let data = site.folder.path().join("restored");
    let draft = site.folder.path().join("restored.restoring");
    // It stops behind repositories and files, where the database may have been written to.
    let rows = files(&site.store().join("db")).remove(0);
    let aside = site.folder.path().join("aside");
    fs::rename(&rows, &aside).unwrap();
    let this = ["--backup", first.as_str()];
    assert_code(&site.restore(&data, None, &this), 1);
    assert!(draft.join("repositories").exists() && !data.exists());
    fs::rename(&aside, &rows).unwrap();
    let journal = fs::read(draft.join("restore.json")).unwrap();
    // Neither another backup nor another database goes on there.
    assert_refused(&site.restore(&data, None, &[]), "of another backup or into another database");
    let elsewhere = format!("sqlite:{}", site.folder.path().join("elsewhere.db").display());
    assert_refused(&site.restore(&data, Some(&elsewhere), &this), "of another backup or into another database");
    assert_code(&site.restore(&data, None, &this), 0);
    assert!(!draft.exists());
    // It was killed when the folder had its name, and before its journal was gone.
    fs::write(data.join("restore.json"), journal).unwrap();
    assert_refused(&site.restore(&data, None, &[]), "is not empty");
    assert_code(&site.restore(&data, None, &this), 0);
    assert!(!data.join("restore.json").exists() && !data.join("restore.lock").exists());
    let serving = Serving::start(&data, &format!("sqlite:{}", data.join("tenon.db").display()));
    assert_eq!(seen(&serving.root()), seen(&site.serving.root()));
    drop(serving);
    // Something else is in the way.
    fs::create_dir(&draft).unwrap();
    fs::write(draft.join("letter"), "dear").unwrap();
    fs::remove_dir_all(&data).unwrap();
    assert_refused(&site.restore(&data, None, &[]), "is in the way");
}

#[test]
fn the_first_writes_of_a_command_may_be_all_that_it_did() {
    let site = Site::new(Backend::Sqlite);
    fs::create_dir_all(site.store().join("unfinished")).unwrap();
    fs::write(site.store().join("unfinished/part-left"), "x").unwrap();
    assert_code(&site.create(&["--with-key"]), 0);
    let (data, draft) = (site.folder.path().join("restored"), site.folder.path().join("restored.restoring"));
    fs::create_dir(&draft).unwrap();
    fs::write(draft.join("restore.json-left"), "{").unwrap();
    assert_code(&site.restore(&data, None, &[]), 0);
    assert!(!data.join("restore.json-left").exists());
}

#[test]
fn a_database_elsewhere_is_restored_where_it_is_named() {
    let site = Site::new(Backend::Sqlite);
    assert_code(&site.create(&["--with-key"]), 0);
    for (number, place) in ["restored-0/db/tenon.db", "elsewhere/tenon.db"].into_iter().enumerate() {
        let data = site.folder.path().join(format!("restored-{number}"));
        let url = format!("sqlite:{}", site.folder.path().join(place).display());
        assert_code(&site.restore(&data, Some(&url), &[]), 0);
        assert!(site.folder.path().join(place).exists());
        assert_eq!(Serving::start(&data, &url).root().get(PROJECT).status(), 200);
    }
}

#[test]
fn refs_are_those_of_the_repository_or_those_of_the_database() {
    let site = Site::new(Backend::Sqlite);
    let root = site.serving.root();
    let first = commit(&root, "second");
    let last = commit(&root, "third");
    // As after a push that has moved the repository and not yet the database.
    let repository = site.data().join("repositories/001/1.git");
    let [main, late] = ["refs/heads/main", "refs/tags/late"].map(|name| repository.join(name));
    fs::create_dir_all(late.parent().unwrap()).unwrap();
    fs::write(&main, format!("{first}\n")).unwrap();
    fs::write(&late, format!("{first}\n")).unwrap();
    assert_code(&site.create(&["--with-key"]), 0);
    for (number, (flags, tip, has_tag)) in
        [(&[][..], &first, true), (&["--refs", "database"], &last, false)].into_iter().enumerate()
    {
        let data = site.folder.path().join(format!("restored-{number}"));
        assert_code(&site.restore(&data, None, flags), 0);
        let refs = fs::read_to_string(data.join("repositories/001/1.git/packed-refs")).unwrap();
        assert!(refs.contains(&format!("{tip} refs/heads/main\n")), "{refs}");
        assert_eq!(refs.contains("refs/tags/late"), has_tag, "{refs}");
        assert!(refs.contains("refs/merge-requests/1/"), "{refs}");
        let serving = Serving::start(&data, &format!("sqlite:{}", data.join("tenon.db").display()));
        let branch = serving.root().get(&format!("{PROJECT}/repository/branches/main")).assert_status(200).json();
        assert_eq!(branch.pointer("/commit/id").unwrap(), tip);
        assert_eq!(serving.terminate().code(), Some(0));
    }
}

#[test]
fn the_packs_of_a_backup_are_those_of_git() {
    let site = Site::new(Backend::Sqlite);
    let root = site.serving.root();
    assert_code(&site.create(&[]), 0);
    let tip = commit(&root, "second");
    assert_code(&site.create(&[]), 0);
    let bare = site.folder.path().join("it.git");
    #[expect(clippy::disallowed_methods, reason = "what a backup has is read without tenon")]
    let git = |arguments: &[&str], input: Option<&Path>| {
        let mut command = Command::new(program("git"));
        command.args(arguments);
        if let Some(input) = input {
            command.stdin(File::open(input).unwrap());
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let at = format!("--git-dir={}", bare.display());
    git(&["init", "--quiet", "--bare", bare.to_str().unwrap()], None);
    let all = files(&site.store().join("git/1"));
    let packs: Vec<&PathBuf> = all.iter().filter(|file| file.extension().is_some_and(|it| it == "pack")).collect();
    assert_eq!(packs.len(), 2, "{all:?}");
    for pack in packs {
        git(&[&at, "index-pack", "--stdin", "--fix-thin"], Some(pack));
    }
    assert_eq!(git(&[&at, "cat-file", "-t", &tip], None).trim(), "commit");
}

#[test]
fn a_copy_that_is_disarmed_calls_nobody() {
    let site = Site::new(Backend::Sqlite);
    assert_code(&site.create(&[]), 0);
    let data = site.folder.path().join("copy");
    assert_code(&site.restore(&data, None, &["--disarm"]), 0);
    let serving = Serving::start(&data, &format!("sqlite:{}", data.join("tenon.db").display()));
    let root = serving.root();
    let hook = root.get(&format!("{PROJECT}/hooks")).assert_status(200).json()[0].clone();
    assert_eq!(hook["alert_status"], "disabled");
    let messages = root.get("/broadcast_messages").assert_status(200).json();
    assert!(messages[0]["message"].as_str().unwrap().contains("This is a copy of a server"), "{messages}");
}
