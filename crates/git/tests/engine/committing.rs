//! Commits that the server makes out of changes to files.

use tenon_git::write::Refusal;
use tenon_git::write::actions::{Action, CommitRequest};
use tenon_git::{Oid, Signature, TreePath};

use crate::pushed::{commit, object, tree};
use crate::writing::refusal;
use crate::{World, bob, branch, now, path};

fn at(text: &str) -> TreePath {
    TreePath::parse(text).unwrap()
}

fn create(text: &str, content: &[u8]) -> Action {
    Action::Create { path: at(text), content: content.to_vec(), executable: false }
}

fn update(text: &str, content: &[u8], last_commit: Option<Oid>) -> Action {
    Action::Update { path: at(text), content: content.to_vec(), last_commit }
}

fn delete(text: &str) -> Action {
    Action::Delete { path: at(text), last_commit: None }
}

fn renamed(from: &str, to: &str) -> Action {
    Action::Move { from: at(from), to: at(to), content: None, last_commit: None }
}

fn request(tip: Option<Oid>, actions: Vec<Action>) -> CommitRequest {
    let author = Signature::new("Ann", "ann@example.com", now());
    let message = "Change\n\nfiles".to_owned();
    CommitRequest { branch: branch("main"), tip, start: tip, author, committer: bob(), message, actions }
}

#[test]
fn actions_make_one_commit() {
    let world = World::new();
    let bytes = b"\0\xff\ndata 3\nM 100644\n";
    let first = world
        .repo
        .commit_actions(&request(
            None,
            vec![create("a", b"1"), create("d/\"q\" \u{e9}", bytes), create("x", b""), create("m", b"m")],
        ))
        .unwrap();
    let chmod = Action::Chmod { path: at("m"), executable: true, last_commit: None };
    let actions =
        vec![update("a", b"2", Some(first)), renamed("d/\"q\" \u{e9}", "e/f"), delete("x"), chmod, create("n", b"n")];
    let second = world.repo.commit_actions(&request(Some(first), actions)).unwrap();
    let files = world.repo.files(second).unwrap();
    let rows: Vec<_> = files.iter().map(|it| (it.path.as_kept(), it.mode.as_str())).collect();
    assert_eq!(rows, [("a", "100644"), ("e/f", "100644"), ("m", "100755"), ("n", "100644")]);
    let content = world.repo.file_at(second, &path("e/f"), 100).unwrap().unwrap().1.content.unwrap();
    assert_eq!(content, bytes);
    let commit = world.repo.commit(second).unwrap().unwrap();
    assert_eq!((&*commit.message, commit.parents), ("Change\n\nfiles", vec![first]));
    assert_eq!((&*commit.author.name, commit.committer), ("Ann", bob()));
    assert_eq!(world.resolve("main"), Some(second));
    assert_eq!(world.git(&["for-each-ref", "--format=%(refname)"]), "refs/heads/main\n");
    assert!(world.is_sound());
}

#[test]
fn later_actions_see_what_earlier_ones_did() {
    let world = World::new();
    let tip = world.commit("main", "x", &[("a", "1"), ("d/b", "2"), ("d/e/c", "3")]);
    let ok = |actions| paths_after(&world, tip, actions);
    assert_eq!(ok(vec![create("n", b"1"), update("n", b"2", None), renamed("n", "o")]), ["a", "d/b", "d/e/c", "o"]);
    assert_eq!(ok(vec![delete("a"), create("a/b", b"1")]), ["a/b", "d/b", "d/e/c"]);
    assert_eq!(ok(vec![delete("d/b"), delete("d/e/c"), create("d", b"1")]), ["a", "d"]);
    assert_eq!(ok(vec![renamed("a", "z"), create("a", b"9")]), ["a", "d/b", "d/e/c", "z"]);
}

/// The paths after these actions, on a branch of their own.
fn paths_after(world: &World, tip: Oid, actions: Vec<Action>) -> Vec<String> {
    let scratch = branch("scratch");
    let now = world.repo.ref_target(&scratch.full()).unwrap();
    let request = CommitRequest { branch: scratch, tip: now, ..request(Some(tip), actions) };
    let commit = world.repo.commit_actions(&request).unwrap();
    world.repo.files(commit).unwrap().into_iter().map(|it| it.path.to_string()).collect()
}

#[test]
fn an_action_that_does_not_fit_refuses_all_of_them() {
    let world = World::new();
    let old = world.commit("main", "x", &[("a", "1"), ("d/b", "2")]);
    let tip = world.commit("main", "y", &[("a", "2")]);
    let refused = |actions: Vec<Action>| {
        let all = [vec![create("fine", b"1")], actions].concat();
        refusal(world.repo.commit_actions(&request(Some(tip), all)))
    };
    let exists = |text: &str| Refusal::FileExists(text.to_owned());
    let missing = |text: &str| Refusal::FileMissing(text.to_owned());
    assert_eq!(refused(vec![create("a", b"1")]), exists("a"));
    assert_eq!(refused(vec![renamed("a", "d/b")]), exists("d/b"));
    assert_eq!(refused(vec![update("b", b"1", None)]), missing("b"));
    assert_eq!(refused(vec![update("d", b"1", None)]), missing("d"));
    assert_eq!(refused(vec![delete("a"), delete("a")]), missing("a"));
    assert_eq!(refused(vec![create("d", b"1")]), Refusal::DirectoryFileConflict);
    assert_eq!(refused(vec![create("a/x", b"1")]), Refusal::DirectoryFileConflict);
    assert_eq!(refused(vec![create("n", b"1"), create("n/x", b"1")]), Refusal::DirectoryFileConflict);
    assert_eq!(refused(vec![delete("d/b"), create("d/c", b"1"), create("d", b"1")]), Refusal::DirectoryFileConflict);
    assert_eq!(refused(vec![update("a", b"3", Some(old))]), Refusal::FileChanged("a".to_owned()));
    let submodule = Action::Submodule { path: at("a"), commit: old };
    assert_eq!(refused(vec![submodule]), missing("a"));
    assert_eq!(world.resolve("main"), Some(tip));
}

/// Old programs have written modes that Git takes for its own.
#[test]
fn files_and_directories_of_other_modes_are_changed_as_what_git_takes_them_for() {
    let world = World::new();
    let blob = object(&world, "blob", b"x");
    let inner = tree(&world, &[("100664", b"a", blob), ("100600", b"b", blob)]);
    let entries: [(&str, &[u8], Oid); 5] = [
        ("100664", b"a", blob),
        ("100777", b"b", blob),
        ("040000", b"inner", inner),
        ("120777", b"link", blob),
        ("40755", b"more", inner),
    ];
    let tip = commit(&world, tree(&world, &entries), &[]);
    world.git(&["update-ref", "refs/heads/main", &tip.to_string()]);
    for refused in ["inner", "more"] {
        for action in [update(refused, b"1", None), delete(refused), renamed(refused, "n")] {
            let found = refusal(world.repo.commit_actions(&request(Some(tip), vec![action])));
            assert_eq!(found, Refusal::FileMissing(refused.to_owned()));
        }
        let found = refusal(world.repo.commit_actions(&request(Some(tip), vec![create(refused, b"1")])));
        assert_eq!(found, Refusal::DirectoryFileConflict);
    }
    let chmod = Action::Chmod { path: at("inner/b"), executable: true, last_commit: None };
    let actions = vec![
        update("a", b"1", None),
        renamed("b", "c"),
        create("inner/new", b"2"),
        chmod,
        update("link", b"a", None),
        renamed("more/a", "more/z"),
        delete("more/b"),
    ];
    let next = world.repo.commit_actions(&request(Some(tip), actions)).unwrap();
    let files = world.repo.files(next).unwrap();
    let rows: Vec<_> = files.iter().map(|it| (it.path.as_kept(), it.mode.as_str())).collect();
    let want = [
        ("a", "100644"),
        ("c", "100755"),
        ("inner/a", "100644"),
        ("inner/b", "100755"),
        ("inner/new", "100644"),
        ("link", "120000"),
        ("more/z", "100644"),
    ];
    assert_eq!(rows, want);
}

#[test]
fn a_commit_that_fails_leaves_no_report_of_it_behind() {
    let world = World::with(|settings, folder| {
        settings.program = folder.join("program");
        let text = "for word; do if [ \"$word\" = fast-import ]; then printf 'commit\\n' | git \"$@\"; exit 128; fi; done; exec git \"$@\"";
        crate::script(&settings.program, text);
    });
    assert!(world.repo.commit_actions(&request(None, vec![create("a", b"1")])).is_err());
    let left = std::fs::read_dir(world.repo.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().contains("crash")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_commit_that_changes_nothing_is_refused() {
    let world = World::new();
    let tip = world.commit("main", "x", &[("a", "1")]);
    for actions in [vec![], vec![update("a", b"1", None)], vec![create("b", b""), delete("b")]] {
        assert_eq!(refusal(world.repo.commit_actions(&request(Some(tip), actions))), Refusal::Empty);
    }
}

#[test]
fn a_branch_that_has_moved_is_not_overwritten() {
    let world = World::new();
    let seen = world.commit("main", "x", &[("a", "1")]);
    let tip = world.commit("main", "y", &[("b", "1")]);
    assert_eq!(refusal(world.repo.commit_actions(&request(Some(seen), vec![create("c", b"1")]))), Refusal::Stale);
    let fresh = CommitRequest { tip: None, ..request(Some(seen), vec![create("c", b"1")]) };
    assert_eq!(refusal(world.repo.commit_actions(&fresh)), Refusal::AlreadyExists);
    assert_eq!(world.resolve("main"), Some(tip));
}

#[test]
fn a_file_is_put_where_nothing_or_the_same_is_and_replaces_others_if_asked() {
    let world = World::new();
    let put =
        |text: &str, content: &[u8], replaces| Action::Put { path: at(text), content: content.to_vec(), replaces };
    let program = Action::Create { path: at("run"), content: b"1".to_vec(), executable: true };
    let tip = world.repo.commit_actions(&request(None, vec![create("a", b"1"), create("d/b", b"2"), program])).unwrap();
    let refused = |actions| refusal(world.repo.commit_actions(&request(Some(tip), actions)));
    assert_eq!(refused(vec![put("n", b"n", false), put("a", b"2", false)]), Refusal::FileExists("a".to_owned()));
    assert_eq!(refused(vec![put("n", b"1", false), put("n", b"2", false)]), Refusal::FileExists("n".to_owned()));
    assert_eq!(refused(vec![put("a", b"1", false), put("d/b", b"2", true)]), Refusal::Empty);
    assert_eq!(refused(vec![put("d", b"1", true)]), Refusal::DirectoryFileConflict);
    assert_eq!(refused(vec![put("a/x", b"1", true)]), Refusal::DirectoryFileConflict);
    let actions = vec![put("a", b"1", false), put("d/b", b"3", true), put("run", b"2", true), put("e/n", b"n", false)];
    let next = world.repo.commit_actions(&request(Some(tip), actions)).unwrap();
    let files = world.repo.files(next).unwrap();
    let rows: Vec<_> = files.iter().map(|it| (it.path.as_kept(), it.mode.as_str())).collect();
    assert_eq!(rows, [("a", "100644"), ("d/b", "100644"), ("e/n", "100644"), ("run", "100755")]);
    let content = |text: &str| world.repo.file_at(next, &path(text), 100).unwrap().unwrap().1.content.unwrap();
    assert_eq!((content("d/b"), content("run"), content("e/n")), (b"3".to_vec(), b"2".to_vec(), b"n".to_vec()));
}
