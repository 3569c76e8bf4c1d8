//! The real client of Git against the real binary.

mod access;
mod activities;
mod bounds;
pub(crate) mod cut_off;
mod doctor;
mod durability;
mod entry;
mod fairness;
mod full_disk;
mod kills;
mod large;
mod lfs;
mod merging;
mod new_project;
mod push_messages;
mod quota;
mod races;
mod releases;
mod rules;
mod submodules;
mod transfer;
mod wiki;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;
use tenon_testkit::{Backend, Client};

use crate::process::{Serving, TOKEN, database, program};

/// A server with a project, and a folder for clones.
pub(crate) struct Site {
    pub(crate) serving: Serving,
    pub(crate) root: Client,
    pub(crate) folder: TempDir,
    pub(crate) url: String,
    _database: Option<tenon_testkit::TestDatabase>,
}

/// The outcome of a command of Git.
pub(crate) struct Outcome {
    pub(crate) success: bool,
    pub(crate) text: String,
}

impl Outcome {
    /// It succeeded.
    #[track_caller]
    pub(crate) fn well(self) -> String {
        assert!(self.success, "{}", self.text);
        self.text
    }

    /// It was refused, with this text.
    #[track_caller]
    pub(crate) fn refused(self, text: &str) {
        assert!(!self.success, "{}", self.text);
        assert!(self.text.contains(text), "{text:?} is not in: {}", self.text);
    }
}

impl Site {
    pub(crate) fn start(backend: Backend) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        std::fs::create_dir(&data).unwrap();
        let (database, url) = database(backend, &data);
        Self::on(folder, database, Serving::start(&data, &url), url)
    }

    /// As [`Site::start`], with a configuration file of this content.
    pub(crate) fn start_with(backend: Backend, configuration: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (data, file) = (folder.path().join("data"), folder.path().join("tenon.toml"));
        std::fs::create_dir(&data).unwrap();
        std::fs::write(&file, configuration).unwrap();
        let (database, url) = database(backend, &data);
        let serving = Serving::start_with(&data, &url, &["--config", file.to_str().unwrap()]);
        Self::on(folder, database, serving, url)
    }

    fn on(folder: TempDir, database: Option<tenon_testkit::TestDatabase>, serving: Serving, url: String) -> Self {
        let root = serving.root();
        Self { serving, root, folder, url, _database: database }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A project of the administrator's.
    pub(crate) fn project(&self, path: &str, visibility: &str) -> Value {
        self.root.post("/projects", json!({"path": path, "visibility": visibility})).assert_status(201).json()
    }

    /// An account, and a token of it with the scope `api`.
    pub(crate) fn user(&self, name: &str) -> (Value, String) {
        let body = json!({"username": name, "name": name, "email": format!("{name}@example.org"),
            "password": "a long enough password", "skip_confirmation": true});
        let user = self.root.post("/users", body).assert_status(201).json();
        let path = format!("/users/{}/impersonation_tokens", user.get("id").unwrap());
        let token = self.root.post(&path, json!({"name": "t", "scopes": ["api"]})).assert_status(201).json();
        let secret = token.get("token").and_then(Value::as_str).unwrap().to_owned();
        (user, secret)
    }

    /// Makes a user a member of the project `root/{project}`.
    pub(crate) fn member(&self, project: &str, user: &Value, level: i64) {
        let body = json!({"user_id": user["id"], "access_level": level});
        self.root.post(&format!("/projects/root%2F{project}/members"), body).assert_status(201).json();
    }

    /// The address of a project's repository, for the holder of a token.
    pub(crate) fn address(&self, project: &str, token: Option<&str>) -> String {
        let host = self.root.base().strip_prefix("http://").unwrap().to_owned();
        match token {
            Some(token) => format!("http://user:{token}@{host}/root/{project}.git"),
            None => format!("http://{host}/root/{project}.git"),
        }
    }

    /// The administrator's address of a project's repository.
    pub(crate) fn mine(&self, project: &str) -> String {
        self.address(project, Some(TOKEN))
    }

    /// A new working copy with one commit on `branch`.
    pub(crate) fn working_copy(&self, name: &str, branch: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir(&path).unwrap();
        git(&path, &["init", "--quiet", "--initial-branch", branch]).well();
        commit(&path, "README.md", b"# Hello\n", "first");
        path
    }
}

/// Runs Git in a folder, with nothing of the machine's own configuration.
#[expect(clippy::disallowed_methods, reason = "the real client is what is tested with")]
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program("git"));
    command
        .current_dir(folder)
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_CONFIG_COUNT", "2")
        // After each commit Git would look whether there is something to tidy up.
        .env("GIT_CONFIG_KEY_0", "maintenance.auto")
        .env("GIT_CONFIG_VALUE_0", "false")
        // Large contents of these tests cannot be compressed.
        .env("GIT_CONFIG_KEY_1", "core.compression")
        .env("GIT_CONFIG_VALUE_1", "0")
        .env("GIT_AUTHOR_NAME", "Ada")
        .env("GIT_AUTHOR_EMAIL", "ada@example.org")
        .env("GIT_COMMITTER_NAME", "Ada")
        .env("GIT_COMMITTER_EMAIL", "ada@example.org");
    command
}

/// The outcome of Git with these arguments.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> Outcome {
    let Output { status, stdout, stderr } = command(folder, arguments).output().expect("git");
    let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    Outcome { success: status.success(), text }
}

/// Commits one file.
pub(crate) fn commit(folder: &Path, file: &str, content: &[u8], message: &str) {
    std::fs::write(folder.join(file), content).unwrap();
    git(folder, &["add", "--all"]).well();
    git(folder, &["commit", "--quiet", "--message", message]).well();
}

/// The bytes at these places of a sequence without a pattern that could be compressed, the same at every call.
pub(crate) fn noise(places: Range<u64>) -> Vec<u8> {
    let mixed = |number: u64| (number ^ (number >> 29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    // Eight at once: tests ask for many megabytes.
    let mut bytes = Vec::new();
    for number in places.start / 8..places.end.div_ceil(8) {
        bytes.extend_from_slice(&mixed(mixed(number)).to_be_bytes());
    }
    let start = usize::try_from(places.start % 8).unwrap();
    bytes.drain(..start);
    bytes.truncate(usize::try_from(places.end - places.start).unwrap());
    bytes
}

/// The databases that are available.
pub(crate) fn backends() -> impl Iterator<Item = Backend> {
    [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available())
}
