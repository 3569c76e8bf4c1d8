//! Backups of a server that is written to, and what comes back of them.

mod by_itself;
mod coming_back;
mod faults;
mod keeping;
mod sealed;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::json;
use tenon_testkit::{Backend, Client, Multipart};

use crate::process::{Serving, database, run, text};

const PROJECT: &str = "/projects/root%2Fengine";

/// A server with a project that has a bit of everything, and a folder for its backups.
struct Site {
    folder: tempfile::TempDir,
    url: String,
    serving: Serving,
    /// The address of an uploaded file, from the server on.
    upload: String,
    _database: Option<tenon_testkit::TestDatabase>,
}

impl Site {
    fn new(backend: Backend) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        let (database, url) = database(backend, &data);
        let serving = Serving::start(&data, &url);
        let root = serving.root();
        root.post("/projects", json!({"path": "engine", "initialize_with_readme": true})).assert_status(201).json();
        commit(&root, "first");
        let form = Multipart::default().file("file", "drawing.txt", b"a drawing of the engine");
        let upload = root.multipart("POST", &format!("{PROJECT}/uploads"), &form).assert_status(201).json();
        root.post(&format!("{PROJECT}/issues"), json!({"title": "Grüße, 🦀", "labels": "bug"}))
            .assert_status(201)
            .json();
        let page = json!({"title": "home", "content": "How it runs"});
        root.post(&format!("{PROJECT}/wikis"), page).assert_status(201).json();
        let branch = json!({"branch": "topic", "ref": "main"});
        root.post(&format!("{PROJECT}/repository/branches"), branch).assert_status(201).json();
        let change = json!({"branch": "topic", "content": "x", "commit_message": "topic"});
        root.post(&format!("{PROJECT}/repository/files/topic"), change).assert_status(201).json();
        let request = json!({"source_branch": "topic", "target_branch": "main", "title": "Topic"});
        root.post(&format!("{PROJECT}/merge_requests"), request).assert_status(201).json();
        let hook =
            json!({"url": "https://hooks.example.org/hook", "token": "the secret of a hook", "push_events": false});
        root.post(&format!("{PROJECT}/hooks"), hook).assert_status(201).json();
        let upload = format!("//root/engine{}", upload.pointer("/url").unwrap().as_str().unwrap());
        Self { folder, url, serving, upload, _database: database }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    fn create(&self, more: &[&str]) -> Output {
        self.create_in(&self.store(), more)
    }

    fn create_in(&self, store: &Path, more: &[&str]) -> Output {
        let data = self.data();
        let mut arguments = vec!["backup", "create", "--to", store.to_str().unwrap(), "--data-dir"];
        arguments.extend([data.to_str().unwrap(), "--database-url", &self.url]);
        arguments.extend(more);
        run(&arguments)
    }

    /// Restores the newest backup, or what `more` says.
    fn restore(&self, data: &Path, url: Option<&str>, more: &[&str]) -> Output {
        let store = self.store();
        let mut arguments = vec!["restore", "--from", store.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
        arguments.extend(url.into_iter().flat_map(|url| ["--database-url", url]));
        arguments.extend(more);
        run(&arguments)
    }
}

fn commit(root: &Client, name: &str) -> String {
    let change = json!({"branch": "main", "content": name, "commit_message": format!("Add {name}")});
    root.post(&format!("{PROJECT}/repository/files/{name}"), change).assert_status(201).json();
    let tip = root.get(&format!("{PROJECT}/repository/branches/main")).assert_status(200).json();
    tip.pointer("/commit/id").unwrap().as_str().unwrap().to_owned()
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
fn assert_code(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{}{}", text(output), complaint(output));
}

/// Refused with this text and exit code 3.
#[track_caller]
fn assert_refused(output: &Output, part: &str) {
    assert_code(output, 3);
    assert!(complaint(output).contains(part), "{}", complaint(output));
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() { folders.push(entry.path()) } else { found.push(entry.path()) }
        }
    }
    found.sort_unstable();
    found
}

/// The content of a file, unpacked if it is packed.
fn zstd_or_plain(bytes: &[u8]) -> Vec<u8> {
    zstd::decode_all(bytes).unwrap_or_else(|_plain| bytes.to_vec())
}

/// The titles of all issues.
fn titles(root: &Client) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for page in 1.. {
        let list = root.get(&format!("{PROJECT}/issues?per_page=100&page={page}")).assert_status(200).each("title");
        found.extend(list.iter().map(|title| title.as_str().unwrap().to_owned()));
        if list.is_empty() {
            break;
        }
    }
    found
}
