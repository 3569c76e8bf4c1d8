//! Archives over SSH: `git archive --remote`.

use serde_json::json;
use tenon_testkit::Backend;

use super::SshSite;
use crate::git::{backends, commit, git};

#[test]
fn an_archive_of_a_branch_a_tag_or_a_directory_comes_over_ssh() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let (url, here) = (site.url("p"), site.site.working_copy("here", "main"));
        std::fs::create_dir(here.join("d")).unwrap();
        commit(&here, "d/inner", b"inside", "second");
        git(&here, &["tag", "v1"]).well();
        site.git(&here, &["push", "--quiet", &url, "main", "v1"]).well();
        let remote = format!("--remote={url}");
        let archive = |arguments: &[&str]| site.git(&here, &[&["archive", &remote], arguments].concat());
        for (name, arguments) in [
            ("whole.tar", &["main"][..]),
            ("tag.zip", &["--prefix=p/", "-9", "v1"]),
            ("part.tar.gz", &["HEAD:d"]),
            ("path.tar", &["HEAD", "d"]),
        ] {
            archive(&[&["-o", name], arguments].concat()).well();
        }
        let tar = std::fs::read(here.join("whole.tar")).unwrap();
        git(&here, &["archive", "-o", "mine.tar", "main"]).well();
        assert_eq!(tar, std::fs::read(here.join("mine.tar")).unwrap());
        assert!(std::fs::read(here.join("tag.zip")).unwrap().starts_with(b"PK"));
        assert!(std::fs::read(here.join("part.tar.gz")).unwrap().starts_with(b"\x1f\x8b"));
        assert_ne!(std::fs::read(here.join("path.tar")).unwrap(), tar);
        let formats = archive(&["--list"]).well();
        assert!(formats.contains("tar.gz\n") && formats.contains("zip\n"), "{formats}");
        archive(&["nothing"]).refused("NACK not a valid object name: nothing");
        archive(&["main:nothing"]).refused("NACK not a valid object name");
        archive(&["main", "nothing"]).refused("NACK pathspec 'nothing' did not match any files");
        archive(&["--worktree-attributes", "main"]).refused("NACK the option '--worktree-attributes' is not supported");
    }
}

#[test]
fn what_a_fetch_hides_is_in_no_archive() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let (url, here) = (site.url("p"), site.site.working_copy("here", "main"));
        site.git(&here, &["push", "--quiet", &url, "main"]).well();
        let first = git(&here, &["rev-parse", "HEAD"]).well().trim().to_owned();
        commit(&here, "secret", b"inside", "second");
        let second = git(&here, &["rev-parse", "HEAD"]).well().trim().to_owned();
        site.git(&here, &["push", "--quiet", &url, "HEAD:refs/heads/topic"]).well();
        let offer = json!({"source_branch": "topic", "target_branch": "main", "title": "offer"});
        let _ = site.site.root.post("/projects/root%2Fp/merge_requests", offer).assert_status(201);
        let remote = format!("--remote={url}");
        let archive = |name: &str| site.git(&here, &["archive", &remote, "-o", "a.tar", name]);
        // The head of a merge request is shown, and keeps its commit.
        for name in [first.as_str(), &first[..10], &second, "refs/merge-requests/1/head", "topic"] {
            archive(name).well();
        }
        let hidden = format!("refs/keep-around/{second}");
        archive(&hidden).refused("NACK not a valid object name");
        // Without branch and merge request only a hidden ref keeps it.
        site.git(&here, &["push", "--quiet", &url, ":topic"]).well();
        let _ = site.site.root.delete("/projects/root%2Fp/merge_requests/1").assert_status(204);
        let id = site.site.root.get("/projects/root%2Fp").json()["id"].as_i64().unwrap();
        let bare = site.site.data().join(format!("repositories/{id:03}/{id}.git"));
        git(&bare, &["update-ref", &hidden, &second]).well();
        git(&bare, &["update-ref", "-d", "refs/merge-requests/1/head"]).well();
        for name in [second.as_str(), &second[..10], &hidden] {
            archive(name).refused("NACK not a valid object name");
        }
        archive(&first).well();
    }
}

#[test]
fn who_may_fetch_may_have_archives() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let (url, here) = (site.url("p"), site.site.working_copy("here", "main"));
        site.git(&here, &["push", "--quiet", &url, "main"]).well();
        let remote = format!("--remote={url}");
        let (_, guest) = site.user("guest", Some(10));
        let (_, reporter) = site.user("reporter", Some(20));
        let (_, stranger) = site.user("stranger", None);
        let asked = |key| site.git_with(key, &here, &["archive", &remote, "-o", "a.tar", "main"]);
        asked(&reporter).well();
        asked(&guest).refused("Tenon: You are not allowed to download code from this project.");
        asked(&stranger).refused("Tenon: The project you were looking for could not be found.");
        let _ = site
            .site
            .root
            .put("/application/settings", json!({"enabled_git_access_protocol": "http"}))
            .assert_status(200);
        asked(&reporter).refused("Tenon: Git access over SSH is not allowed");
    }
}

#[test]
fn a_client_has_so_long_to_ask_for_an_archive() {
    let site = SshSite::start_with(Backend::Sqlite, "[limits.ssh]\nbefore_request = 1\n");
    let (host, _) = site.address();
    let mut ssh = site.ssh(&[&format!("git@{host}"), "git-upload-archive 'root/p.git'"]);
    ssh.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut client = ssh.spawn().unwrap();
    let stdin = client.stdin.take();
    let output = client.wait_with_output().unwrap();
    drop(stdin);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("The request was sent too slowly."), "{text}");
    assert!(!output.status.success());
}
