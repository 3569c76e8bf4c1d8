//! The limits of a question, and the answer if a repository holds more than that.

use std::time::Duration;

use tenon_domain::limits::Limits;
use tenon_git::blame::{Blame, BlameLines};
use tenon_git::branch::{BranchFilter, BranchOrder};
use tenon_git::commit::{CommitQuery, CommitRange, Stats};
use tenon_git::compare::CompareFrom;
use tenon_git::diff::DiffLimits;
use tenon_git::tag::{Direction, TagOrder};
use tenon_git::tree::Depth;
use tenon_git::write::{Refusal, WriteError};
use tenon_git::{CancelToken, GitError, Oid, TagName};

use super::*;

const TIME: Duration = Duration::from_secs(9);

/// A store under these limits.
fn limited(change: impl Fn(&mut Limits)) -> World {
    World::with(|settings, _| change(&mut settings.limits))
}

/// A store whose Git is a script that does this once its input has ended.
pub(super) fn scripted(text: &str, change: impl Fn(&mut Limits)) -> World {
    let world = World::new();
    let program = world.folder.path().join("program");
    script(&program, &format!("case \"$*\" in *version*) echo git version 2.47;; *) cat > /dev/null\n{text};; esac"));
    let mut settings = EngineSettings { program, ..EngineSettings::new(world.folder.path().join("scripted")) };
    change(&mut settings.limits);
    let store = Store::open(Engine::open(&settings).unwrap(), &world.folder.path().join("repositories")).unwrap();
    let repo = store.repository(ProjectId::new(1));
    World { store, repo, ..world }
}

/// Writes an object as it is.
fn object(world: &World, kind: &str, content: &[u8]) -> Oid {
    let arguments = ["hash-object", "-t", kind, "-w", "--stdin", "--literally"];
    git(world.repo.path(), &arguments, content).trim().parse().unwrap()
}

/// A commit after `parent`, with so many bytes of message.
fn long_commit(world: &World, parent: Oid, author: &str, size: usize) -> Oid {
    let tree = world.git(&["rev-parse", &format!("{parent}^{{tree}}")]);
    let head = format!("tree {}\nparent {parent}\n", tree.trim());
    let people = format!("author {author} <a@b> 1700000000 +0100\ncommitter Bob <b@c> 1700000000 +0000\n");
    object(world, "commit", format!("{head}{people}\ntitle\n\n{}", "ä".repeat(size / 2)).as_bytes())
}

#[cfg(target_os = "linux")]
#[test]
fn every_process_has_limits_and_what_is_long_yields() {
    let say = "printf 'blob data=%s cpu=%s core=%s nice=%s' $(ulimit -d) $(ulimit -t) $(ulimit -c) $(nice)";
    let world = scripted(say, |limits| {
        limits.git.memory = 300 << 20;
        limits.git.cpu = Duration::from_secs(7);
    });
    let said = world.repo.search_paths(Oid::ZERO, "=", 9).unwrap().remove(0);
    let (limits, nice) = said.as_kept().split_once(" nice=").unwrap();
    assert_eq!(limits, "data=307200 cpu=7 core=0");
    assert!(nice.parse::<i32>().unwrap() >= 5, "{nice}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_works_too_long_is_ended_by_its_limit() {
    let world = scripted("while :; do :; done", |limits| limits.git.cpu = Duration::from_secs(1));
    let found = world.repo.commit_count(&CommitQuery::new(CommitRange::All));
    assert!(matches!(found, Err(GitError::Timeout("rev-list"))), "{found:?}");
}

#[test]
fn what_is_no_longer_waited_for_ends() {
    let world = scripted("touch \"$0.begun\"; exec tail -f /dev/null", |_| {});
    let begun = world.folder.path().join("program.begun");
    let token = CancelToken::default();
    let repo = world.repo.clone();
    let work = std::thread::spawn({
        let token = token.clone();
        move || token.scope(|| repo.commit_count(&CommitQuery::new(CommitRange::All)))
    });
    while !begun.exists() {
        std::thread::yield_now();
    }
    token.cancel();
    assert!(matches!(work.join().unwrap(), Err(GitError::Cancelled("rev-list"))));
    // And is not begun.
    std::fs::remove_file(&begun).unwrap();
    let found = token.scope(|| world.repo.commit_count(&CommitQuery::new(CommitRange::All)));
    assert!(matches!(found, Err(GitError::Cancelled("rev-list"))) && !begun.exists());
}

#[test]
fn a_long_message_is_cut_and_hides_nothing_else() {
    let world = limited(|limits| limits.reads.message = 101);
    let first = world.commit("main", "one", &[("a", "1")]);
    for size in [300, 30_000, 3_000_000] {
        let long = long_commit(&world, first, "Ann", size);
        world.git(&["update-ref", "refs/heads/main", &long.to_string()]);
        world.git(&["update-ref", "refs/tags/light", &long.to_string()]);
        let check = |commit: &tenon_git::commit::Commit| {
            assert_eq!((commit.id, &*commit.parents), (long, &[first][..]));
            assert_eq!((commit.title(), &*commit.author.name, &*commit.committer.email), ("title", "Ann", "b@c"));
            assert_eq!((commit.author.seconds, commit.author.offset_minutes), (1_700_000_000, 60));
            assert_eq!(commit.message, format!("title\n\n{}", "ä".repeat(47)), "{size}");
        };
        let listed = world.repo.counted_commits(&CommitQuery::new(CommitRange::From(long)), page(1, 20)).unwrap();
        check(&listed.items[0]);
        assert_eq!((listed.total, &*listed.items[1].message), (2, "one"));
        for order in [BranchOrder::Name, BranchOrder::UpdatedDescending] {
            check(&world.repo.branches(BranchFilter::default(), order, page(1, 20)).unwrap().items[0].commit);
        }
        check(&world.repo.compare(first, long, CompareFrom::MergeBase, 100, DiffLimits::default()).unwrap().commits[0]);
        let tagger = "tagger Ann <a@b> 1700000000 +0100";
        let head = format!("object {long}\ntype commit\ntag t\n{tagger}\n\n");
        let tag = object(&world, "tag", format!("{head}said\n\n{}", "x".repeat(size)).as_bytes());
        world.git(&["update-ref", "refs/tags/t", &tag.to_string()]);
        let tags = world.repo.tags(None, TagOrder::Updated, Direction::Ascending, page(1, 20)).unwrap().items;
        assert_eq!(tags.iter().map(|tag| tag.name.as_str()).collect::<Vec<_>>(), ["light", "t"]);
        for tag in &tags {
            check(tag.commit.as_ref().unwrap());
        }
        let said = tags[1].annotation.as_ref().unwrap();
        assert_eq!(said.message, format!("said\n\n{}", "x".repeat(95)));
        assert_eq!(said.tagger.as_ref().unwrap().name, "Ann");
    }
    // A commit that is made again is made whole.
    let long = long_commit(&world, first, "Ann", 300);
    assert_eq!(world.repo.whole_commit(long).unwrap().unwrap().message.chars().count(), 157);
}

#[cfg(target_os = "linux")]
#[test]
fn a_commit_that_git_cannot_hold_is_listed_without_its_text() {
    let world = limited(|limits| limits.git.memory = 48 << 20);
    let first = world.commit("main", "one", &[("a", "1")]);
    let long = long_commit(&world, first, "Ann", 100 << 20);
    world.git(&["update-ref", "refs/heads/main", &long.to_string()]);
    world.git(&["update-ref", "refs/tags/light", &long.to_string()]);
    // As after every push.
    world.repo.write_commit_graph().unwrap();
    let listed = world.repo.counted_commits(&CommitQuery::new(CommitRange::From(long)), page(1, 20)).unwrap();
    let rows: Vec<_> = listed.items.iter().map(|it| (it.id, &*it.message)).collect();
    assert_eq!(rows, [(long, ""), (first, "one")]);
    for order in [BranchOrder::Name, BranchOrder::UpdatedDescending] {
        assert_eq!(world.repo.branches(BranchFilter::default(), order, page(1, 20)).unwrap().items[0].commit.id, long);
    }
    assert!(world.repo.merged_branches(long).is_ok());
    let tags = world.repo.tags(None, TagOrder::Updated, Direction::Ascending, page(1, 20)).unwrap().items;
    assert_eq!(tags[0].commit.as_ref().map(|commit| commit.id), Some(long));
}

#[test]
fn statistics_count_a_bounded_number_of_files() {
    let world = limited(|limits| {
        limits.reads.stats_files = 3;
        limits.reads.stats_files_per_page = 7;
    });
    let many: Vec<(String, String)> = (0..5).map(|number| (format!("f{number}"), "1\n2\n".to_owned())).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let one = world.commit("main", "one", &many);
    let two = world.commit("main", "two", &[("a", "1\n")]);
    let three = world.commit("main", "three", &[("f1", "x\n"), ("f2", "x\n"), ("f3", "x\n"), ("f4", "x\n")]);
    let four = world.commit("main", "four", &[("a", "2\n"), ("b", "x\n")]);
    let stats = |additions, deletions, files| Stats { additions, deletions, files };
    let all = [one, two, three, four];
    let found = world.repo.commit_stats(&all).unwrap();
    // The files behind the last one of the page are counted next time.
    let first = [stats(6, 0, 3), stats(1, 0, 1), stats(3, 6, 3), Stats::default()];
    assert_eq!(all.map(|id| found[&id]), first);
    let found = world.repo.commit_stats(&all).unwrap();
    assert_eq!(all.map(|id| found[&id]), [first[0], first[1], first[2], stats(2, 1, 2)]);
}

#[test]
fn a_hundred_thousand_files_are_counted_at_once() {
    // Git compares all of them before it prints the first one, which takes long on a busy machine.
    let world = limited(|limits| limits.git.wall = Duration::from_mins(10));
    let blob = object(&world, "blob", b"x\n");
    let mut entry = format!("100644 blob {blob}");
    for _ in 0..5 {
        let lines: String = (0..10).map(|number| format!("{entry}\t{number}\n")).collect();
        entry = format!("040000 tree {}", git(world.repo.path(), &["mktree"], lines.as_bytes()).trim());
    }
    let tree = entry.rsplit(' ').next().unwrap();
    let commit = world.git(&["commit-tree", tree, "-m", "many"]).trim().parse().unwrap();
    assert_eq!(world.repo.commit_stats(&[commit]).unwrap()[&commit].files, 1000);
}

#[test]
fn blame_is_bounded_and_goes_by_ranges() {
    let world = limited(|limits| {
        limits.reads.blame_lines = 4;
        limits.answers.json_file = 2000;
    });
    world.commit("main", "one", &[("a", "1\n2\n3\n4\n"), ("many", "1\n2\n3\n4\n5\n"), ("wide", &"x".repeat(2001))]);
    let tip = world.commit("main", "two", &[("a", "1\nzwei\n3\n4\n"), ("empty", "x")]);
    let blamed = |file: &str, range: Option<(usize, usize)>| {
        let lines = range.map(|(start, end)| BlameLines { start, end });
        let Blame::Lines(ranges) = world.repo.blame(tip, &path(file), lines, TIME).unwrap().unwrap() else {
            return None;
        };
        Some(ranges.iter().map(|it| it.lines.join("|")).collect::<Vec<_>>())
    };
    let texts = |lines: &[&str]| Some(lines.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(blamed("a", None), texts(&["1", "zwei", "3|4"]));
    assert_eq!(blamed("a", Some((2, 3))), texts(&["zwei", "3"]));
    assert_eq!(blamed("a", Some((4, 9))), texts(&["4"]));
    assert_eq!(blamed("a", Some((5, 9))), texts(&[]));
    assert_eq!(blamed("many", None), None);
    assert_eq!(blamed("many", Some((2, 4))), texts(&["2|3|4"]));
    let wide = world.repo.blame(tip, &path("wide"), None, TIME);
    assert!(matches!(wide, Err(GitError::TooLarge("blame"))), "{wide:?}");
    // The same commit again and again has a short message.
    let message = format!("three\n{}", "m".repeat(1900));
    let third = world.commit("main", &message, &[("a", "x\nzwei\ny\n4\n")]);
    let Blame::Lines(ranges) = world.repo.blame(third, &path("a"), None, TIME).unwrap().unwrap() else {
        panic!("it has four lines");
    };
    assert_eq!(ranges.iter().map(|it| it.commit.message.len().min(500)).collect::<Vec<_>>(), [500, 3, 500, 3]);
    assert_eq!(ranges[0].commit.message.len(), 500);
}

#[test]
fn a_long_line_is_found_and_cut() {
    let world = World::new();
    let long = format!("needle{}\n", "x".repeat(9 << 20));
    let tip = world.commit("main", "x", &[("a", &long), ("b", &long), ("c", "a needle\n")]);
    let found = world.repo.search_content(tip, "needle", 9).unwrap();
    let rows: Vec<_> = found.iter().map(|it| (it.path.as_kept(), it.line, it.text.len())).collect();
    assert_eq!(rows, [("a", 1, 1000), ("b", 1, 1000), ("c", 1, 8)]);
}

#[test]
fn a_directory_with_everything_below_it_has_a_bounded_listing() {
    let world = limited(|limits| limits.reads.tree_entries = 3);
    let few = world.commit("main", "x", &[("a/b", "1"), ("c", "1")]);
    let many = world.commit("main", "y", &[("d", "1")]);
    let all = |tip| world.repo.tree(tip, None, Depth::All, page(1, 2));
    assert_eq!(all(few).unwrap().unwrap().total, 3);
    assert!(matches!(all(many), Err(GitError::TooLarge(_))));
    assert_eq!(world.repo.tree(many, None, Depth::One, page(1, 2)).unwrap().unwrap().total, 3);
}

#[test]
fn a_message_that_could_not_be_pushed_is_not_written() {
    let world = limited(|limits| limits.push.commit = 2000);
    let tip = world.commit("main", "x", &[("a", "1")]);
    let tag = |name: &str, size: usize| {
        world.repo.create_annotated_tag(&TagName::parse(name).unwrap(), tip, &"m".repeat(size), &bob())
    };
    assert!(tag("fine", 900).is_ok());
    assert!(matches!(tag("long", 1000), Err(WriteError::Refused(Refusal::MessageTooLong(976)))));
    assert!(matches!(
        world.repo.revert(tip, tip, &bob(), &"m".repeat(1000)),
        Err(WriteError::Refused(Refusal::MessageTooLong(976)))
    ));
}

#[test]
fn a_repository_has_a_bounded_number_of_refs() {
    let world = limited(|limits| limits.quotas.refs = 3);
    let tip = world.commit("main", "x", &[("a", "1")]);
    for name in ["refs/tags/t", "refs/keep-around/x", "refs/merge-requests/1/head"] {
        world.git(&["update-ref", name, &tip.to_string()]);
    }
    let full = |created| world.repo.has_too_many_refs(created).unwrap();
    assert_eq!([0, 1, 2, 9].map(full), [false, false, true, true]);
    // In both places of Git, and once if a ref is in both.
    world.git(&["pack-refs", "--all"]);
    world.commit("main", "y", &[("a", "2")]);
    assert_eq!([0, 1, 2, 9].map(full), [false, false, true, true]);
    world.git(&["update-ref", "refs/notes/n", &tip.to_string()]);
    assert_eq!([0, 1].map(full), [false, true]);
}

#[test]
fn the_digest_of_a_blob_does_not_need_it_whole() {
    let world = World::new();
    world.commit("main", "x", &[("a", "hi\n")]);
    let id: Oid = world.git(&["rev-parse", "main:a"]).trim().parse().unwrap();
    for _ in 0..2 {
        assert_eq!(world.repo.blob_sha256(id).unwrap()[..4], [0x98, 0xea, 0x6e, 0x4f]);
    }
    assert!(world.repo.blob_sha256(Oid::ZERO).is_err());
}
