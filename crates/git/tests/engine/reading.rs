//! Commits, directories and files.

use std::io::Read;

use tenon_domain::file_path::FilePath;
use tenon_domain::id::ProjectId;
use tenon_git::branch::{BranchFilter, BranchOrder};
use tenon_git::commit::{CommitQuery, CommitRange, Divergence};
use tenon_git::diff::DiffLimits;
use tenon_git::merge::MergeCheck;
use tenon_git::tree::{Depth, EntryKind};
use tenon_git::{Engine, EngineSettings, LookupPath, Oid, Revision, RevisionRange, Store};

use crate::pushed::{commit, object, tree};
use crate::{World, branch, page, path, script};

#[test]
fn commits_are_listed_newest_first_and_filtered() {
    let world = World::new();
    let first = world.commit("main", "one\n\nbody\n", &[("a", "1")]);
    let second = world.commit("main", "two", &[("d/b", "1")]);
    let third = world.commit("main", "three", &[("a", "2")]);
    let other = world.commit("other", "elsewhere", &[("z", "1")]);
    let list = |query: &CommitQuery, request| {
        let found = world.repo.counted_commits(query, request).unwrap();
        (found.items.iter().map(|it| it.id).collect::<Vec<_>>(), found.total)
    };
    let all = CommitQuery::new(CommitRange::From(third));
    assert_eq!(list(&all, page(1, 2)), (vec![third, second], 3));
    assert_eq!(list(&all, page(2, 2)), (vec![first], 3));
    assert_eq!(list(&all, page(3, 2)), (vec![], 3));
    let at = |id: Oid| world.repo.commit(id).unwrap().unwrap().committer.at();
    let with = |change: &dyn Fn(&mut CommitQuery)| {
        let mut query = all.clone();
        change(&mut query);
        list(&query, page(1, 9)).0
    };
    assert_eq!(with(&|it| it.path = Some(path("a"))), [third, first]);
    assert_eq!(with(&|it| it.path = Some(path("d"))), [second]);
    assert_eq!(with(&|it| it.path = Some(path("*"))), []);
    assert_eq!(with(&|it| it.path = Some(path(":(top)a"))), []);
    assert_eq!(with(&|it| it.since = Some(at(second))), [third, second]);
    assert_eq!(with(&|it| it.until = Some(at(second))), [second, first]);
    assert_eq!(with(&|it| it.author = Some("ANN@".to_owned())).len(), 3);
    assert_eq!(with(&|it| it.author = Some(".*".to_owned())), []);
    assert_eq!(with(&|it| it.author = Some("--all".to_owned())), []);
    assert_eq!(with(&|it| it.message = Some("TWO".to_owned())), [second]);
    assert_eq!(with(&|it| it.range = CommitRange::Between { from: first, to: third }), [third, second]);
    assert_eq!(with(&|it| it.range = CommitRange::All), [other, third, second, first]);
    let commit = world.repo.commit(first).unwrap().unwrap();
    assert_eq!(
        (commit.title(), &*commit.message, &*commit.short_id()),
        ("one", "one\n\nbody\n", &first.to_string()[..8])
    );
    assert_eq!(world.repo.commit(third).unwrap().unwrap().parents, [second]);
    assert_eq!(world.repo.last_commit_id(third, &path("d/b")).unwrap(), Some(second));
    assert_eq!(world.repo.last_commit_id(third, &path("nowhere")).unwrap(), None);
    assert_eq!(world.repo.commit(Oid::EMPTY_TREE).unwrap(), None);
}

#[test]
fn the_list_of_all_commits_leaves_out_what_forks_and_the_server_have_put_there() {
    let world = World::new();
    let tip = world.commit("main", "one", &[("a", "1")]);
    let secret = world.commit("other", "secret", &[("a", "2")]);
    world.git(&["update-ref", "refs/merge-requests/1/head", &secret.to_string()]);
    world.git(&["update-ref", "-d", "refs/heads/other"]);
    let found = world.repo.counted_commits(&CommitQuery::new(CommitRange::All), page(1, 9)).unwrap();
    assert_eq!(found.items.iter().map(|it| it.id).collect::<Vec<_>>(), [tip]);
}

#[test]
fn an_empty_repository_has_no_commits() {
    let world = World::new();
    assert_eq!(world.repo.counted_commits(&CommitQuery::new(CommitRange::All), page(1, 9)).unwrap().total, 0);
}

#[test]
fn history_tells_who_comes_before_whom() {
    let world = World::new();
    let base = world.commit("main", "one", &[("a", "1")]);
    world.git(&["branch", "topic", "main"]);
    let main = world.commit("main", "two", &[("a", "2")]);
    world.commit("topic", "three", &[("b", "1")]);
    let topic = world.commit("topic", "four", &[("b", "2")]);
    let stranger = world.commit("stranger", "root", &[("z", "1")]);
    let repo = &world.repo;
    assert_eq!(repo.merge_base(&[main, topic]).unwrap(), Some(base));
    assert_eq!(repo.merge_base(&[main, topic, base]).unwrap(), Some(base));
    assert_eq!(repo.merge_base(&[main, stranger]).unwrap(), None);
    assert_eq!(repo.merge_bases(main, topic, 1).unwrap(), Some(vec![base]));
    assert_eq!(repo.merge_bases(main, topic, 0).unwrap(), None);
    assert_eq!(repo.merge_bases(main, stranger, 1).unwrap(), Some(Vec::new()));
    assert!(repo.merge_bases(main, Oid::ZERO, 1).is_err());
    assert!(repo.is_ancestor(base, topic).unwrap() && repo.is_ancestor(base, base).unwrap());
    assert!(!repo.is_ancestor(topic, base).unwrap());
    assert!(repo.is_ancestor(Oid::ZERO, base).is_err());
    assert_eq!(repo.divergence(main, topic).unwrap(), Divergence { behind: 1, ahead: 2 });
    let containing = repo.refs_containing(base).unwrap();
    assert_eq!(containing.branches.iter().map(ToString::to_string).collect::<Vec<_>>(), ["main", "topic"]);
}

#[test]
fn stats_count_lines_against_the_first_parent() {
    let world = World::new();
    let first = world.commit("main", "one", &[("a", "1\n2\n")]);
    let second = world.commit("main", "two", &[("a", "1\n3\n4\n"), ("b", "x\n")]);
    let binary = world.commit_bytes("main", "three", &[(b"c", b"\0\x01")]);
    let stats = world.repo.commit_stats(&[first, second, binary]).unwrap();
    let row = |id| (stats[&id].additions, stats[&id].deletions, stats[&id].files);
    assert_eq!((row(first), row(second), row(binary)), ((2, 0, 1), (3, 1, 2), (0, 0, 1)));
}

#[test]
fn directories_come_before_files() {
    let world = World::new();
    let tip = world.commit("main", "x", &[("b", "1"), ("z/d/c", "2"), ("z/a", "3"), ("é", "4")]);
    let names = |folder: Option<&str>, depth, request| {
        let folder = folder.map(path);
        let found = world.repo.tree(tip, folder.as_ref(), depth, request).unwrap()?;
        Some((found.items.into_iter().map(|it| it.path.to_string()).collect::<Vec<_>>(), found.total))
    };
    assert_eq!(names(None, Depth::One, page(1, 9)).unwrap(), (["z", "b", "é"].map(String::from).to_vec(), 3));
    assert_eq!(names(Some("z"), Depth::One, page(1, 9)).unwrap().0, ["z/d", "z/a"]);
    assert_eq!(names(None, Depth::All, page(1, 9)).unwrap().0, ["z", "z/d", "b", "z/a", "z/d/c", "é"]);
    assert_eq!(names(None, Depth::All, page(2, 4)).unwrap().0, ["z/d/c", "é"]);
    assert_eq!(names(Some("b"), Depth::One, page(1, 9)), None);
    assert_eq!(names(Some("nowhere"), Depth::One, page(1, 9)), None);
    let entry = world.repo.tree_entry(tip, &path("z/d")).unwrap().unwrap();
    assert_eq!((entry.kind, &*entry.mode, entry.kept_name()), (EntryKind::Tree, "040000", "d"));
    assert_eq!(world.repo.files(tip).unwrap()[0].size, Some(1));
}

#[test]
fn contents_come_byte_by_byte_and_not_above_the_limit() {
    let world = World::new();
    let content = b"\0\xff\n\0binary";
    let tip = world.commit_bytes("main", "x", &[(b"d/bin", content), (b"big", &[b'x'; 5000]), (b"new\nline", b"odd")]);
    let at = |text: &str, limit| world.repo.file_at(tip, &path(text), limit).unwrap().map(|(_, blob)| blob);
    let blob = at("d/bin", 100).unwrap();
    assert_eq!((blob.content.as_deref(), blob.size), (Some(content.as_slice()), 10));
    let big = at("big", 4999).unwrap();
    assert_eq!((big.content, big.size), (None, 5000));
    assert_eq!(at("new\nline", 9).unwrap().content.unwrap(), b"odd");
    assert_eq!((at("d", 9), at("nowhere", 9), at("x missing", 9)), (None, None, None));
    assert_eq!(world.repo.blob(blob.id, 100).unwrap(), Some(blob.clone()));
    assert_eq!(world.repo.blob(tip, 100).unwrap(), None);
    let many = world.repo.blobs(&[big.id, Oid::ZERO, blob.id], 100).unwrap();
    assert_eq!(many.iter().map(|it| it.as_ref().map(|it| it.size)).collect::<Vec<_>>(), [Some(5000), None, Some(10)]);
    let mut whole = Vec::new();
    world.repo.blob_stream(big.id).unwrap().read_to_end(&mut whole).unwrap();
    assert_eq!(whole.len(), 5000);
    assert!(world.repo.blob_stream(Oid::ZERO).unwrap().read_to_end(&mut whole).is_err());
}

#[test]
fn names_that_look_alike_differ_by_their_bytes() {
    let world = World::new();
    let first = world.commit_bytes("main", "one", &[(b"d\xff/caf\xe8", b"1\n"), (b"d\xff/caf\xe9", b"2\n")]);
    let tip = world.commit_bytes("main", "two", &[(b"d\xff/caf\xe9", b"3\n"), (b"d\xfe", b"x")]);
    let bytes = |bytes: &[u8]| LookupPath::try_from(&FilePath::from_bytes(bytes)).unwrap();
    let (grave, acute) = (bytes(b"d\xff/caf\xe8"), bytes(b"d\xff/caf\xe9"));
    let content = |at: &LookupPath| world.repo.file_at(tip, at, 9).unwrap().unwrap().1.content.unwrap();
    assert_eq!((content(&grave), content(&acute)), (b"1\n".to_vec(), b"3\n".to_vec()));
    let last = |at: &LookupPath| world.repo.last_commit_id(tip, at).unwrap().unwrap();
    assert_eq!((last(&grave), last(&acute)), (first, tip));
    let folder = bytes(b"d\xff");
    let names: Vec<FilePath> = [&grave, &acute].map(|it| it.file().name()).into();
    let names: Vec<&str> = names.iter().map(FilePath::as_kept).collect();
    let all = world.repo.last_commits(tip, Some(&folder), &names, std::time::Duration::from_mins(1)).unwrap();
    assert_eq!(all, [Some(first), Some(tip)]);
    // A shown name stands for the first name that is shown so, at any depth.
    assert_eq!(world.repo.exact_path(tip, path("d\u{fffd}/caf\u{fffd}")).unwrap(), path("d\u{fffd}/caf\u{fffd}"));
    assert_eq!(world.repo.exact_path(first, path("d\u{fffd}/caf\u{fffd}")).unwrap(), grave);
    assert_eq!(world.repo.exact_path(tip, acute.clone()).unwrap(), acute);
    let exact = world.commit("main", "three", &[("d\u{fffd}/x", "x")]);
    assert_eq!(world.repo.exact_path(exact, path("d\u{fffd}/x")).unwrap(), path("d\u{fffd}/x"));
    let changed = world.repo.commit_diff(tip, DiffLimits::default()).unwrap().unwrap();
    let changed: Vec<_> = changed.files.iter().map(|file| file.new_path.bytes().into_owned()).collect();
    assert_eq!(changed, [b"d\xfe".to_vec(), b"d\xff/caf\xe9".to_vec()]);
}

#[test]
fn steps_back_and_ranges_are_those_of_git() {
    let world = World::new();
    for number in 0..4 {
        world.commit("main", "x", &[("a", &number.to_string())]);
    }
    world.git(&["branch", "side", "main~2"]);
    let side = world.commit("side", "y", &[("b", "1")]);
    world.git(&["tag", "-m", "x", "v1", "main~1"]);
    for text in ["main~1", "main^", "main~3", "main^^", "main^1~1", "v1^0", "v1~2", "HEAD~1", "side^"] {
        let want = world.git(&["rev-parse", "--verify", &format!("{text}^{{commit}}")]);
        assert_eq!(world.resolve(text).map(|id| id.to_string()).as_deref(), Some(want.trim()), "{text}");
    }
    for text in ["main~4", "main^2", "nowhere~1", "main~999999999"] {
        assert_eq!(world.resolve(text), None, "{text}");
    }
    let start = |text: &str| {
        let segments: Vec<&str> = text.split('/').collect();
        let found = world.repo.resolve_start(&segments, None).unwrap();
        found.map(|(found, used)| (found.commit, used))
    };
    assert_eq!(start("main~1/a"), world.resolve("main~1").map(|id| (id, 1)));
    assert_eq!(start("side/a~1"), Some((side, 1)));
    assert_eq!(start("main~1x/a"), None);
    for (text, want) in
        [("side..main", 2), ("main..side", 1), ("main...side", 3), ("..side", 1), ("side..", 2), ("v1", 3)]
    {
        let range = world.repo.resolve_range(&RevisionRange::parse(text).unwrap()).unwrap().unwrap();
        assert_eq!(world.repo.commit_count(&CommitQuery::new(range)).unwrap(), want, "{text}");
        let listed = world.repo.commit_list(&CommitQuery::new(range), 0, 9).unwrap();
        assert_eq!(i64::try_from(listed.len()).unwrap(), want, "{text}");
    }
    assert_eq!(world.repo.resolve_range(&RevisionRange::parse("main..nowhere").unwrap()).unwrap(), None);
}

#[test]
fn a_page_of_commits_says_how_many_there_are_where_it_knows() {
    let world = World::new();
    for number in 0..5 {
        world.commit("main", "x", &[("d/a", &number.to_string())]);
    }
    let tip = world.commit("main", "y", &[("b", "1")]);
    let query = CommitQuery { path: Some(path("d")), ..CommitQuery::new(CommitRange::From(tip)) };
    let asked = |number, size| {
        let found = world.repo.uncounted_commits(&query, page(number, size)).unwrap();
        (found.page.items.len(), found.page.total, found.total)
    };
    assert_eq!(asked(1, 2), (2, 3, None));
    assert_eq!(asked(2, 2), (2, 5, None));
    assert_eq!(asked(3, 2), (1, 5, Some(5)));
    assert_eq!(asked(9, 2), (0, 0, None));
    assert_eq!(asked(1, 9), (5, 5, Some(5)));
    assert_eq!(world.repo.commit_count(&query).unwrap(), 5);
    assert_eq!((asked(1, 2), asked(9, 2)), ((2, 5, Some(5)), (0, 5, Some(5))));
    let everything = CommitQuery::new(CommitRange::From(tip));
    assert_eq!(world.repo.uncounted_commits(&everything, page(1, 2)).unwrap().total, Some(6));
}

#[test]
fn a_total_that_follows_from_the_page_is_not_counted() {
    let world = World::new();
    for number in 0..5 {
        world.commit("main", "x", &[("d/a", &number.to_string())]);
    }
    let tip = world.commit("main", "y", &[("b", "1")]);
    let query = CommitQuery { path: Some(path("d")), ..CommitQuery::new(CommitRange::From(tip)) };
    for (number, size, want) in [(9, 2, 0), (1, 2, 2), (2, 2, 2), (3, 2, 1), (1, 5, 5)] {
        let found = world.repo.counted_commits(&query, page(number, size)).unwrap();
        assert_eq!((found.items.len(), found.total), (want, 5), "{number} {size}");
    }
    // The page is remembered, and its commits were not counted by themselves.
    let query = CommitQuery { no_merges: true, ..query };
    assert_eq!(world.repo.uncounted_commits(&query, page(1, 9)).unwrap().total, Some(5));
    std::fs::remove_dir_all(world.repo.path()).unwrap();
    assert_eq!(world.repo.counted_commits(&query, page(1, 9)).unwrap().total, 5);
}

#[test]
fn a_page_behind_the_last_one_is_empty_without_a_question() {
    let world = World::new();
    let tip = world.commit("main", "x", &[("d/a", "1")]);
    let query = CommitQuery { path: Some(path("d")), ..CommitQuery::new(CommitRange::From(tip)) };
    assert_eq!(world.repo.commit_count(&query).unwrap(), 1);
    std::fs::remove_dir_all(world.repo.path()).unwrap();
    for number in [2, 99_999] {
        let found = world.repo.uncounted_commits(&query, page(number, 20)).unwrap();
        assert_eq!((found.page.items.len(), found.page.total, found.total), (0, 1, Some(1)));
    }
}

#[test]
fn a_page_of_the_commits_of_all_branches_is_not_counted_where_it_is_filtered() {
    let world = World::new();
    for number in 0..3 {
        world.commit("main", "x", &[("d/a", &number.to_string())]);
    }
    let everything = CommitQuery::new(CommitRange::All);
    let query = CommitQuery { path: Some(path("d")), ..everything.clone() };
    let asked = |query: &CommitQuery, number| {
        let found = world.repo.uncounted_commits(query, page(number, 2)).unwrap();
        (found.page.items.len(), found.page.total, found.total)
    };
    assert_eq!((asked(&query, 1), asked(&query, 2)), ((2, 3, None), (1, 3, Some(3))));
    assert_eq!(asked(&everything, 1), (2, 3, Some(3)));
    world.commit("main", "x", &[("d/a", "9")]);
    assert_eq!(asked(&query, 2), (2, 4, Some(4)));
}

#[test]
fn odd_modes_are_shown_as_git_shows_them_at_every_depth() {
    let world = World::new();
    let blob = object(&world, "blob", b"x");
    let inner = tree(&world, &[("100664", b"f", blob)]);
    let entries: [(&str, &[u8], Oid); 7] = [
        ("100664", b"a", blob),
        ("100777", b"b", blob),
        ("40755", b"d", inner),
        ("0040000", b"e", inner),
        ("120777", b"l", blob),
        ("644", b"s", blob),
        ("100600", b"z", blob),
    ];
    let tip = commit(&world, tree(&world, &entries), &[]);
    let listed = |depth| {
        let found = world.repo.tree_entries(tip, None, depth).unwrap();
        let top = found.iter().flatten().filter(|entry| !entry.path.as_kept().contains('/')).cloned();
        top.collect::<Vec<_>>()
    };
    let (one, all) = (listed(Depth::One), listed(Depth::All));
    assert_eq!(one, all);
    let modes: Vec<&str> = one.iter().map(|entry| entry.mode.as_str()).collect();
    assert_eq!(modes, ["100644", "100755", "040000", "040000", "120000", "160000", "100644"]);
    for entry in &one {
        assert_eq!(world.repo.tree_entry(tip, &path(entry.path.as_kept())).unwrap().as_ref(), Some(entry));
    }
    for name in ["a", "d/f", "e/f"] {
        assert_eq!(world.repo.last_commit_id(tip, &path(name)).unwrap(), Some(tip), "{name}");
    }
}

#[test]
fn names_and_messages_that_are_no_utf8_are_shown_and_break_nothing() {
    let world = World::new();
    let tip = world.commit_bytes("main", "x", &[(b"caf\xe9", b"x"), (b"b", b"y")]);
    let found = world.repo.tree(tip, None, Depth::One, page(1, 9)).unwrap().unwrap();
    assert_eq!(found.items.iter().map(|it| it.path.to_string()).collect::<Vec<_>>(), ["b", "caf\u{fffd}"]);
    let tree = world.git(&["rev-parse", "main^{tree}"]);
    let raw =
        [format!("tree {tree}").as_bytes(), b"author \xe9 <e> 1 +0000\ncommitter \xe9 <e> 1 +0000\n\n\xe9\n"].concat();
    let id: Oid =
        crate::git(world.repo.path(), &["hash-object", "-t", "commit", "-w", "--stdin"], &raw).trim().parse().unwrap();
    let commit = world.repo.commit(id).unwrap().unwrap();
    assert_eq!(commit.title(), "\u{fffd}");
}

/// A store whose Git notes each process, and the number of them so far.
fn counted() -> (World, impl Fn() -> usize) {
    let world = World::new();
    let (program, log) = (world.folder.path().join("program"), world.folder.path().join("log"));
    script(&program, &format!("echo x >> {}\nexec git \"$@\"", log.display()));
    let settings = EngineSettings { program, ..EngineSettings::new(world.folder.path().join("counted")) };
    let store = Store::open(Engine::open(&settings).unwrap(), &world.folder.path().join("repositories")).unwrap();
    let repo = store.repository(ProjectId::new(1));
    let count = move || std::fs::read_to_string(&log).unwrap_or_default().lines().count();
    (World { store, repo, ..world }, count)
}

#[test]
fn what_a_commit_fixes_is_asked_once() {
    let (world, processes) = counted();
    world.commit("main", "one", &[("src/a", "1"), ("b", "2")]);
    world.git(&["branch", "side", "main"]);
    world.commit("main", "two", &[("b", "3")]);
    let main = Revision::parse("main").unwrap();
    let read = || {
        let tip = world.repo.resolve(&main).unwrap().unwrap().commit;
        let (entry, blob) = world.repo.file_at(tip, &path("src/a"), 100).unwrap().unwrap();
        let last = world.repo.last_commit_id(tip, &path("src/a")).unwrap().unwrap();
        let tree = world.repo.tree(tip, None, Depth::One, page(1, 20)).unwrap().unwrap();
        let commits = world.repo.counted_commits(&CommitQuery::new(CommitRange::From(tip)), page(1, 20)).unwrap();
        let branches = world.repo.branches(BranchFilter::default(), BranchOrder::Name, page(1, 20)).unwrap();
        let merged = world.repo.merged_of(&branches.items, tip).unwrap();
        (entry, blob.content, last, tree.items, commits.items, branches.items, merged)
    };
    let before = processes();
    let first = read();
    assert_eq!(first.6, [branch("side")].into());
    let asked = processes();
    assert!(asked > before);
    assert_eq!(read(), first);
    assert_eq!(processes(), asked, "no process is started again");
    world.commit("main", "three", &[("src/a", "4")]);
    assert_eq!(read().1.unwrap(), b"4");
}

#[test]
fn a_line_of_commits_is_followed_without_git() {
    let (world, processes) = counted();
    let first = world.commit("main", "one", &[("a", "1")]);
    world.commit("main", "two", &[("a", "2")]);
    let tip = world.commit("main", "three", &[("a", "3")]);
    assert!(world.repo.commit(tip).unwrap().is_some());
    let before = processes();
    let query = CommitQuery::new(CommitRange::Between { from: first, to: tip });
    assert_eq!(world.repo.commit_count(&query).unwrap(), 2);
    assert_eq!(world.repo.commit_ids(&query, 9).unwrap().len(), 2);
    assert!(world.repo.is_ancestor(first, tip).unwrap());
    assert_eq!(world.repo.merge_base(&[tip, first]).unwrap(), Some(first));
    assert_eq!(world.repo.divergence(first, tip).unwrap().ahead, 2);
    assert!(matches!(world.repo.merge_check(first, tip).unwrap(), MergeCheck::Clean(_)));
    assert_eq!(processes(), before);
}

#[test]
fn a_commit_that_was_removed_is_not_remembered() {
    let world = World::new();
    world.commit("main", "one", &[("a", "1")]);
    let gone = world.commit("side", "secret", &[("a", "2")]);
    assert!(
        world.repo.commit_at(gone).unwrap().is_some() && world.repo.file_at(gone, &path("a"), 9).unwrap().is_some()
    );
    assert_eq!(world.resolve("side"), Some(gone));
    world.git(&["branch", "-D", "side"]);
    world.git(&["gc", "--prune=now", "--quiet"]);
    assert_eq!(world.resolve("side"), None);
    assert_eq!(world.resolve(&gone.to_string()), None);
}
