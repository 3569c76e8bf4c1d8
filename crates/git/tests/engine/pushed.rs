//! The limits of a push: names, tags, and numbers of files.

use std::time::{Duration, Instant};

use tenon_domain::limits::PushLimits;
use tenon_git::hook::QuarantinePaths;

use super::*;

/// The reason why all objects of this repository would be refused, if a push had brought them and moved refs to these.
fn refusal(world: &World, tips: &[Oid], limits: &PushLimits) -> Option<String> {
    let objects = world.repo.path().join("objects").display().to_string();
    let paths = QuarantinePaths { objects: Some(objects), ..QuarantinePaths::default() };
    let brought = world.repo.quarantine(&paths).unwrap();
    let [one, three] = [1, 3].map(|threads| brought.refusal(tips, limits, threads).unwrap());
    assert_eq!(one, three);
    one
}

/// Writes an object as it is.
pub(crate) fn object(world: &World, kind: &str, content: &[u8]) -> Oid {
    let arguments = ["hash-object", "-t", kind, "-w", "--stdin", "--literally"];
    git(world.repo.path(), &arguments, content).trim().parse().unwrap()
}

fn raw(id: Oid) -> Vec<u8> {
    let digits = id.to_string();
    (0..20).map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap()).collect()
}

/// Writes a directory with these entries, in this order.
pub(crate) fn tree(world: &World, entries: &[(&str, &[u8], Oid)]) -> Oid {
    let mut content = Vec::new();
    for (mode, name, id) in entries {
        content.extend([mode.as_bytes(), b" ", name, b"\0", &raw(*id)].concat());
    }
    object(world, "tree", &content)
}

pub(crate) fn commit(world: &World, tree: Oid, parents: &[Oid]) -> Oid {
    let parents: String = parents.iter().map(|parent| format!("parent {parent}\n")).collect();
    let people = "author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n";
    object(world, "commit", format!("tree {tree}\n{parents}{people}\nx\n").as_bytes())
}

#[test]
fn a_path_may_have_any_bytes_that_lead_nowhere_else() {
    let dangerous: [&[u8]; 9] =
        [b".git", b".GIT", b"git~1", b".git. .", b".git:x", b"a\\.git", b".", b"..", "\u{feff}.git".as_bytes()];
    for name in dangerous {
        let world = World::new();
        let blob = object(&world, "blob", b"x");
        let folder = tree(&world, &[("100644", name, blob)]);
        commit(&world, tree(&world, &[("40000", b"d", folder)]), &[]);
        let found = refusal(&world, &[], &PushLimits::default()).unwrap();
        assert!(found.starts_with("The name '") && found.ends_with("' is not allowed in a path."), "{found}");
    }
    let world = World::new();
    let blob = object(&world, "blob", b"x");
    let fine: [&[u8]; 8] =
        [b"a\x01\x1b[31m", b"a\nb", b"a\\b", b"caf\xe9", b"git~2", b"nul.", "a\u{202e}b".as_bytes(), b"x\x7f"];
    for name in fine {
        commit(&world, tree(&world, &[("100664", name, blob)]), &[]);
    }
    assert_eq!(refusal(&world, &[], &PushLimits::default()), None);
    // The name has no control characters when it is shown.
    commit(&world, tree(&world, &[("100644", b"a\x1b\\.git", blob)]), &[]);
    let found = refusal(&world, &[], &PushLimits::default());
    assert_eq!(found.as_deref(), Some(r"The name 'a\u{1b}\.git' is not allowed in a path."));
}

#[test]
fn a_path_has_a_bounded_length_whatever_leads_to_it() {
    let world = World::new();
    let blob = object(&world, "blob", b"x");
    let nested = |name: &[u8], levels: usize, mode: &str| {
        (0..levels).fold(tree(&world, &[("100644", name, blob)]), |below, _| tree(&world, &[(mode, b"d", below)]))
    };
    commit(&world, nested(&[b'x'; 4096 - 200], 100, "40000"), &[]);
    assert_eq!(refusal(&world, &[], &PushLimits::default()), None);
    for mode in MODES {
        let long = nested(&[b'z'; 4097 - 200], 100, mode);
        let found = refusal(&world, &[long], &PushLimits::default());
        assert_eq!(found.as_deref(), Some("A path has more than 4096 bytes."), "{mode}");
    }
    // One that is too long is reached by a tag only.
    let long = nested(&[b'y'; 4097 - 200], 100, "40000");
    assert_eq!(refusal(&world, &[], &PushLimits::default()), None);
    let tag = object(&world, "tag", format!("object {long}\ntype tree\ntag t\n\nx\n").as_bytes());
    for tip in [tag, long] {
        let found = refusal(&world, &[tip], &PushLimits::default());
        assert_eq!(found.as_deref(), Some("A path has more than 4096 bytes."));
    }
    commit(&world, long, &[]);
    assert_eq!(refusal(&world, &[], &PushLimits::default()).as_deref(), Some("A path has more than 4096 bytes."));
}

#[test]
fn a_tag_leads_to_a_bounded_number_of_tags() {
    let world = World::new();
    let blob = object(&world, "blob", b"x");
    let tag = |to: Oid, kind: &str, number: usize| {
        object(&world, "tag", format!("object {to}\ntype {kind}\ntag t\n\n{number}\n").as_bytes())
    };
    let nested = |above: usize| (0..above).fold(tag(blob, "blob", 99), |behind, number| tag(behind, "tag", number));
    assert_eq!(refusal(&world, &[nested(9), blob, Oid::ZERO], &PushLimits::default()), None);
    let found = refusal(&world, &[nested(10)], &PushLimits::default());
    assert_eq!(found.as_deref(), Some("A tag leads to more than 10 tags."));
}

/// The counted files are those that `git diff-tree` lists against the first parent.
#[test]
fn files_are_counted_as_git_does() {
    let world = World::new();
    let mut main =
        vec![world.commit("main", "one", &[("a", "1"), ("d/a", "1"), ("d/e/b", "1"), ("f/x", "1"), ("z", "1")])];
    world.git(&["branch", "topic", "main"]);
    // A directory becomes a file, a file a directory; one is removed, one is there twice.
    main.push(world.commit("main", "two", &[("d/a", ""), ("d/e/b", ""), ("d", "file"), ("a", ""), ("a/b/c", "2")]));
    let topic = world.commit("topic", "side", &[("t/1", "1"), ("t/2", "2"), ("t/3", "3"), ("t/u/4", "4")]);
    main.push(world.commit("main", "three", &[("f/x", ""), ("g/x", "1"), ("h/x", "1")]));
    let merged = world.git(&["merge-tree", "--write-tree", "main", "topic"]).trim().parse().unwrap();
    let merge = commit(&world, merged, &[main[2], topic]);
    main.push(merge);
    let sub = format!("160000 commit {merge}\ts\n100755 blob {}\tz\n", world.git(&["rev-parse", "main:z"]).trim());
    let last = git(world.repo.path(), &["mktree"], sub.as_bytes()).trim().parse().unwrap();
    main.push(commit(&world, last, &[merge]));
    let listed = |commit: Oid, parent: &str| {
        let names = world.git(&["diff-tree", "-r", "--no-renames", "--name-only", parent, &commit.to_string()]);
        names.lines().count()
    };
    let mut counts = vec![listed(main[0], &Oid::EMPTY_TREE.to_string()), listed(topic, &main[0].to_string())];
    counts.extend(main.windows(2).map(|two| listed(two[1], &two[0].to_string())));
    let (most, all) = (*counts.iter().max().unwrap(), counts.iter().sum::<usize>());
    assert_eq!(counts, [5, 4, 5, 3, 4, 10]);
    let with = |files_per_commit, files| {
        refusal(&world, &[], &PushLimits { files_per_commit, files, ..PushLimits::default() })
    };
    assert_eq!(with(most, all), None);
    let each = "A commit of this push changes more than 9 files (limit push.files_per_commit).";
    assert_eq!(with(most - 1, all).as_deref(), Some(each));
    let total = "The commits of this push change more than 30 files (limit push.files).";
    assert_eq!(with(most, all - 1).as_deref(), Some(total));
}

#[test]
fn every_commit_of_a_long_history_is_counted_once() {
    let world = World::new();
    let mut input = String::new();
    for number in 0..700 {
        input += &format!("commit refs/heads/main\ncommitter A <a@b> {number} +0000\ndata 1\nx\n");
        for path in [format!("d/{}/f", number % 7), "g".to_owned()] {
            input += &format!("M 100644 inline {path}\ndata <<E\n{number}\nE\n");
        }
        input += "\n";
    }
    git(world.repo.path(), &["fast-import", "--quiet"], input.as_bytes());
    let with = |files| refusal(&world, &[], &PushLimits { files, files_per_commit: 2, ..PushLimits::default() });
    assert_eq!(with(1400), None);
    assert!(with(1399).is_some());
}

#[test]
fn directories_that_contain_each_other_cost_nothing() {
    let began = Instant::now();
    let world = World::new();
    let blob = object(&world, "blob", b"x");
    let empty = tree(&world, &[]);
    let levels = |bottom: Oid, count: usize, names: &[&[u8]]| {
        (0..count).fold(bottom, |below, _| {
            let entries: Vec<_> = names.iter().map(|name| ("40000", *name, below)).collect();
            tree(&world, &entries)
        })
    };
    // 2^60 paths, at the end of which there is nothing.
    let nothing = levels(empty, 60, &[b"a", b"b"]);
    let first = commit(&world, nothing, &[]);
    assert_eq!(refusal(&world, &[first], &PushLimits::default()), None);
    // Ten directories on each level, of which each contains all of the next: ten to the eleventh files.
    for mode in MODES {
        let world = World::new();
        object(&world, "blob", b"x");
        let mut level: Vec<Oid> =
            (0..10).map(|number| tree(&world, &[("100644", format!("f{number}").as_bytes(), blob)])).collect();
        for depth in 0..10 {
            level = (0..10)
                .map(|number| {
                    let names: Vec<String> = (0..10).map(|name| format!("{name}-{depth}-{number}")).collect();
                    let entries: Vec<_> =
                        names.iter().zip(&level).map(|(name, id)| (mode, name.as_bytes(), *id)).collect();
                    tree(&world, &entries)
                })
                .collect();
        }
        commit(&world, level[0], &[]);
        let found = refusal(&world, &[], &PushLimits::default());
        assert_eq!(found.as_deref(), Some(TOO_MANY), "{mode}");
    }
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
}

/// Modes of a directory: Git takes all of them for `40000`.
const MODES: [&str; 4] = ["40000", "40755", "0040000", "1040000"];
const TOO_MANY: &str = "A commit of this push changes more than 100000 files (limit push.files_per_commit).";

/// Each of 300 directories of a level contains all of the next level: no pair of them is compared twice on its level.
#[test]
fn wide_directories_that_contain_each_other_are_compared_once() {
    let world = World::new();
    let mut level = vec![tree(&world, &[]); 300];
    for depth in 0..5 {
        let mut input = String::new();
        for number in 0..300 {
            for (name, id) in level.iter().enumerate() {
                input += &format!("040000 tree {id}\t{name}-{depth}-{number}\n");
            }
            input.push('\n');
        }
        let made = git(world.repo.path(), &["mktree", "--missing", "--batch"], input.as_bytes());
        level = made.lines().map(|id| id.parse().unwrap()).collect();
        assert_eq!(level.len(), 300);
    }
    commit(&world, level[0], &[]);
    // Four levels of 300 directories with 300 entries, and the top.
    let limits = PushLimits { files_per_commit: 36_100, ..PushLimits::default() };
    assert_eq!(refusal(&world, &[], &limits), None);
}

/// The pairs that wait to be compared are bounded by the changes that one commit may make. They do not grow with the
/// number of commits that are read at the same time.
#[test]
fn commits_that_share_a_large_directory_are_counted_one_after_the_other() {
    let world = World::new();
    let mut input = "blob\nmark :1\ndata 1\nx\ncommit refs/heads/c0\ncommitter A <a@b> 0 +0000\ndata 1\nx\n".to_owned();
    for number in 0..8_200 {
        input += &format!("M 100644 :1 d{number}/f{number}\n");
    }
    git(world.repo.path(), &["fast-import", "--quiet"], input.as_bytes());
    let shared = world.git(&["rev-parse", "c0^{tree}"]);
    let mut input = String::new();
    for number in 1..256 {
        input += &format!("commit refs/heads/c{number}\ncommitter A <a@b> {number} +0000\ndata 1\nx\n");
        input += &format!("M 040000 {} \"\"\n\n", shared.trim());
    }
    git(world.repo.path(), &["fast-import", "--quiet"], input.as_bytes());
    assert_eq!(world.git(&["rev-list", "--all", "--count"]).trim(), "256");
    assert_eq!(world.git(&["rev-parse", "c255^{tree}"]), shared);
    let with = |files_per_commit| {
        refusal(&world, &[], &PushLimits { files_per_commit, files: 100_000, ..PushLimits::default() })
    };
    let all = "The commits of this push change more than 100000 files (limit push.files).";
    assert_eq!(with(8_200).as_deref(), Some(all));
    let one = "A commit of this push changes more than 8199 files (limit push.files_per_commit).";
    assert_eq!(with(8_199).as_deref(), Some(one));
}

#[test]
fn history_is_missing_only_where_a_commit_is_not_there() {
    let world = World::new();
    let plain = tree(&world, &[]);
    let (first, nowhere) = (commit(&world, plain, &[]), "1".repeat(40).parse().unwrap());
    let [whole, shallow] = [first, nowhere].map(|parent| commit(&world, plain, &[parent]));
    let objects = world.repo.path().join("objects");
    let paths = QuarantinePaths { objects: Some(objects.display().to_string()), ..QuarantinePaths::default() };
    let brought = world.repo.quarantine(&paths).unwrap();
    assert!(!brought.lacks_history(&[whole]).unwrap());
    assert!(brought.lacks_history(&[shallow]).unwrap());
    // A push that only moves refs brings nothing.
    assert!(!world.repo.quarantine(&QuarantinePaths::default()).unwrap().lacks_history(&[shallow]).unwrap());
    let name = first.to_string();
    let file = objects.join(&name[..2]).join(&name[2..]);
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, "no object").unwrap();
    assert!(!brought.lacks_history(&[whole]).unwrap());
}
