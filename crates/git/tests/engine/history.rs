//! The server's own answers, compared with those of Git: histories, last commits of paths, and commits as they are
//! stored.

use std::collections::BTreeSet;
use std::time::Duration;

use tenon_git::commit::{Commit, CommitQuery, CommitRange, Divergence};
use tenon_git::merge::MergeCheck;
use tenon_git::tree::{Depth, EntryKind, TreeEntry};
use tenon_git::{Oid, Repository};

use super::*;

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        let end = u64::try_from(choices.len()).unwrap();
        *choices.get(usize::try_from(self.below(end)).unwrap()).unwrap()
    }
}

const PATHS: [&str; 8] = ["a", "b", "d/a", "d/b", "d/e/f", "d/e/g h", "\u{e4}/b", "link"];

/// Writes a history of so many commits. It has lines that fork and meet, also several at once, clocks that are wrong,
/// and files that come, go and change their type.
pub(super) fn write_history(repository: &Repository, seed: u64, commits: u64, start: u64) {
    let mut numbers = Numbers(seed);
    let mut input = String::new();
    for number in start + 1..=start + commits {
        let seconds = match numbers.below(6) {
            0 => 1_600_000_000,
            1 => 1_600_000_000 - numbers.below(1000),
            _ => 1_600_000_000 + number * 10,
        };
        // Some have no parents at all.
        let first = number - 1 - numbers.below(6).min(number - 1);
        let is_root = first == 0 || numbers.below(20) == 0;
        if is_root {
            input += "reset refs/heads/main\n";
        }
        input += &format!("commit refs/heads/main\nmark :{number}\n");
        for role in ["author", "committer"] {
            input += &format!("{role} Ann \u{e4} <ann@example.com> {seconds} +0100\n");
        }
        let message = numbers.one_of(&["", "title", "title\n\nbody\n", "\n\n\u{e4}\n\n"]);
        input += &format!("data {}\n{message}\n", message.len());
        if !is_root {
            input += &format!("from :{first}\n");
            let mut merged = BTreeSet::from([first]);
            for _ in 0..numbers.one_of(&[0, 0, 1, 3]) {
                let other = number - 1 - numbers.below(6).min(number - 1);
                if other > 0 && merged.insert(other) {
                    input += &format!("merge :{other}\n");
                }
            }
        }
        for _ in 0..numbers.below(3) {
            let path = numbers.one_of(&PATHS);
            let content = numbers.below(3);
            input += &match numbers.below(8) {
                0 => format!("D \"{path}\"\n"),
                1 => "D d\n".to_owned(),
                2 => format!("M 100755 inline \"{path}\"\ndata 1\n{content}\n"),
                3 => format!("M 120000 inline \"{path}\"\ndata 1\n{content}\n"),
                4 => format!("M 160000 {:040x} \"{path}\"\n", content + 1),
                _ => format!("M 100644 inline \"{path}\"\ndata 1\n{content}\n"),
            };
        }
        input.push('\n');
    }
    let marks = repository.path().join("marks").display().to_string();
    let arguments = ["fast-import", "--quiet", "--force", &format!("--export-marks={marks}")];
    let old = format!("--import-marks-if-exists={marks}");
    git(repository.path(), &[&arguments[..], &[&old]].concat(), input.as_bytes());
}

/// All commits, whether or not something leads to them.
pub(super) fn all_commits(world: &World) -> Vec<Oid> {
    let listed = world.git(&["cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)"]);
    listed.lines().filter_map(|line| line.strip_prefix("commit ")?.parse().ok()).collect()
}

/// Compares the server's answers about some commits with those of Git.
fn compare(world: &World, commits: &[Oid]) {
    for tip in commits {
        let text = tip.to_string();
        let want = world.git(&["log", "--format=%H", &text]);
        let want: Vec<Oid> = want.lines().map(|line| line.parse().unwrap()).collect();
        let query = CommitQuery::new(CommitRange::From(*tip));
        let ids = |found: &[Commit]| found.iter().map(|it| it.id).collect::<Vec<_>>();
        let found = world.repo.counted_commits(&query, page(1, 100)).unwrap();
        assert!(ids(&found.items).iter().eq(want.iter().take(100)), "{tip}");
        assert_eq!(usize::try_from(found.total).unwrap(), want.len());
        let found = world.repo.counted_commits(&query, page(2, 7)).unwrap();
        assert_eq!(ids(&found.items), want.iter().skip(7).take(7).copied().collect::<Vec<_>>());
        // Before they are asked for one by one: answers are remembered.
        for folder in [None, Some(path("d")), Some(path("d/e")), Some(path("\u{e4}"))] {
            let Some(entries) = &*world.repo.tree_entries(*tip, folder.as_ref(), Depth::One).unwrap() else { continue };
            let names: Vec<&str> = entries.iter().map(TreeEntry::kept_name).collect();
            let found = world.repo.last_commits(*tip, folder.as_ref(), &names, Duration::from_mins(1)).unwrap();
            for (entry, found) in entries.iter().zip(found) {
                let want = world.git(&["log", "-1", "--format=%H", &text, "--", entry.path.as_kept()]);
                assert_eq!(found, want.trim().parse().ok(), "{} of {tip}", entry.path);
            }
        }
        for path_text in PATHS.iter().chain(&["d", "d/e", "nowhere", "a/b", "\u{e4}"]) {
            let want = world.git(&["log", "-1", "--format=%H", &text, "--", path_text]);
            let found = world.repo.last_commit_id(*tip, &path(path_text)).unwrap();
            assert_eq!(found, want.trim().parse().ok(), "{path_text} of {tip}");
        }
    }
}

/// Compares the server's answers about commits and their parents with those of Git.
fn compare_ranges(world: &World, commits: &[Oid]) {
    let lines = |arguments: &[&str]| world.git(arguments).lines().map(str::to_owned).collect::<Vec<_>>();
    for tip in commits {
        let text = tip.to_string();
        let mut ends = lines(&["rev-list", "--max-count=12", &text]);
        ends.extend(commits.iter().take(4).map(Oid::to_string));
        for end in ends {
            let older: Oid = end.parse().unwrap();
            let want = lines(&["log", "--format=%H", &text, &format!("^{end}")]);
            let query = CommitQuery::new(CommitRange::Between { from: older, to: *tip });
            let found = world.repo.counted_commits(&query, page(1, 100)).unwrap();
            assert!(found.items.iter().map(|it| it.id.to_string()).eq(want.iter().cloned()), "{end}..{text}");
            assert_eq!(usize::try_from(found.total).unwrap(), want.len());
            let second = world.repo.commit_list(&query, 1, 1).unwrap();
            assert!(second.iter().map(|it| it.id.to_string()).eq(want.iter().skip(1).take(1).cloned()));
            let ids = world.repo.commit_ids(&query, 2).unwrap();
            assert!(ids.iter().map(Oid::to_string).eq(want.iter().take(2).cloned()), "{end}..{text}");
            assert_eq!(world.repo.commit_list(&query, found.total, 9).unwrap(), []);
            assert_eq!(world.repo.commit_list(&query, 0, 0).unwrap(), []);
            let counts = world.git(&["rev-list", "--count", "--left-right", &format!("{end}...{text}")]);
            let Divergence { behind, ahead } = world.repo.divergence(older, *tip).unwrap();
            assert_eq!(format!("{behind}\t{ahead}"), counts.trim(), "{end}...{text}");
            assert_eq!(world.repo.is_ancestor(older, *tip).unwrap(), behind == 0, "{end}...{text}");
            for (one, other) in [(older, *tip), (*tip, older)] {
                let base = world.repo.merge_base(&[one, other]).unwrap();
                if behind == 0 || ahead == 0 {
                    let (first, last) = if behind == 0 { (older, *tip) } else { (*tip, older) };
                    assert_eq!(base, Some(first));
                    let tree = world.git(&["rev-parse", &format!("{last}^{{tree}}")]).trim().parse().unwrap();
                    assert_eq!(world.repo.merge_check(one, other).unwrap(), MergeCheck::Clean(tree));
                } else {
                    let bases = lines(&["merge-base", "--all", &one.to_string(), &other.to_string()]);
                    assert!(
                        base.is_none_or(|id| bases.contains(&id.to_string())) && base.is_none() == bases.is_empty()
                    );
                }
            }
        }
    }
}

#[test]
fn ranges_are_those_of_git_with_and_without_a_graph() {
    for seed in 10..12 {
        let world = World::new();
        write_history(&world.repo, seed, 40, 0);
        let commits = all_commits(&world);
        compare_ranges(&world, &commits.iter().step_by(13).copied().collect::<Vec<_>>());
        world.repo.write_commit_graph().unwrap();
        write_history(&world.repo, seed + 100, 10, 40);
        let commits = all_commits(&world);
        compare_ranges(&world, &commits.iter().skip(1).step_by(13).copied().collect::<Vec<_>>());
        compare_ranges(&world, &[world.resolve("main").unwrap()]);
    }
}

#[test]
fn long_lines_are_those_of_git_with_and_without_a_graph() {
    for most in [100_000, 40] {
        let world = World::with(|settings, _| settings.limits.reads.walked_commits = most);
        let commit = |number: u32| world.commit("main", &number.to_string(), &[("a", &number.to_string())]);
        let first = commit(0);
        (1..20).for_each(|number| _ = commit(number));
        world.repo.write_commit_graph().unwrap();
        let middle = commit(20);
        (21..89).for_each(|number| _ = commit(number));
        let tip = commit(89);
        for (from, to, count) in [(first, tip, 89), (middle, tip, 69), (first, middle, 20)] {
            let query = CommitQuery::new(CommitRange::Between { from, to });
            assert_eq!(world.repo.commit_count(&query).unwrap(), count);
            let want = world.git(&["rev-list", &format!("{from}..{to}")]);
            let ids: Vec<String> = world.repo.commit_ids(&query, 200).unwrap().iter().map(Oid::to_string).collect();
            assert_eq!(ids, want.lines().collect::<Vec<_>>());
            assert_eq!(world.repo.divergence(from, to).unwrap(), Divergence { behind: 0, ahead: count });
            assert_eq!(world.repo.divergence(to, from).unwrap(), Divergence { behind: count, ahead: 0 });
            assert_eq!(world.repo.merge_base(&[to, from]).unwrap(), Some(from));
            assert!(world.repo.is_ancestor(from, to).unwrap() && !world.repo.is_ancestor(to, from).unwrap());
        }
    }
}

#[test]
fn commits_that_only_the_graph_still_has_are_not_there() {
    let world = World::new();
    let kept = world.commit("main", "one", &[("a", "1")]);
    world.git(&["branch", "side", "main"]);
    let gone = world.commit("side", "two", &[("a", "2")]);
    world.repo.write_commit_graph().unwrap();
    world.git(&["branch", "-D", "side"]);
    world.git(&["-c", "gc.writeCommitGraph=false", "gc", "--prune=now", "--quiet"]);
    assert!(world.repo.is_ancestor(kept, gone).is_err());
    assert!(world.repo.merge_base(&[kept, gone]).is_err());
    assert!(world.repo.merge_check(kept, gone).is_err());
}

#[test]
fn histories_are_those_of_git_with_and_without_a_graph() {
    for seed in 0..2 {
        let world = World::new();
        write_history(&world.repo, seed, 60, 0);
        let commits = all_commits(&world);
        let some = |from: usize, step: usize| commits.iter().skip(from).step_by(step).copied().collect::<Vec<_>>();
        compare(&world, &some(0, 23));
        // Only the commits of main are in the graph.
        world.git(&["commit-graph", "write", "--reachable", "--changed-paths"]);
        compare(&world, &some(1, 23));
        world.git(&["commit-graph", "write", "--reachable"]);
        compare(&world, &some(2, 23));
        // Newer commits, first beside the graph, then in a layer of their own.
        std::fs::remove_file(world.repo.path().join("objects/info/commit-graph")).unwrap();
        world.repo.write_commit_graph().unwrap();
        write_history(&world.repo, seed + 100, 20, 60);
        compare(&world, &some(3, 23));
        let tip = world.resolve("main").unwrap();
        compare(&world, &[tip]);
        world.git(&["commit-graph", "write", "--reachable", "--changed-paths", "--split=no-merge"]);
        let commits = all_commits(&world);
        compare(&world, &commits.iter().skip(4).step_by(23).copied().collect::<Vec<_>>());
        world.git(&["gc", "--quiet"]);
        compare(&world, &[tip]);
    }
}

#[test]
fn without_time_no_last_commit_is_known() {
    let world = World::new();
    let tip = world.commit("main", "one", &[("a", "1")]);
    let find = |time| world.repo.last_commits(tip, None, &["a", "absent"], time).unwrap();
    assert_eq!(find(Duration::ZERO), [None, None]);
    assert_eq!(find(Duration::from_mins(1)), [Some(tip), None]);
}

#[test]
fn what_is_not_certain_is_asked_of_git() {
    let world = World::new();
    write_history(&world.repo, 7, 30, 0);
    world.repo.write_commit_graph().unwrap();
    let tip = world.resolve("main").unwrap();
    let info = world.repo.path().join("objects/info");
    let chain = info.join("commit-graphs/commit-graph-chain");
    let text = std::fs::read_to_string(&chain).unwrap();
    let name = text.trim();
    let graph = info.join(format!("commit-graphs/graph-{name}.graph"));
    let whole = std::fs::read(&graph).unwrap();
    // A graph that is damaged in its first bytes, cut off, or not there.
    let fresh = |change: &dyn Fn()| {
        std::fs::remove_file(&graph).unwrap();
        change();
        let settings = EngineSettings::new(world.folder.path().join("fresh"));
        let store = Store::open(Engine::open(&settings).unwrap(), &world.folder.path().join("repositories")).unwrap();
        let repo = store.repository(ProjectId::new(1));
        let query = CommitQuery::new(CommitRange::From(tip));
        let found = repo.counted_commits(&query, page(1, 9)).unwrap();
        let want = world.git(&["-c", "core.commitGraph=false", "rev-list", "--count", &tip.to_string()]);
        assert_eq!(found.total.to_string(), want.trim());
        assert_eq!(found.items[0].id, tip);
        std::fs::write(&graph, &whole).unwrap();
    };
    fresh(&|| std::fs::write(&graph, b"").unwrap());
    fresh(&|| std::fs::write(&graph, b"CGPX").unwrap());
    fresh(&|| std::fs::write(&graph, b"CGPH\x02\x01\x01\x00").unwrap());
    fresh(&|| std::fs::write(&graph, &whole[..whole.len() / 3]).unwrap());
    fresh(&|| {});
    // A history that is cut off.
    std::fs::write(world.repo.path().join("shallow"), format!("{tip}\n")).unwrap();
    let settings = EngineSettings::new(world.folder.path().join("shallow"));
    let store = Store::open(Engine::open(&settings).unwrap(), &world.folder.path().join("repositories")).unwrap();
    let query = CommitQuery::new(CommitRange::From(tip));
    assert_eq!(store.repository(ProjectId::new(1)).counted_commits(&query, page(1, 9)).unwrap().total, 1);
}

#[test]
fn more_commits_than_the_server_follows_are_listed_as_well() {
    let world = World::with(|settings, _| settings.limits.reads.walked_commits = 5);
    write_history(&world.repo, 11, 40, 0);
    world.repo.write_commit_graph().unwrap();
    compare(&world, &[world.resolve("main").unwrap()]);
}

/// A commit as `git log` shows it.
fn shown(world: &World, id: Oid) -> [String; 8] {
    let format = "--format=%P%x00%an%x00%ae%x00%ad%x00%cn%x00%ce%x00%cd%x00%B";
    let id = id.to_string();
    let settings = ["-c", "log.mailmap=false", "log", "--no-walk", "-z", "--date=raw", "--encoding=UTF-8"];
    let said = world.git(&[&settings[..], &[format, &id]].concat());
    let fields: Vec<String> = said.strip_suffix('\0').unwrap_or(&said).splitn(8, '\0').map(ToOwned::to_owned).collect();
    fields.try_into().unwrap()
}

/// The same of the commit that the server has read.
fn read(commit: &Commit) -> [String; 8] {
    let date = |who: &Signature| {
        let (sign, minutes) = (if who.offset_minutes < 0 { '-' } else { '+' }, who.offset_minutes.abs());
        format!("{} {sign}{:02}{:02}", who.seconds, minutes / 60, minutes % 60)
    };
    let parents: Vec<String> = commit.parents.iter().map(ToString::to_string).collect();
    [
        parents.join(" "),
        commit.author.name.clone(),
        commit.author.email.clone(),
        date(&commit.author),
        commit.committer.name.clone(),
        commit.committer.email.clone(),
        date(&commit.committer),
        commit.message.clone(),
    ]
}

#[test]
fn commits_are_shown_as_git_shows_them() {
    let world = World::new();
    let parent = world.commit("main", "one", &[("a", "1")]);
    let tree = world.git(&["rev-parse", "main^{tree}"]);
    let head = format!("tree {tree}parent {parent}\n");
    let person = "Ann <ann@example.com> 1700000000 +0100";
    let usual = |author: &str, rest: &str| format!("{head}author {author}\ncommitter {person}\n{rest}").into_bytes();
    let latin = |rest: &[u8]| [usual(person, "encoding ISO-8859-1\n\n").as_slice(), rest].concat();
    let commits: Vec<Vec<u8>> = vec![
        usual(person, "\ntitle\n\nbody\n\n"),
        usual(person, "\n"),
        usual(person, "\n\n\n title"),
        usual(person, ""),
        usual(person, "gpgsig -----BEGIN\n x\n \n y\n\ntitle\n"),
        usual(person, "mergetag object 1\n type commit\n tree x\nHG:extra x\n\ntitle\n"),
        latin(b"t\xe4st\n"),
        [usual(person, "\nt").as_slice(), b"\xe4st\n"].concat(),
        [usual(person, "\nt").as_slice(), b"\0st\n"].concat(),
        usual("\u{e4} <> 1700000000 -0330", "\nx\n"),
        usual("<ann@example.com> 1700000000 -0000", "\nx\n"),
        usual(" Ann  B  <ann@example.com> 1700000000 +0100", "\nx\n"),
        usual("Ann <ann @example.com > 1700000000 +0100", "\nx\n"),
        usual("Ann <ann@example.com> 99999999999999999999 +0100", "\nx\n"),
        usual("Ann <ann@example.com> 1700000000", "\nx\n"),
        usual("Ann <ann@example.com> 1700000000 +1", "\nx\n"),
        usual("Ann <ann@example.com> -17 +0100", "\nx\n"),
        usual("Ann <a<b>c> 1700000000 +0100", "\nx\n"),
        usual("Ann, <ann@example.com> 0 +0000", "\nx\n"),
    ];
    let ids: Vec<Oid> = commits
        .iter()
        .map(|content| {
            let arguments = ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"];
            git(world.repo.path(), &arguments, content).trim().parse().unwrap()
        })
        .collect();
    let found = world.repo.commits_by_id(&ids).unwrap();
    for (id, content) in ids.iter().zip(&commits) {
        let text = String::from_utf8_lossy(content);
        let mut want = shown(&world, *id);
        // Git shows nothing for a moment that it cannot read.
        for date in [3, 6] {
            if want[date].is_empty() {
                want[date] = "0 +0000".to_owned();
            }
        }
        assert_eq!(read(&found[id]), want, "{text}");
    }
}

#[test]
fn directories_and_names_are_those_of_git() {
    let world = World::new();
    write_history(&world.repo, 5, 80, 0);
    let odd: [(&[u8], &[u8]); 3] = [(b"d/\xff\xfe", b"1"), (b"d/new\nline", b"2"), (b"d/ \t", b"3")];
    world.commit_bytes("main", "odd", &odd);
    let commits = all_commits(&world);
    for commit in commits.iter().step_by(7).chain(&world.resolve("main")) {
        for folder in [None, Some("d"), Some("d/e"), Some("a"), Some("nowhere")] {
            let name = format!("{commit}:{}", folder.unwrap_or_default());
            let folders = world.git(&["ls-tree", "-r", "-d", "--format=%(objecttype) %(path)", &commit.to_string()]);
            let is_folder = folder.is_none_or(|folder| folders.lines().any(|line| line == format!("tree {folder}")));
            let found = world.repo.tree_entries(*commit, folder.map(path).as_ref(), Depth::One).unwrap();
            assert_eq!(found.is_some(), is_folder, "{name}");
            let Some(entries) = &*found else { continue };
            let want = world.git(&["ls-tree", "-z", &name]);
            let rows: Vec<String> = entries
                .iter()
                .map(|it| {
                    let kind = match it.kind {
                        EntryKind::Tree => "tree",
                        EntryKind::Blob => "blob",
                        EntryKind::Commit => "commit",
                    };
                    format!("{} {kind} {}\t{}", it.mode, it.id, it.path.name())
                })
                .collect();
            assert_eq!(rows, want.split_terminator('\0').collect::<Vec<_>>(), "{name}");
        }
    }
    // An entry by itself, if the directory was not listed before.
    let fresh = EngineSettings::new(world.folder.path().join("fresh"));
    let store = Store::open(Engine::open(&fresh).unwrap(), &world.folder.path().join("repositories")).unwrap();
    let (repo, tip) = (store.repository(ProjectId::new(1)), world.resolve("main").unwrap());
    let listed = world.repo.tree_entries(tip, Some(&path("d")), Depth::One).unwrap();
    for entry in listed.iter().flatten() {
        assert_eq!(repo.tree_entry(tip, &path(entry.path.as_kept())).unwrap().as_ref(), Some(entry));
    }
    assert_eq!(repo.tree_entry(tip, &path("d/nowhere")).unwrap(), None);
    assert_eq!(repo.tree_entry(tip, &path("nowhere/x")).unwrap(), None);
}

#[test]
fn names_of_commits_lead_where_git_leads() {
    let world = World::new();
    let commit = world.commit("main", "one", &[("a", "1")]);
    let tag = |name: &str, of: &str| -> Oid {
        world.git(&["tag", "-a", "-m", "x", name, of]);
        world.git(&["rev-parse", &format!("refs/tags/{name}")]).trim().parse().unwrap()
    };
    let one = tag("one", "main");
    let two = tag("two", "one");
    let of_tree = tag("tree", "main^{tree}");
    let blob: Oid = world.git(&["rev-parse", "main:a"]).trim().parse().unwrap();
    for packed in [false, true] {
        for (id, want) in
            [(commit, Some(commit)), (one, Some(commit)), (two, Some(commit)), (of_tree, None), (blob, None)]
        {
            assert_eq!(world.resolve(&id.to_string()), want);
        }
        for (name, want) in [("main", Some(commit)), ("one", Some(commit)), ("two", Some(commit)), ("tree", None)] {
            assert_eq!(world.resolve(name), want, "{name}, packed: {packed}");
        }
        assert_eq!(world.resolve(&Oid::ZERO.to_string()), None);
        assert_eq!(world.resolve(&commit.to_string()[..10]), Some(commit));
        world.git(&["gc", "--quiet"]);
    }
}
