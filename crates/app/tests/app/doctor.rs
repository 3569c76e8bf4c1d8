//! Looking repositories over, and repairing them (`tenon admin doctor --fix`).

use std::path::{Path, PathBuf};

use serde_json::json;
use tenon_app::doctor;
use tenon_app::repository::Mending;
use tenon_testkit::{TestServer, on_both};

use crate::{commit, project};

/// Where the repository of a project lies.
fn place(server: &TestServer, project: i64) -> PathBuf {
    server.data().join(format!("repositories/{:03}/{project}.git", project % 1000))
}

/// What the doctor says of repositories, each with whether all is well.
fn findings(server: &TestServer, mending: Mending) -> Vec<(bool, String)> {
    let found = doctor(server.app(), mending).expect("a working server");
    found.into_iter().filter(|one| one.subject == "repositories").map(|one| (one.healthy, one.text)).collect()
}

/// The doctor finds one thing, repairs it, and finds nothing afterwards.
#[track_caller]
fn is_repaired(server: &TestServer, text: &str) {
    for (mending, healthy) in [(Mending::LookOnly, false), (Mending::Repair, true)] {
        let found = findings(server, mending);
        let (is_well, said) = found.first().expect("a finding");
        assert!(said.contains(text) && *is_well == healthy, "{mending:?}: {found:?}");
    }
    let after = findings(server, Mending::LookOnly);
    assert!(after.iter().all(|(is_well, _)| *is_well) && after.len() == 1, "{after:?}");
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

on_both! {
    fn sound_repositories_and_projects_without_one_are_well(server) {
        let alice = server.user("alice");
        project(&alice, "tool", "private");
        alice.post("/projects", json!({"name": "empty"})).assert_status(201).json();
        assert_eq!(findings(server, Mending::LookOnly), [(true, "those of 2 projects are sound".to_owned())]);
    }

    fn a_repository_that_is_missing_is_reported_and_stays_missing(server) {
        let alice = server.user("alice");
        let tool = project(&alice, "tool", "private");
        std::fs::remove_dir_all(place(server, tool)).expect("a repository");
        for mending in [Mending::LookOnly, Mending::Repair] {
            let found = findings(server, mending);
            assert!(matches!(found.as_slice(), [(false, text)] if text.contains("alice/tool")), "{found:?}");
        }
        assert!(!place(server, tool).exists());
    }

    fn a_repository_that_has_lost_objects_is_reported_and_the_others_are_checked(server) {
        let alice = server.user("alice");
        let (broken, behind) = (project(&alice, "broken", "private"), project(&alice, "behind", "private"));
        for file in files(&place(server, broken).join("objects")) {
            std::fs::remove_file(file).expect("a file");
        }
        std::fs::write(place(server, behind).join("HEAD"), "ref: refs/heads/other\n").expect("a file");
        let found = findings(server, Mending::Repair);
        assert!(matches!(found.as_slice(), [(false, first), (true, second)]
            if first.contains("alice/broken") && second.contains("alice/behind")), "{found:?}");
    }

    fn what_can_be_made_anew_is(server) {
        let alice = server.user("alice");
        let tool = project(&alice, "tool", "private");
        let sha = commit(&alice, tool, "main", None, "one");
        server.run_jobs();
        let graphs = files(&place(server, tool).join("objects/info/commit-graphs"));
        assert!(!graphs.is_empty());
        for graph in graphs {
            std::fs::remove_file(&graph).expect("a file");
            std::fs::write(&graph, "no graph").expect("a file");
        }
        is_repaired(server, "alice/tool");
        assert_eq!(alice.get(&format!("/projects/{tool}/repository/commits")).each("id").first(), Some(&json!(sha)));
    }

    fn refs_that_the_database_has_missed_are_recorded(server) {
        let alice = server.user("alice");
        let tool = project(&alice, "tool", "private");
        let sha = commit(&alice, tool, "main", None, "one");
        std::fs::write(place(server, tool).join("refs/heads/missed"), format!("{sha}\n")).expect("a file");
        is_repaired(server, "1 refs");
    }

    fn clones_begin_at_the_default_branch_again(server) {
        let alice = server.user("alice");
        let tool = project(&alice, "tool", "private");
        std::fs::write(place(server, tool).join("HEAD"), "ref: refs/heads/other\n").expect("a file");
        is_repaired(server, "default branch main");
        let head = std::fs::read_to_string(place(server, tool).join("HEAD")).expect("a file");
        assert_eq!(head.trim(), "ref: refs/heads/main");
    }

    fn what_belongs_to_no_project_is_set_aside_and_not_deleted(server) {
        let alice = server.user("alice");
        let tool = project(&alice, "tool", "private");
        std::fs::create_dir_all(place(server, 4711).parent().expect("a folder")).expect("a folder");
        std::fs::rename(place(server, tool), place(server, 4711)).expect("a repository");
        alice.delete(&format!("/projects/{tool}")).assert_status(202).json();
        server.run_jobs();
        is_repaired(server, "no project");
        assert!(!place(server, 4711).exists());
        let kept = files(&server.data().join("repositories/+set-aside"));
        assert!(kept.iter().any(|path| path.ends_with("4711.git/HEAD")), "{kept:?}");
    }

    fn a_repository_without_a_project_is_put_aside_before_a_new_project_gets_its_number(server) {
        let alice = server.user("alice");
        let tool = project(&alice, "tool", "private");
        let next = tool + 1;
        std::fs::create_dir_all(place(server, next)).expect("a folder");
        std::fs::copy(place(server, tool).join("HEAD"), place(server, next).join("HEAD")).expect("a file");
        assert_eq!(server.app().set_aside_strays().expect("a working server"), 1);
        assert_eq!(server.app().set_aside_strays().expect("a working server"), 0);
        assert!(place(server, tool).exists() && !place(server, next).exists());
    }
}
