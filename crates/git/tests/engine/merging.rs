//! Merging, replaying and taking back.

use tenon_domain::id::ProjectId;
use tenon_git::merge::{MergeCheck, MergeMethod, MergeRequest, Squash};
use tenon_git::write::Refusal;
use tenon_git::{Oid, RefName, Signature};

use crate::pushed::object;
use crate::writing::refusal;
use crate::{World, bob, branch, now};

/// `main` and `topic` have each gone on; `topic` by two commits.
fn apart() -> (World, Oid, Oid) {
    let world = World::new();
    world.commit("main", "base", &[("a", "1\n"), ("b", "1\n")]);
    world.git(&["branch", "topic", "main"]);
    world.commit("topic", "first of topic", &[("b", "2\n")]);
    let topic = world.commit("topic", "second of topic", &[("c", "1\n")]);
    let main = world.commit("main", "on main", &[("a", "2\n")]);
    (world, main, topic)
}

fn request(target_tip: Oid, source: Oid, method: MergeMethod, squash: bool) -> MergeRequest {
    let squash = squash.then(|| Squash { author: Signature::new("Ann", "ann@x", now()), message: "all".to_owned() });
    let (author, committer, message) = (bob(), bob(), "Merge".to_owned());
    MergeRequest { target: branch("main"), target_tip, source, method, squash, author, committer, message }
}

fn paths(world: &World, commit: Oid) -> Vec<String> {
    world.repo.files(commit).unwrap().into_iter().map(|it| it.path.to_string()).collect()
}

#[test]
fn a_merge_commit_has_both_sides_as_parents() {
    let (world, main, topic) = apart();
    let accepted = world.repo.merge(&request(main, topic, MergeMethod::Merge, false)).unwrap();
    let commit = world.repo.commit(accepted.tip).unwrap().unwrap();
    assert_eq!(commit.parents, [main, topic]);
    assert_eq!((accepted.merge_commit, accepted.squash_commit), (Some(accepted.tip), None));
    assert_eq!(world.resolve("main"), Some(accepted.tip));
    assert_eq!(paths(&world, accepted.tip), ["a", "b", "c"]);
    let again = world.repo.merge(&request(accepted.tip, topic, MergeMethod::Merge, false));
    assert_eq!(refusal(again), Refusal::Empty);
}

#[test]
fn a_target_that_has_moved_since_the_decision_is_not_merged_into() {
    let (world, main, topic) = apart();
    let moved = world.commit("main", "concurrently", &[("z", "1")]);
    assert_eq!(refusal(world.repo.merge(&request(main, topic, MergeMethod::Merge, false))), Refusal::Stale);
    assert_eq!(world.resolve("main"), Some(moved));
}

#[test]
fn squashed_commits_become_one_on_the_target() {
    let (world, main, topic) = apart();
    let accepted = world.repo.merge(&request(main, topic, MergeMethod::Merge, true)).unwrap();
    let squash = world.repo.commit(accepted.squash_commit.unwrap()).unwrap().unwrap();
    assert_eq!((squash.title(), &*squash.author.name, &*squash.parents), ("all", "Ann", [main].as_slice()));
    assert_eq!(world.repo.commit(accepted.tip).unwrap().unwrap().parents, [main, squash.id]);
    let single = world.commit("single", "alone", &[("s", "1")]);
    world.git(&["branch", "-f", "main", "single~0"]);
    let one = world.commit("single", "one more", &[("s", "2")]);
    let accepted = world.repo.merge(&request(single, one, MergeMethod::FastForward, true)).unwrap();
    assert_eq!((accepted.tip, accepted.squash_commit, accepted.merge_commit), (one, None, None));
}

#[test]
fn a_fast_forward_needs_a_source_that_contains_the_target() {
    let (world, main, topic) = apart();
    for method in [MergeMethod::FastForward, MergeMethod::RebaseMerge] {
        assert_eq!(refusal(world.repo.prepare_merge(&request(main, topic, method, false))), Refusal::NoFastForward);
    }
    let rebased = world.repo.rebase(topic, main, &bob(), 100).unwrap();
    let accepted = world.repo.prepare_merge(&request(main, rebased, MergeMethod::RebaseMerge, false)).unwrap();
    assert_eq!(world.repo.commit(accepted.tip).unwrap().unwrap().parents, [main, rebased]);
    let accepted = world.repo.merge(&request(main, rebased, MergeMethod::FastForward, false)).unwrap();
    assert_eq!((accepted.tip, world.resolve("main")), (rebased, Some(rebased)));
}

#[test]
fn a_rebase_keeps_authors_and_order_and_leaves_out_what_is_there() {
    let (world, _, topic) = apart();
    let main = world.commit("main", "the same", &[("b", "2\n")]);
    let tip = world.repo.rebase(topic, main, &bob(), 100).unwrap();
    let commit = world.repo.commit(tip).unwrap().unwrap();
    assert_eq!((commit.title(), &*commit.author.name, &*commit.committer.name), ("second of topic", "Ann", "Bob"));
    assert_eq!(commit.parents, [main]);
    assert_eq!(refusal(world.repo.rebase(topic, main, &bob(), 1)), Refusal::Empty);
}

#[test]
fn conflicts_are_reported_by_their_files_and_change_nothing() {
    let (world, _, topic) = apart();
    let main = world.commit("main", "clash", &[("b", "3\n"), ("c", "other\n")]);
    let both = vec!["b".to_owned(), "c".to_owned()];
    assert_eq!(world.repo.merge_check(main, topic).unwrap(), MergeCheck::Conflicts(both.clone()));
    assert_eq!(refusal(world.repo.merge(&request(main, topic, MergeMethod::Merge, false))), Refusal::Conflict(both));
    assert_eq!(refusal(world.repo.rebase(topic, main, &bob(), 9)), Refusal::Conflict(vec!["b".to_owned()]));
    assert_eq!(refusal(world.repo.cherry_pick(topic, main, &bob(), "x")), Refusal::Conflict(vec!["c".to_owned()]));
    assert_eq!(world.resolve("main"), Some(main));
    let stranger = world.commit("stranger", "root", &[("z", "1")]);
    assert_eq!(world.repo.merge_check(main, stranger).unwrap(), MergeCheck::Unrelated);
    assert!(world.repo.merge_check(main, Oid::ZERO).is_err());
}

#[test]
fn a_commit_is_picked_and_taken_back() {
    let (world, main, topic) = apart();
    let picked = world.repo.cherry_pick(topic, main, &bob(), "picked").unwrap();
    assert_eq!(paths(&world, picked), ["a", "b", "c"]);
    let commit = world.repo.commit(picked).unwrap().unwrap();
    assert_eq!((&*commit.author.name, &*commit.committer.name, commit.title()), ("Ann", "Bob", "picked"));
    assert_eq!(refusal(world.repo.cherry_pick(topic, picked, &bob(), "x")), Refusal::Empty);
    let back = world.repo.revert(picked, picked, &bob(), "back").unwrap();
    assert_eq!(paths(&world, back), ["a", "b"]);
    assert_eq!(refusal(world.repo.revert(picked, back, &bob(), "x")), Refusal::Empty);
    assert_eq!(refusal(world.repo.revert(Oid::ZERO, back, &bob(), "x")), Refusal::Missing);
    let root = world.commit("root", "root", &[("r", "1")]);
    let picked = world.repo.cherry_pick(root, main, &bob(), "root").unwrap();
    assert_eq!(paths(&world, picked), ["a", "b", "r"]);
    assert_eq!(paths(&world, world.repo.revert(root, picked, &bob(), "x").unwrap()), ["a", "b"]);
}

/// Public histories have people without a name, whom Git does not write.
#[test]
fn commits_of_people_without_a_name_are_picked_and_rebased() {
    for (author, want) in [
        (" <ann@x>", ("ann@x", "ann@x")),
        (". <ann@x>", ("ann@x", "ann@x")),
        ("<>", ("Unknown", "")),
        ("A> <a@x>", ("A", "a@x")),
    ] {
        let (world, main, topic) = apart();
        let (tree, base) = (world.git(&["rev-parse", "topic^{tree}"]), world.git(&["rev-parse", "topic~1"]));
        let head = format!("tree {}\nparent {}\n", tree.trim(), base.trim());
        let people = format!("author {author} 5 +0100\ncommitter {author} 5 +0100\n");
        let odd = object(&world, "commit", format!("{head}{people}\nodd\n").as_bytes());
        assert_ne!(odd, topic);
        let rebased = world.repo.rebase(odd, main, &bob(), 100).unwrap();
        for made in [world.repo.cherry_pick(odd, main, &bob(), "odd").unwrap(), rebased] {
            let made = world.repo.commit(made).unwrap().unwrap();
            assert_eq!((&*made.author.name, &*made.author.email), want, "{author}");
            assert_eq!((made.author.seconds, made.author.offset_minutes), (5, 60), "{author}");
            // Git checks the object that it is asked to name.
            let text = world.git(&["cat-file", "commit", &made.id.to_string()]);
            let name = crate::git(world.repo.path(), &["hash-object", "-t", "commit", "--stdin"], text.as_bytes());
            assert_eq!(name.trim(), made.id.to_string(), "{author}");
        }
    }
}

#[test]
fn a_merge_is_taken_back_against_its_first_parent() {
    let (world, main, topic) = apart();
    let merge = world.repo.merge(&request(main, topic, MergeMethod::Merge, false)).unwrap().tip;
    let back = world.repo.revert(merge, merge, &bob(), "back").unwrap();
    world.git(&["diff", "--exit-code", &main.to_string(), &back.to_string()]);
}

#[test]
fn the_commits_of_a_fork_are_fetched_for_a_merge() {
    let (world, main, _) = apart();
    let fork = world.store.repository(ProjectId::new(2));
    world.store.fork(&world.repo, &fork).unwrap();
    let theirs = world.commit("theirs", "in the fork", &[("f", "1")]);
    world.store.delete(&fork).unwrap();
    world.store.fork(&world.repo, &fork).unwrap();
    world.repo.delete_branch(&branch("theirs"), theirs).unwrap();
    world.drop_unreachable();
    assert_eq!(world.repo.commit(theirs).unwrap(), None);
    let name = RefName::merge_request_head(7);
    world.repo.fetch_from(&fork, theirs, &name).unwrap();
    assert_eq!(world.repo.ref_target(&name).unwrap(), Some(theirs));
    assert_eq!(world.repo.merge_check(main, theirs).unwrap(), MergeCheck::Unrelated);
    assert!(world.repo.fetch_from(&fork, "1".repeat(40).parse().unwrap(), &name).is_err());
}
