//! The commands of docs/walk.md, as a reader types them.

use std::process::Command;

use tenon_testkit::{Backend, Receiver};

use crate::git::{commit, git};
use crate::process::{Serving, database};

const PAGE: &str = include_str!("../../../../docs/walk.md");

/// The commands of the page, with the addresses of this server and of this receiver. The client of SSH
/// asks no question about the key of the server.
fn script(serving: &Serving, receiver: &Receiver) -> String {
    let greeting = serving.greeting();
    let address = |label: &str| {
        let line = greeting.lines().find_map(|line| line.strip_prefix(label)).expect("an address");
        line.split(',').next().expect("an address")
    };
    let (_, port) = address("  Git (SSH)   ").rsplit_once(':').expect("a port");
    let blocks = PAGE.split("```sh\n").skip(1).filter_map(|block| block.split("```").next());
    blocks
        .collect::<String>()
        .replace("cargo run --release --quiet --", concat!("'", env!("CARGO_BIN_EXE_tenon"), "'"))
        .replace("2222", port)
        .replace("127.0.0.1:8080", address("  listens on  "))
        .replace("http://127.0.0.1:9000/", &receiver.url("/"))
        .replace("ssh -i", "ssh -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -i")
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the commands of the page are what is tested")]
fn every_command_of_the_walk_succeeds() {
    // A machine without curl cannot follow the page.
    if Command::new("curl").arg("--version").output().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (_database, url) = database(Backend::Sqlite, folder.path());
    let serving = Serving::start(folder.path(), &url);
    let receiver = Receiver::start();
    let here = folder.path().join("here");
    std::fs::create_dir(&here).unwrap();
    git(&here, &["init", "--quiet"]).well();
    commit(&here, "README.md", b"# A walk\n", "Begin");
    let output = Command::new("timeout")
        .args(["120", "bash", "-euc", &script(&serving, &receiver)])
        .current_dir(&here)
        .env("TENON_DATA_DIR", folder.path())
        .env("TENON_DATABASE_URL", &url)
        .env("HOME", folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let merged = serving.root().get("/projects/root%2Ftenon/merge_requests/1").assert_status(200).json();
    assert_eq!(merged["state"], "merged");
}
