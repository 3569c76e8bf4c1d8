//! Looking repositories over, and repairing them (`tenon admin doctor --fix`).

use std::path::{Path, PathBuf};

use serde_json::json;
use tenon_app::repository::{Depth, Mending};
use tenon_app::{Limits, doctor};
use tenon_testkit::{Backend, TestServer, both_databases};

use crate::{commit, project};

/// The folder of the repository of a project.
fn place(server: &TestServer, project: i64) -> PathBuf {
    server.data().join(format!("repositories/{:03}/{project}.git", project % 1000))
}

/// The doctor's findings about repositories, each with whether all is well.
fn findings(server: &TestServer, mending: Mending) -> Vec<(bool, String)> {
    findings_at(server, mending, Depth::Contents)
}

fn findings_at(server: &TestServer, mending: Mending, depth: Depth) -> Vec<(bool, String)> {
    let found = doctor(server.app(), mending, depth).expect("a working server");
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

/// Git's answer, asked as an administrator asks it: whether it succeeds, and its output.
#[expect(clippy::disallowed_methods, reason = "the doctor is compared with Git itself")]
fn git(repository: &Path, arguments: &[&str]) -> (bool, String) {
    let asked =
        std::process::Command::new("git").arg("--git-dir").arg(repository).args(arguments).output().expect("git");
    (asked.status.success(), String::from_utf8_lossy(&asked.stdout).into_owned())
}

fn is_sound_to_git(repository: &Path) -> bool {
    git(repository, &["fsck", "--full"]).0
}

/// Changes one byte in the middle of a file.
fn flip(file: &Path) {
    let mut bytes = std::fs::read(file).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::remove_file(file).expect("a file");
    std::fs::write(file, bytes).expect("a file");
}

/// The file of the object whose name these arguments make Git print, in a repository without packs.
fn loose(repository: &Path, arguments: &[&str]) -> PathBuf {
    let (is_there, printed) = git(repository, arguments);
    assert!(is_there, "{arguments:?}");
    let (folder, name) = printed.lines().next().expect("a name").split_at(2);
    repository.join("objects").join(folder).join(name)
}

const TREE: [&str; 2] = ["rev-parse", "main^{tree}"];
const BLOB: [&str; 4] = ["ls-tree", "-r", "--format=%(objectname)", "main"];

/// Damages a repository.
type Damage = fn(&Path);

/// Ways to damage a repository with one commit on `main`, each with whether it shows without reading contents, if that
/// is known.
const DAMAGES: [(Damage, Option<bool>); 6] = [
    (|repository| flip(&loose(repository, &BLOB)), Some(false)),
    (
        |repository| {
            assert!(git(repository, &["repack", "-a", "-d", "-q"]).0);
            let packs = files(&repository.join("objects/pack"));
            flip(packs.iter().find(|file| file.extension().is_some_and(|end| end == "pack")).expect("a pack"));
        },
        None,
    ),
    (|repository| std::fs::remove_file(loose(repository, &TREE)).expect("a tree"), Some(true)),
    (|repository| std::fs::remove_file(loose(repository, &BLOB)).expect("a file"), Some(true)),
    (|repository| std::fs::write(repository.join("refs/heads/main"), "no ref\n").expect("a ref"), Some(true)),
    (
        |repository| {
            std::fs::write(repository.join("refs/heads/gone"), format!("{}\n", "1".repeat(40))).expect("a ref");
        },
        Some(true),
    ),
];

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[both_databases]
fn sound_repositories_and_projects_without_one_are_well(server: &TestServer) {
    let alice = server.user("alice");
    project(&alice, "tool", "private");
    alice.post("/projects", json!({"name": "empty"})).assert_status(201).json();
    assert_eq!(findings(server, Mending::LookOnly), [(true, "sound projects: 2".to_owned())]);
}

#[both_databases]
fn what_git_calls_damaged_is_not_called_sound(server: &TestServer) {
    let alice = server.user("alice");
    for (number, (damage, is_seen_by_links)) in DAMAGES.into_iter().enumerate() {
        let tool = project(&alice, &format!("tool{number}"), "private");
        commit(&alice, tool, "main", None, "one");
        server.run_jobs();
        let repository = place(server, tool);
        assert!(is_sound_to_git(&repository), "{number}");
        damage(&repository);
        assert!(!is_sound_to_git(&repository), "{number}: Git finds nothing");
        let found = findings(server, Mending::LookOnly);
        let own = |text: &str| text.contains(&format!("alice/tool{number} "));
        assert!(found.iter().any(|(is_well, text)| !is_well && own(text)), "{number}: {found:?}");
        assert!(found.iter().all(|(_, text)| !text.contains("sound")), "{number}: {found:?}");
        let links = findings_at(server, Mending::LookOnly, Depth::Connectivity);
        let is_seen = links.iter().any(|(is_well, text)| !is_well && own(text));
        assert_eq!(is_seen, is_seen_by_links.unwrap_or(is_seen), "{number}: {links:?}");
        assert!(links.iter().all(|(_, text)| !text.contains("sound")), "{number}: {links:?}");
        // Objects that were not read are not judged.
        let said = links.iter().any(|(_, text)| text.contains("contents of objects were not checked"));
        assert_eq!(said, !is_seen, "{number}: {links:?}");
        std::fs::remove_dir_all(&repository).expect("a repository");
        alice.delete(&format!("/projects/{tool}")).assert_status(202).json();
        server.run_jobs();
    }
}

#[both_databases]
fn what_was_pushed_in_another_form_is_whole_and_not_called_sound(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    let sha = commit(&alice, tool, "main", None, "one");
    server.run_jobs();
    let repository = place(server, tool);
    let tree = git(&repository, &["rev-parse", &format!("{sha}^{{tree}}")]).1;
    let odd = format!("tree {}\nparent {sha}\nauthor A <a> 1 +0000\ncommitter  1 +0000\n\nodd\n", tree.trim());
    let file = server.data().join("odd");
    std::fs::write(&file, odd).expect("a file");
    let file = file.to_str().expect("a path");
    let (made, id) = git(&repository, &["hash-object", "--literally", "-w", "-t", "commit", file]);
    assert!(made, "{id}");
    assert!(git(&repository, &["update-ref", "refs/heads/main", id.trim()]).0);
    assert!(!is_sound_to_git(&repository));
    findings(server, Mending::Repair);
    let found = findings(server, Mending::LookOnly);
    assert!(
        matches!(found.as_slice(), [(true, form), (true, all)]
        if form.contains("alice/tool") && form.contains("is whole") && all == "sound projects: 0, with malformed objects: 1"),
        "{found:?}"
    );
}

#[both_databases]
fn what_no_push_may_bring_is_not_called_whole(server: &TestServer) {
    let alice = server.user("alice");
    for (number, (fault, names)) in
        [("hasDotgit", &[".git"][..]), ("duplicateEntries", &["a", "a"]), ("treeNotSorted", &["b", "a"])]
            .into_iter()
            .enumerate()
    {
        let tool = project(&alice, &format!("tool{number}"), "private");
        let sha = commit(&alice, tool, "main", None, "one");
        server.run_jobs();
        let repository = place(server, tool);
        let file = server.data().join("odd");
        let path = file.to_str().expect("a path").to_owned();
        let object = |kind: &str, content: &[u8]| {
            std::fs::write(&file, content).expect("a file");
            let (made, id) = git(&repository, &["hash-object", "--literally", "-w", "-t", kind, &path]);
            assert!(made, "{id}");
            id.trim().to_owned()
        };
        let blob = object("blob", b"x");
        let raw: Vec<u8> =
            (0..20).map(|at| u8::from_str_radix(&blob[2 * at..2 * at + 2], 16).expect("digits")).collect();
        let entry = |name: &&str| [format!("100644 {name}\0").as_bytes(), &raw].concat();
        let tree = object("tree", &names.iter().map(entry).collect::<Vec<_>>().concat());
        let people = "author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nodd\n";
        let odd = object("commit", format!("tree {tree}\nparent {sha}\n{people}").as_bytes());
        assert!(git(&repository, &["update-ref", "refs/heads/main", &odd]).0);
        let found = findings(server, Mending::LookOnly);
        let own = format!("alice/tool{number} ");
        let is_named = |(is_well, text): &(bool, String)| !is_well && text.contains(&own) && text.contains(fault);
        assert!(found.iter().any(is_named), "{fault}: {found:?}");
        assert!(found.iter().all(|(_, text)| !text.contains("is whole")), "{fault}: {found:?}");
    }
}

#[both_databases]
fn a_repository_that_is_missing_is_reported_and_stays_missing(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    std::fs::remove_dir_all(place(server, tool)).expect("a repository");
    for mending in [Mending::LookOnly, Mending::Repair] {
        let found = findings(server, mending);
        assert!(matches!(found.as_slice(), [(false, text)] if text.contains("alice/tool")), "{found:?}");
    }
    assert!(!place(server, tool).exists());
}

#[both_databases]
fn a_repository_that_has_lost_objects_is_reported_and_the_others_are_checked(server: &TestServer) {
    let alice = server.user("alice");
    let (broken, behind) = (project(&alice, "broken", "private"), project(&alice, "behind", "private"));
    for file in files(&place(server, broken).join("objects")) {
        std::fs::remove_file(file).expect("a file");
    }
    std::fs::write(place(server, behind).join("HEAD"), "ref: refs/heads/other\n").expect("a file");
    let found = findings(server, Mending::Repair);
    assert!(
        matches!(found.as_slice(), [(false, first), (true, second)]
        if first.contains("alice/broken") && second.contains("alice/behind")),
        "{found:?}"
    );
}

#[both_databases]
fn what_can_be_made_anew_is(server: &TestServer) {
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

#[both_databases]
fn refs_that_the_database_has_missed_are_recorded(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    let sha = commit(&alice, tool, "main", None, "one");
    std::fs::write(place(server, tool).join("refs/heads/missed"), format!("{sha}\n")).expect("a file");
    is_repaired(server, "1 refs");
}

#[both_databases]
fn clones_begin_at_the_default_branch_again(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    std::fs::write(place(server, tool).join("HEAD"), "ref: refs/heads/other\n").expect("a file");
    is_repaired(server, "default branch main");
    let head = std::fs::read_to_string(place(server, tool).join("HEAD")).expect("a file");
    assert_eq!(head.trim(), "ref: refs/heads/main");
}

#[both_databases]
fn what_belongs_to_no_project_is_set_aside_and_not_deleted(server: &TestServer) {
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

#[both_databases]
fn wikis_are_looked_over_too(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    let page = json!({"title": "home", "content": "text"});
    let _ = alice.post(&format!("/projects/{tool}/wikis"), page).assert_status(201);
    let wiki = |id: i64| place(server, id).with_extension("wiki.git");
    std::fs::create_dir_all(wiki(4711)).expect("a folder");
    std::fs::copy(wiki(tool).join("HEAD"), wiki(4711).join("HEAD")).expect("a file");
    is_repaired(server, "no project");
    assert!(wiki(tool).exists() && !wiki(4711).exists());
    let kept = files(&server.data().join("repositories/+set-aside"));
    assert!(kept.iter().any(|path| path.ends_with("4711.wiki.git/HEAD")), "{kept:?}");
    for path in files(&wiki(tool).join("objects")) {
        std::fs::remove_file(path).expect("a file");
    }
    let found = format!("{:?}", findings(server, Mending::LookOnly));
    assert!(found.contains("the wiki of alice/tool"), "{found}");
}

#[both_databases]
fn a_repository_without_a_project_is_put_aside_before_a_new_project_gets_its_number(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    let next = tool + 1;
    std::fs::create_dir_all(place(server, next)).expect("a folder");
    std::fs::copy(place(server, tool).join("HEAD"), place(server, next).join("HEAD")).expect("a file");
    assert_eq!(server.app().set_aside_strays().expect("a working server"), 1);
    assert_eq!(server.app().set_aside_strays().expect("a working server"), 0);
    assert!(place(server, tool).exists() && !place(server, next).exists());
}

#[test]
fn a_repository_that_goes_away_while_it_is_checked_ends_nothing() {
    // The program removes the repository that it is to check, the first time.
    let script = r#"for word; do
            if [ "$word" = fsck ] && mkdir "$0.once" 2>/dev/null; then rm -rf "$2"; exit 128; fi
        done
        exec git "$@""#;
    let server = TestServer::start_with_git(Backend::Sqlite, Limits::without_rates(), script);
    let alice = server.user("alice");
    for name in ["gone", "kept"] {
        let made = project(&alice, name, "private");
        commit(&alice, made, "main", None, "one");
    }
    server.run_jobs();
    let found = findings(&server, Mending::LookOnly);
    assert!(
        matches!(found.as_slice(), [(false, first), ..] if first.contains("alice/gone") && first.contains("has no repository")),
        "{found:?}"
    );
    assert!(found.iter().all(|(_, text)| !text.contains("alice/kept")), "{found:?}");
}
