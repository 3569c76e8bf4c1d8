//! Git over SSH: the clients of OpenSSH and Git against the real binary.

mod access;
mod archive;
mod bounds;
mod commands;
mod deploy_keys;
mod lfs;
mod protocol;
mod shallow;
mod transfer;
mod ugly;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tenon_testkit::Backend;

use crate::git::{Outcome, Site, command};
use crate::process::program;

/// A server with a project `root/p`, and a key of the administrator's.
struct SshSite {
    site: Site,
    /// The key of the administrator.
    key: Key,
}

/// A key of a client.
struct Key {
    /// The file of its private half.
    file: PathBuf,
    /// The line that is given to the server.
    public: String,
}

impl Key {
    /// Makes one of that type (`ed25519`, `rsa`).
    #[expect(clippy::disallowed_methods, reason = "the real client is what is tested with")]
    fn make(folder: &Path, name: &str, kind: &str) -> Self {
        let file = folder.join(format!("key-{name}"));
        let made = Command::new("ssh-keygen").args(["-q", "-N", "", "-C", name, "-t", kind, "-f"]).arg(&file).output();
        assert!(made.expect("ssh-keygen").status.success());
        let public = std::fs::read_to_string(file.with_extension("pub")).unwrap();
        Self { file, public }
    }
}

impl SshSite {
    fn start(backend: Backend) -> Self {
        Self::on(Site::start(backend))
    }

    /// As [`SshSite::start`], with a configuration file of this content.
    fn start_with(backend: Backend, configuration: &str) -> Self {
        Self::on(Site::start_with(backend, configuration))
    }

    fn on(site: Site) -> Self {
        let key = Key::make(site.folder.path(), "root", "ed25519");
        site.root.post("/user/keys", json!({"title": "t", "key": key.public})).assert_status(201).json();
        site.project("p", "private");
        Self { site, key }
    }

    fn folder(&self) -> &Path {
        self.site.folder.path()
    }

    /// The host and the port that it serves.
    fn address(&self) -> (String, String) {
        let greeting = self.site.serving.greeting();
        let line = greeting.lines().find_map(|line| line.strip_prefix("  Git (SSH)   ")).expect("an address");
        let (host, port) = line.split(',').next().unwrap().rsplit_once(':').unwrap();
        (host.to_owned(), port.to_owned())
    }

    /// The address that the API names for a project of the administrator's.
    fn url(&self, project: &str) -> String {
        let project = self.site.root.get(&format!("/projects/root%2F{project}")).assert_status(200).json();
        project.get("ssh_url_to_repo").and_then(Value::as_str).unwrap().to_owned()
    }

    /// A new account with a key, which is a member of `root/p` if a level is given.
    fn user(&self, name: &str, level: Option<i64>) -> (Value, Key) {
        let (user, _) = self.site.user(name);
        let key = Key::make(self.folder(), name, "ed25519");
        let path = format!("/users/{}/keys", user.get("id").unwrap());
        self.site.root.post(&path, json!({"title": "t", "key": key.public})).assert_status(201).json();
        if let Some(level) = level {
            self.site.member("p", &user, level);
        }
        (user, key)
    }

    /// The outcome of Git with that key.
    fn git_with(&self, key: &Key, folder: &Path, arguments: &[&str]) -> Outcome {
        outcome(self.git_command(key, folder, arguments))
    }

    /// The outcome of Git with the administrator's key.
    fn git(&self, folder: &Path, arguments: &[&str]) -> Outcome {
        self.git_with(&self.key, folder, arguments)
    }

    fn git_command(&self, key: &Key, folder: &Path, arguments: &[&str]) -> Command {
        let mut git = command(folder, arguments);
        git.env("GIT_SSH_COMMAND", format!("ssh {}", self.options(key).join(" ")));
        git
    }

    /// The client of SSH with the administrator's key and these arguments, for the host that is named last.
    fn ssh(&self, arguments: &[&str]) -> Command {
        self.ssh_with(&self.key, arguments)
    }

    #[expect(clippy::disallowed_methods, reason = "the real client is what is tested with")]
    fn ssh_with(&self, key: &Key, arguments: &[&str]) -> Command {
        let mut ssh = Command::new(program("ssh"));
        ssh.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).current_dir(self.folder());
        let (_, port) = self.address();
        ssh.args(self.options(key)).args(["-p", &port]).args(arguments).stdin(std::process::Stdio::null());
        ssh
    }

    /// With nothing of the machine's own configuration, and no question to anyone.
    fn options(&self, key: &Key) -> Vec<String> {
        let hosts = self.folder().join("known_hosts");
        let file = key.file.display();
        ["-F", "none", "-i", &file.to_string()]
            .map(str::to_owned)
            .into_iter()
            .chain(
                [
                    "IdentitiesOnly=yes",
                    "IdentityAgent=none",
                    "BatchMode=yes",
                    "StrictHostKeyChecking=accept-new",
                    "LogLevel=ERROR",
                    &format!("UserKnownHostsFile={}", hosts.display()),
                ]
                .into_iter()
                .flat_map(|option| ["-o".to_owned(), option.to_owned()]),
            )
            .collect()
    }
}

/// The outcome of a program.
fn outcome(mut command: Command) -> Outcome {
    let Output { status, stdout, stderr } = command.output().expect("a program");
    let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    Outcome { success: status.success(), text }
}
