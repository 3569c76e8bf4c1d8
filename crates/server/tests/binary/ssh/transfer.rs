//! Fetching and pushing.

use serde_json::json;
use tenon_testkit::soon;

use super::{SshSite, outcome};
use crate::git::cut_off::{at_work_below, held};
use crate::git::{backends, commit, git, noise};
use crate::process::signal;

#[test]
fn what_is_pushed_is_cloned_whatever_the_version_of_the_protocol() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let here = site.site.working_copy("here", "main");
        commit(&here, "large", &noise(0..300_000), "second");
        site.git(&here, &["push", "--quiet", &site.url("p"), "main"]).well();
        let head = git(&here, &["rev-parse", "HEAD"]).well();
        for version in ["0", "1", "2"] {
            let (to, option) = (format!("v{version}"), format!("protocol.version={version}"));
            site.git(site.folder(), &["-c", &option, "clone", "--quiet", &site.url("p"), &to]).well();
            let clone = site.folder().join(&to);
            assert_eq!(git(&clone, &["rev-parse", "HEAD"]).well(), head);
            git(&clone, &["fsck", "--strict"]).well();
        }
        site.git(site.folder(), &["clone", "--quiet", "--depth", "1", &site.url("p"), "shallow"]).well();
        let shallow = site.folder().join("shallow");
        assert_eq!(git(&shallow, &["rev-list", "--count", "HEAD"]).well().trim(), "1");
        // From there, with more history, and a push of a shallow clone.
        commit(&shallow, "more", b"x", "third");
        site.git(&shallow, &["push", "--quiet", "origin", "main"]).well();
        let (old, new) = (site.folder().join("v2"), site.folder().join("v0"));
        site.git(&old, &["pull", "--quiet"]).well();
        site.git(&new, &["-c", "protocol.version=0", "pull", "--quiet"]).well();
        assert_eq!(git(&old, &["rev-parse", "HEAD"]).well(), git(&shallow, &["rev-parse", "HEAD"]).well());
        assert!(site.git(&old, &["push", "origin", "main"]).well().contains("Everything up-to-date"));
        // The push was recorded as over HTTP.
        let project = site.site.root.get("/projects/root%2Fp").assert_status(200).json();
        assert_eq!((&project["default_branch"], &project["empty_repo"]), (&json!("main"), &json!(false)));
        let events = site.site.root.get("/projects/root%2Fp/events?action=pushed").assert_status(200).json();
        assert_eq!(events.as_array().unwrap().len(), 2, "{events}");
        assert_eq!(events[0]["author_username"], "root");
    }
}

#[test]
fn a_wiki_is_pushed_and_cloned() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let wiki = site.url("p").replace("p.git", "p.wiki.git");
        let here = site.site.working_copy("here", "main");
        site.git(&here, &["push", "--quiet", &wiki, "main"]).well();
        site.git(site.folder(), &["clone", "--quiet", &wiki, "wiki"]).well();
        let page = site.site.root.get("/projects/root%2Fp/wikis/README").assert_status(200).json();
        assert_eq!(page["content"], "# Hello\n");
        let (_, reporter) = site.user("reporter", Some(20));
        site.git_with(&reporter, &here, &["push", &wiki, "main:other"])
            .refused("You are not allowed to write to this project's wiki.");
        // The code is another repository.
        assert_eq!(site.site.root.get("/projects/root%2Fp").json()["empty_repo"], true);
    }
}

#[test]
fn pushes_meet_the_rules_of_branches_and_the_pusher_reads_why() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let here = site.site.working_copy("here", "main");
        let url = site.url("p");
        site.git(&here, &["push", "--quiet", &url, "main"]).well();
        let (_, developer) = site.user("developer", Some(30));
        commit(&here, "x", b"x", "more");
        site.git_with(&developer, &here, &["push", &url, "main", "main:fine"])
            .refused("You are not allowed to push code to protected branches on this project.");
        let refs = site.git_with(&developer, &here, &["ls-remote", &url]).well();
        assert!(!refs.contains("refs/heads/fine"), "{refs}");
        let said = site.git_with(&developer, &here, &["push", &url, "main:topic"]).well();
        assert!(said.contains("remote: To create a merge request for topic, visit:"), "{said}");
        // A list of refs without a pack, several refs, push options, all or nothing.
        let all = ["push", "--atomic", "--push-option", "x", &url, ":topic", "main:one", "main:two"];
        site.git_with(&developer, &here, &all).well();
        site.git_with(&developer, &here, &["push", "--quiet", &url, ":one"]).well();
        let refs = site.git(&here, &["ls-remote", "--heads", &url]).well();
        assert_eq!(refs.lines().count(), 2, "{refs}");
    }
}

#[test]
fn a_push_makes_its_project_and_names_the_address_over_ssh() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let here = site.site.working_copy("here", "main");
        let url = site.url("p").replace("/p.git", "/made.git");
        let said = site.git(&here, &["push", &url, "main"]).well();
        assert!(said.contains("The private project root/made was successfully created."), "{said}");
        assert!(said.contains(&format!("remote:   git remote add origin {url}")), "{said}");
        assert_eq!(site.url("made"), url);
    }
}

#[test]
fn a_moved_project_is_found_at_its_former_address() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let here = site.site.working_copy("here", "main");
        let before = site.url("p");
        site.site.root.put("/projects/root%2Fp", json!({"path": "q"})).assert_status(200).json();
        let said = site.git(&here, &["push", &before, "main"]).well();
        assert!(said.contains(&format!("git remote set-url origin {}", site.url("q"))), "{said}");
    }
}

#[test]
fn a_push_over_a_limit_is_refused_with_its_name() {
    for backend in backends() {
        let site = SshSite::start_with(backend, "[limits.push]\nblob = 100000\n");
        let here = site.site.working_copy("here", "main");
        commit(&here, "large", &noise(0..200_000), "large");
        site.git(&here, &["push", &site.url("p"), "main"]).refused("(limit push.blob)");
        assert_eq!(site.git(&here, &["ls-remote", &site.url("p")]).well(), "");
    }
}

#[test]
fn what_is_no_push_is_refused() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let (host, _) = site.address();
        let sent = site.folder().join("sent");
        let create = format!("{0} {1} refs/heads/x\0report-status", "0".repeat(40), "1".repeat(40));
        let create = format!("{:04x}{create}0000", create.len() + 4);
        for (bytes, said) in [
            ("GET / HTTP/1.1\r\n\r\n".to_owned(), "The push cannot be read"),
            (format!("{create}KCAP"), "The push cannot be read"),
            (format!("{create}PACK"), "The push cannot be read: the pack is incomplete."),
        ] {
            std::fs::write(&sent, &bytes).unwrap();
            let mut ssh = site.ssh(&[&format!("git@{host}"), "git-receive-pack 'root/p.git'"]);
            ssh.stdin(std::fs::File::open(&sent).unwrap());
            let text = outcome(ssh).text;
            assert!(text.contains(said), "{bytes:?}: {text}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_clone_that_is_cut_off_leaves_no_process_behind() {
    use std::os::unix::process::CommandExt as _;

    for backend in backends() {
        let site = SshSite::start(backend);
        let here = site.site.working_copy("here", "main");
        // More than the buffers between server and client hold.
        for number in 0..160_u64 {
            std::fs::write(here.join(format!("file{number}")), noise(number * 100_000..(number + 1) * 100_000))
                .unwrap();
        }
        commit(&here, "last", b"x", "large");
        site.git(&here, &["push", "--quiet", &site.url("p"), "main"]).well();
        let mut clone = site.git_command(&site.key, site.folder(), &["clone", "--progress", &site.url("p"), "half"]);
        clone.process_group(0);
        let mut client = held(clone);
        assert!(!at_work_below(site.site.serving.id()).is_empty());
        assert!(signal("-KILL", &format!("-{}", client.id())));
        client.wait().unwrap();
        soon("its processes end", || at_work_below(site.site.serving.id()).is_empty());
    }
}
