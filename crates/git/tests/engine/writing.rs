//! Refs move only from the targets that were seen.

use std::thread;

use tenon_git::write::{RefChange, Refusal, WriteError};
use tenon_git::{Oid, RefName, TagName};

use crate::{World, bob, branch};

pub(crate) fn refusal<T: std::fmt::Debug>(result: Result<T, WriteError>) -> Refusal {
    match result {
        Err(WriteError::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_branch_is_made_and_removed_as_it_was_seen() {
    let world = World::new();
    let first = world.commit("main", "one", &[("a", "1")]);
    let second = world.commit("main", "two", &[("a", "2")]);
    let (repo, new) = (&world.repo, branch("new"));
    repo.create_branch(&new, first).unwrap();
    assert_eq!(refusal(repo.create_branch(&new, first)), Refusal::AlreadyExists);
    assert_eq!(refusal(repo.create_branch(&branch("new/x"), first)), Refusal::DirectoryFileConflict);
    assert_eq!(refusal(repo.create_branch(&branch("x"), Oid::EMPTY_TREE)), Refusal::Missing);
    repo.create_branch(&branch("dir/x"), first).unwrap();
    assert_eq!(refusal(repo.create_branch(&branch("dir"), first)), Refusal::DirectoryFileConflict);
    assert_eq!(refusal(repo.delete_branch(&new, second)), Refusal::Stale);
    repo.delete_branch(&new, first).unwrap();
    assert_eq!(refusal(repo.delete_branch(&new, first)), Refusal::Missing);
    assert_eq!(world.resolve("new"), None);
}

#[test]
fn several_refs_move_together_or_not_at_all() {
    let world = World::new();
    let first = world.commit("main", "one", &[("a", "1")]);
    let second = world.commit("main", "two", &[("a", "2")]);
    let change = |name: &str, old, new| RefChange::to(branch(name).full(), old, new);
    let wrong = [change("a", None, first), change("main", Some(first), second)];
    assert_eq!(refusal(world.repo.update_refs(&wrong)), Refusal::Stale);
    assert_eq!(world.resolve("a"), None);
    let clash = [change("a", None, first), change("a/b", None, first)];
    assert_eq!(refusal(world.repo.update_refs(&clash)), Refusal::DirectoryFileConflict);
    let right = [change("a", None, first), change("main", Some(second), first)];
    world.repo.update_refs(&right).unwrap();
    assert_eq!((world.resolve("a"), world.resolve("main")), (Some(first), Some(first)));
    let name = RefName::merge_request_head(1);
    for new in [first, second, second] {
        world.repo.update_refs(&[RefChange::Set { name: name.clone(), new }]).unwrap();
    }
    assert_eq!(world.repo.ref_target(&name).unwrap(), Some(second));
    // A change that is made already does not keep the rest from being made, or from being refused.
    let set = RefChange::Set { name, new: second };
    assert_eq!(refusal(world.repo.update_refs(&[set.clone(), change("a", None, second)])), Refusal::AlreadyExists);
    world.repo.update_refs(&[set, change("b", None, second)]).unwrap();
    assert_eq!(world.resolve("b"), Some(second));
}

#[test]
fn of_two_who_move_a_branch_from_one_place_only_one_succeeds() {
    let world = World::new();
    let mut tip = world.commit("main", "zero", &[("a", "0")]);
    let tree: Vec<Oid> = (0..8).map(|number| world.commit(&format!("b{number}"), "x", &[("a", "x")])).collect();
    for pair in tree.chunks(2) {
        let results = thread::scope(|scope| {
            let repo = &world.repo;
            let threads: Vec<_> = pair
                .iter()
                .map(|new| {
                    let change = RefChange::Update { name: branch("main").full(), new: *new, old: tip };
                    scope.spawn(move || repo.update_refs(&[change]).map(|()| *new))
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
        assert_eq!((won.len(), lost.len()), (1, 1));
        assert_eq!(refusal(lost.into_iter().next().unwrap()), Refusal::Stale);
        tip = won.into_iter().next().unwrap().unwrap();
        assert_eq!(world.resolve("main"), Some(tip));
    }
}

#[test]
fn tags_are_made_light_or_annotated() {
    let world = World::new();
    let tip = world.commit("main", "one", &[("a", "1")]);
    let name = |text: &str| TagName::parse(text).unwrap();
    world.repo.create_tag(&name("light"), tip).unwrap();
    let object = world.repo.create_annotated_tag(&name("v1"), tip, "What is new\n\nmuch\0\n", &bob()).unwrap();
    let tag = world.repo.tag(&name("v1")).unwrap().unwrap();
    assert_eq!((tag.target, tag.commit.unwrap().id), (object, tip));
    let annotation = tag.annotation.unwrap();
    assert_eq!((&*annotation.message, annotation.tagger), ("What is new\n\nmuch", Some(bob())));
    assert_eq!(refusal(world.repo.create_tag(&name("v1"), tip)), Refusal::AlreadyExists);
    let missing = world.repo.create_annotated_tag(&name("v2"), Oid::EMPTY_TREE, "x", &bob());
    assert_eq!(refusal(missing), Refusal::Missing);
    assert_eq!(refusal(world.repo.delete_tag(&name("v1"), tip)), Refusal::Stale);
    world.repo.delete_tag(&name("v1"), object).unwrap();
    assert_eq!(world.repo.tag(&name("v1")).unwrap(), None);
    assert!(world.is_sound());
}

#[test]
fn the_default_branch_can_be_one_that_is_not_there_yet() {
    let world = World::new();
    world.repo.set_default_branch(&branch("trunk")).unwrap();
    assert_eq!(world.repo.default_branch().unwrap(), Some(branch("trunk")));
    let tip = world.commit("trunk", "x", &[("a", "1")]);
    assert_eq!(world.resolve("HEAD"), Some(tip));
}

#[test]
fn maintenance_keeps_what_was_reached_lately_and_what_refs_reach() {
    let world = World::new();
    let kept = world.commit("main", "one", &[("a", "1")]);
    let lost = world.commit("gone", "two", &[("a", "2")]);
    let hidden = world.commit("x", "three", &[("a", "3")]);
    world.repo.update_refs(&[RefChange::Set { name: RefName::keep_around(hidden), new: hidden }]).unwrap();
    world.repo.delete_branch(&branch("gone"), lost).unwrap();
    world.repo.delete_branch(&branch("x"), hidden).unwrap();
    world.repo.maintain().unwrap();
    assert!(world.repo.commit(lost).unwrap().is_some());
    world.drop_unreachable();
    assert_eq!(world.repo.commit(lost).unwrap(), None);
    assert!(world.repo.commit(kept).unwrap().is_some() && world.repo.commit(hidden).unwrap().is_some());
    assert!(world.repo.path().join("objects/info/commit-graphs").exists());
    assert!(world.is_sound());
    let pack = std::fs::read_dir(world.repo.path().join("objects/pack")).unwrap();
    let pack = pack.map(|it| it.unwrap().path()).find(|it| it.extension().is_some_and(|it| it == "pack")).unwrap();
    std::fs::remove_file(pack).unwrap();
    assert!(!world.is_sound());
}
