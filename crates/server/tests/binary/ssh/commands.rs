//! Nothing but the commands of Git.

use tenon_testkit::Backend;

use super::{SshSite, outcome};

#[test]
fn nothing_but_the_commands_of_git_is_done() {
    let site = SshSite::start(Backend::Sqlite);
    let (host, _) = site.address();
    let to = format!("git@{host}");
    let marker = site.folder().join("marker");
    let touch = format!("touch {}", marker.display());
    for line in [
        "ls",
        "sh",
        &touch,
        "git-upload-pack",
        "git-upload-pack --version 'root/p.git'",
        "git-upload-pack 'root/p.git' --help",
        &format!("git-upload-pack 'root/p.git'; {touch}"),
        &format!("git-upload-pack 'root/$({touch})'"),
        &format!("git-upload-pack `{touch}`"),
        "git-upload-pack '../../etc'",
        "git-upload-pack 'root/../root/p.git'",
        "git-upload-pack '--upload-pack=x'",
        "git-shell",
        "git config --list",
        "scp -t /tmp",
        "git-lfs-transfer root/p.git download",
    ] {
        let output = site.ssh(&[&to, line]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "Tenon: Disallowed command\n", "{line}");
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), b"".as_slice()), "{line}");
    }
    assert!(!marker.exists());
    // An absolute path of the machine is a path of a project.
    let data = site.site.data().join("repositories");
    outcome(site.ssh(&[&to, &format!("git-upload-pack '{}'", data.display())])).refused("could not be found");
}

#[test]
fn there_is_no_terminal_no_subsystem_and_no_forwarding() {
    let site = SshSite::start(Backend::Sqlite);
    let (host, port) = site.address();
    let to = format!("git@{host}");
    outcome(site.ssh(&["-s", &to, "sftp"])).refused("subsystem request failed");
    let loopback = format!("127.0.0.1:{port}");
    outcome(site.ssh(&["-W", &loopback, &to])).refused("failed");
    let forward = format!("127.0.0.1:0:{loopback}");
    outcome(site.ssh(&["-T", "-o", "ExitOnForwardFailure=yes", "-R", &forward, &to])).refused("forwarding failed");
    outcome(site.ssh(&["-tt", &to])).refused("PTY allocation request failed");
    // Asked for an agent and an environment, it greets all the same.
    let said = outcome(site.ssh(&["-T", "-A", "-o", "SetEnv=PATH=/tmp LD_PRELOAD=x", &to])).well();
    assert!(said.contains("Welcome to Tenon, @root!"), "{said}");
}
