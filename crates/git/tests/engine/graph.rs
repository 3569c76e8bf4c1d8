//! Commits and their parents as pages draw them, and ancestors that are known without Git.

use tenon_git::RefName;
use tenon_git::commit::CommitRange;

use super::history::{all_commits, write_history};
use super::*;

#[test]
fn ancestors_are_known_from_the_graph_alone() {
    for seed in 40..43 {
        let world = World::new();
        write_history(&world.repo, seed, 60, 0);
        let commits = all_commits(&world);
        let tip = world.resolve("main").unwrap();
        assert!(!world.repo.is_known_ancestor(*commits.iter().find(|id| **id != tip).unwrap(), tip).unwrap());
        world.repo.write_commit_graph().unwrap();
        for older in &commits {
            let found = world.repo.is_known_ancestor(*older, tip).unwrap();
            assert_eq!(found, world.repo.is_ancestor(*older, tip).unwrap(), "{older} of seed {seed}");
        }
        assert!(
            !world.repo.is_known_ancestor(Oid::ZERO, tip).unwrap() && world.repo.is_known_ancestor(tip, tip).unwrap()
        );
    }
}

#[test]
fn a_graph_has_children_before_parents_and_the_names_of_refs() {
    let world = World::new();
    write_history(&world.repo, 30, 40, 0);
    let tip = world.resolve("main").unwrap();
    world.git(&["branch", "other/one", "main~1"]);
    world.git(&["tag", "light", "main"]);
    world.git(&["tag", "-a", "-m", "x", "heavy", "main~1"]);
    world.git(&["update-ref", "refs/merge-requests/1/head", "main"]);
    let found = world.repo.graph(CommitRange::From(tip), 100).unwrap();
    let want = world.git(&["log", "--topo-order", "--format=%H %P", "main"]);
    let lines: Vec<String> = found
        .iter()
        .map(|commit| {
            [&[commit.id], &commit.parents[..]].concat().iter().map(Oid::to_string).collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert_eq!(lines, want.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>());
    let names = |id: Oid| {
        let commit = found.iter().find(|commit| commit.id == id).unwrap();
        let mut names: Vec<&str> = commit.refs.iter().map(RefName::as_str).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(names(tip), ["refs/heads/main", "refs/tags/light"]);
    assert_eq!(names(world.resolve("main~1").unwrap()), ["refs/heads/other/one", "refs/tags/heavy"]);
    assert_eq!(world.repo.graph(CommitRange::From(tip), 3).unwrap(), found.get(..3).unwrap());
    let all = world.repo.graph(CommitRange::All, 1_000).unwrap();
    assert_eq!(all, found);
}
