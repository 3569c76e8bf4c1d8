//! Differences, archives, blame and search.

use std::io::Read;
use std::time::Duration;

use tenon_git::archive::ArchiveFormat;
use tenon_git::blame::Blame;
use tenon_git::compare::CompareFrom;
use tenon_git::diff::{Diff, DiffLimits, LineOf};
use tenon_git::{GitError, Oid, TreePath};

use crate::{World, git, path};

fn diff(world: &World, commit: Oid, limits: DiffLimits) -> Diff {
    world.repo.commit_diff(commit, limits).unwrap().unwrap()
}

#[test]
fn a_diff_says_what_became_of_each_file() {
    let world = World::new();
    let long = "line\n".repeat(20);
    world.commit("main", "one", &[("a", "1\n2\n"), ("gone", "x\n"), ("old name", &long)]);
    let files = [("a", "1\n3\n"), ("gone", ""), ("new \"\u{e9}\"\t", "y"), ("old name", ""), ("new name", &long)];
    let tip = world.commit("main", "two", &files);
    let found = diff(&world, tip, DiffLimits::default());
    assert!(!found.overflow);
    let rows: Vec<_> = found
        .files
        .iter()
        .map(|it| {
            (
                it.old_path.as_kept(),
                it.new_path.as_kept(),
                it.new_file,
                it.renamed_file,
                it.deleted_file,
                &*it.a_mode,
                &*it.b_mode,
            )
        })
        .collect();
    let odd = "new \"\u{e9}\"\t";
    assert_eq!(
        rows,
        [
            ("a", "a", false, false, false, "100644", "100644"),
            ("gone", "gone", false, false, true, "100644", "0"),
            (odd, odd, true, false, false, "0", "100644"),
            ("old name", "new name", false, true, false, "100644", "100644"),
        ]
    );
    let texts: Vec<_> = found.files.iter().map(|it| &*it.diff).collect();
    let expected = [
        "@@ -1,2 +1,2 @@\n 1\n-2\n+3\n",
        "@@ -1 +0,0 @@\n-x\n",
        "@@ -0,0 +1 @@\n+y\n\\ No newline at end of file\n",
        "",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn lines_that_differ_are_counted_within_a_time() {
    let world = World::new();
    let from = world.commit("main", "one", &[("a", "1\n2\n"), ("b", "x\n")]);
    let to = world.commit("main", "two", &[("a", "1\n3\n4\n"), ("b", ""), ("c\tc", "y\n")]);
    assert!(matches!(world.repo.totals(from, to, Duration::ZERO), Err(GitError::Timeout(_))));
    let stats = world.repo.totals(from, to, Duration::from_secs(30)).unwrap();
    assert_eq!((stats.additions, stats.deletions, stats.files), (3, 2, 3));
}

#[test]
fn without_white_space_each_text_still_belongs_to_its_file() {
    let world = World::new();
    let long = "line\n".repeat(20);
    let odd = "odd \"\u{e9}\"\t ";
    let before = [("a", "1\n"), ("b", "1\n"), (odd, "1\n"), ("old name", long.as_str()), ("z ", "1\n")];
    world.commit("main", "one", &before);
    let renamed = format!("{long}more\n");
    let after =
        [("a", " 1\n"), ("b", "2\n"), (odd, "1 \n2\n"), ("old name", ""), ("new name", &renamed), ("z ", "3\n")];
    let tip = world.commit("main", "two", &after);
    let found = diff(&world, tip, DiffLimits { ignore_space: true, ..DiffLimits::default() });
    let texts: Vec<_> = found.files.iter().map(|it| (it.new_path.as_kept(), it.diff.contains('+'))).collect();
    assert_eq!(texts, [("a", false), ("b", true), ("new name", true), (odd, true), ("z ", true)]);
    assert!(!found.overflow && !found.files.iter().any(|it| it.too_large));
    let limits = DiffLimits { ignore_space: true, files: 2, ..DiffLimits::default() };
    let cut = diff(&world, tip, limits);
    assert!(cut.overflow && cut.files.len() == 2 && cut.files[1].diff.contains("+2"), "{cut:?}");
}

#[test]
fn contents_that_look_like_a_diff_do_not_confuse_it() {
    let world = World::new();
    let nasty = "diff --git a/x b/x\n@@ -1 +1 @@\nBinary files a and b differ\n:100644 x\n";
    world.commit("main", "one", &[("x", "1")]);
    let name = b"n\ndiff --git a/y b/y\n@@ -1 +1 @@";
    let tip = world.commit_bytes("main", "two", &[(name, nasty.as_bytes()), (b"x", b"\0bin"), (b"y", b"caf\xe9\n")]);
    let found = diff(&world, tip, DiffLimits::default());
    assert_eq!(found.files.len(), 3);
    assert_eq!(found.files[0].new_path.bytes().as_ref(), name);
    assert!(found.files[0].diff.ends_with("+:100644 x\n") && found.files[0].diff.starts_with("@@ -0,0 +1,4 @@\n"));
    assert_eq!(found.files[1].diff, "Binary files a/x and b/x differ\n");
    assert_eq!(found.files[2].diff, "@@ -0,0 +1 @@\n+caf\u{fffd}\n");
}

#[test]
fn a_file_that_becomes_a_link_and_a_mode_that_changes_are_one_file_each() {
    let world = World::new();
    world.commit("main", "one", &[("l", "target\n"), ("m", "x\n"), ("z", "1\n")]);
    let input = "commit refs/heads/main\ncommitter A <a> 1700001000 +0000\ndata 1\nx\nfrom refs/heads/main^0\n\
                 M 120000 inline l\ndata 1\nz\nM 100755 inline m\ndata 2\nx\n\nM 100644 inline z\ndata 2\n2\n\n";
    git(world.repo.path(), &["fast-import", "--quiet"], input.as_bytes());
    let found = diff(&world, world.resolve("main").unwrap(), DiffLimits::default());
    let rows: Vec<_> = found.files.iter().map(|it| (it.new_path.as_kept(), &*it.b_mode, &*it.diff)).collect();
    let link = "@@ -1 +0,0 @@\n-target\n@@ -0,0 +1 @@\n+z\n\\ No newline at end of file\n";
    assert_eq!(rows, [("l", "120000", link), ("m", "100755", ""), ("z", "100644", "@@ -1 +1 @@\n-1\n+2\n")]);
}

#[test]
fn without_white_space_each_text_is_that_of_its_file() {
    let world = World::new();
    let names = ["a", "b ", "c \"\u{e9}\"", "d", "e"];
    let of = |texts: [&'static str; 5]| names.into_iter().zip(texts).collect::<Vec<_>>();
    world.commit("main", "one", &of(["1\n", "1\n", "1\n", "1\n", "1\n"]));
    let tip = world.commit("main", "two", &of([" 1\n", "2\n", "2\n", "1 \n", "2\n"]));
    let shown = |files| {
        let found = diff(&world, tip, DiffLimits { ignore_space: true, files, ..DiffLimits::default() });
        assert!(found.files.iter().all(|file| !file.too_large));
        (
            found.overflow,
            found.files.iter().map(|file| (file.new_path.to_string(), !file.diff.is_empty())).collect::<Vec<_>>(),
        )
    };
    let all = names.into_iter().map(str::to_owned).zip([false, true, true, false, true]).collect::<Vec<_>>();
    assert_eq!(shown(5), (false, all.clone()));
    // Of the files past the limit, one or none has a text.
    assert_eq!(shown(4), (true, all[..4].to_vec()));
    assert_eq!(shown(3), (true, all[..3].to_vec()));
}

#[test]
fn a_diff_of_five_thousand_files_is_bounded() {
    let world = World::new();
    let files: Vec<(String, String)> = (0..5000).map(|it| (format!("f{it:04}"), format!("{it}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let tip = world.commit("main", "many", &files);
    let found = diff(&world, tip, DiffLimits { files: 100, ..DiffLimits::default() });
    assert!(found.overflow);
    assert_eq!(found.files.len(), 100);
    assert!(found.files.iter().all(|it| !it.diff.is_empty() && !it.too_large));
    let found = diff(&world, tip, DiffLimits { files: 5000, total_bytes: 1000, ..DiffLimits::default() });
    assert!(found.overflow);
    let shown = found.files.iter().filter(|it| !it.diff.is_empty()).count();
    assert!((40..60).contains(&shown), "{shown}");
    assert_eq!(found.files.iter().filter(|it| it.too_large).count(), 5000 - shown);
    let found = diff(&world, tip, DiffLimits { time: Duration::ZERO, ..DiffLimits::default() });
    assert!(found.overflow);
}

#[test]
fn a_text_that_is_too_large_is_left_out_and_the_next_one_is_not() {
    let world = World::new();
    let (large, line) = ("line\n".repeat(50_000), "x".repeat(1_000_000));
    let tip = world.commit("main", "x", &[("a", &large), ("b", &line), ("c", "small\n")]);
    let found = diff(&world, tip, DiffLimits::default());
    let rows: Vec<_> = found.files.iter().map(|it| (it.too_large, it.diff.len())).collect();
    assert_eq!(rows, [(true, 0), (true, 0), (false, 21)]);
    assert!(!found.overflow);
}

#[test]
fn a_comparison_starts_where_the_two_parted() {
    let world = World::new();
    let base = world.commit("main", "base", &[("a", "1\n")]);
    world.git(&["branch", "topic", "main"]);
    let main = world.commit("main", "on main", &[("b", "1\n")]);
    let first = world.commit("topic", "one", &[("c", "1\n")]);
    let topic = world.commit("topic", "two", &[("c", "2\n")]);
    let compare = |from, to, way| world.repo.compare(from, to, way, 100, DiffLimits::default()).unwrap();
    let found = compare(main, topic, CompareFrom::MergeBase);
    assert_eq!(found.commits.iter().map(|it| it.id).collect::<Vec<_>>(), [first, topic]);
    assert_eq!(found.diff.files.iter().map(|it| it.new_path.as_kept()).collect::<Vec<_>>(), ["c"]);
    assert_eq!(found.base, Some(base));
    let straight = compare(main, topic, CompareFrom::Straight);
    assert_eq!(straight.diff.files.iter().map(|it| it.new_path.as_kept()).collect::<Vec<_>>(), ["b", "c"]);
    let behind = compare(topic, base, CompareFrom::MergeBase);
    assert!(behind.commits.is_empty() && behind.diff.files.is_empty());
    assert!(world.repo.commit_diff(Oid::ZERO, DiffLimits::default()).unwrap().is_none());
}

#[test]
fn a_line_that_is_in_no_difference_is_looked_for_once() {
    let world = World::new();
    let from = world.commit("main", "one", &[("a", "1\n")]);
    let to = world.commit("main", "two", &[("a", "1\n2\n")]);
    let line = |number| LineOf { from, to, old_path: "a".into(), new_path: "a".into(), old: None, new: Some(number) };
    let found = |lines: &[LineOf]| world.repo.excerpts(lines, (from, to), Duration::from_secs(9));
    let shown: Vec<bool> = found(&[line(2), line(9)]).unwrap().iter().map(Option::is_some).collect();
    assert_eq!(shown, [true, false]);
    // Git cannot answer any more.
    std::fs::rename(world.repo.path().join("objects"), world.repo.path().join("gone")).unwrap();
    let again = found(&[line(9), line(2), line(9)]).unwrap();
    assert_eq!(again.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false]);
    assert!(found(&[line(7)]).is_err(), "and what was not asked before is asked");
}

#[test]
fn blame_tells_whose_lines_they_are() {
    let world = World::new();
    let first = world.commit("main", "one", &[("a", "1\n2\n\tthree\n")]);
    let second = world.commit("main", "two", &[("a", "1\nzwei\n\tthree\n")]);
    let blame = |file: &str, time| world.repo.blame(second, &path(file), None, Duration::from_secs(time));
    assert!(matches!(blame("a", 0), Err(GitError::Timeout(_))), "and nothing is remembered");
    let Some(Blame::Lines(ranges)) = blame("a", 9).unwrap() else { panic!("it has three lines") };
    let rows: Vec<_> = ranges.iter().map(|it| (it.commit.id, it.lines.join("|"))).collect();
    assert_eq!(rows, [(first, "1".to_owned()), (second, "zwei".to_owned()), (first, "\tthree".to_owned())]);
    assert_eq!(blame("b", 9).unwrap(), None);
    let before: Vec<_> = ranges.iter().map(|it| it.previous.clone()).collect();
    assert_eq!(before, [None, Some((first, "a".into())), None]);
}

#[test]
fn blame_names_where_lines_were_before_a_file_was_renamed() {
    let world = World::new();
    let odd = "odd \"\u{e9}\"\t";
    let first = world.commit("main", "one", &[(odd, "1\n2\n3\n4\n5\n")]);
    let second = world.commit("main", "two", &[(odd, ""), ("new", "1\n2\n3\n4\n5\n6\n")]);
    let found = world.repo.blame(second, &path("new"), None, Duration::from_secs(9)).unwrap();
    let Some(Blame::Lines(ranges)) = found else { panic!("it has lines") };
    let rows: Vec<_> = ranges.iter().map(|it| (it.commit.id, it.lines.len(), it.previous.clone())).collect();
    assert_eq!(rows, [(first, 5, None), (second, 1, Some((first, odd.into())))]);
}

#[test]
fn an_archive_has_everything_below_its_folder() {
    let world = World::new();
    let tip = world.commit("main", "x", &[("a", "1"), ("d/b", "2")]);
    let folder = TreePath::parse("-p-main").unwrap();
    let whole = |format, inside: Option<&str>| {
        let stream = world.repo.archive(tip, format, &folder, inside.map(path).as_ref()).unwrap();
        let mut bytes = Vec::new();
        stream.unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    };
    let has = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|it| it == text.as_bytes());
    let tar = whole(ArchiveFormat::Tar, None);
    assert!(has(&tar, "-p-main/a") && has(&tar, "-p-main/d/b"));
    let part = whole(ArchiveFormat::Zip, Some("d"));
    assert!(part.starts_with(b"PK") && has(&part, "-p-main/d/b") && !has(&part, "-p-main/a"));
    assert!(whole(ArchiveFormat::TarGz, None).starts_with(b"\x1f\x8b"));
    assert!(world.repo.archive(tip, ArchiveFormat::Tar, &folder, Some(&path("no"))).unwrap().is_none());
    assert_eq!(ArchiveFormat::parse("tbz2"), Some(ArchiveFormat::TarBz2));
    assert_eq!(ArchiveFormat::parse("rar"), None);
}

#[test]
fn texts_are_found_literally() {
    let world = World::new();
    let files = [("a", "one\nA.c\nabc\n"), ("d/-e", "a.c a.c\na.c\na.c\na.c\n"), ("README.md", "x"), ("ReadMe", "x")];
    let tip = world.commit("main", "x", &files);
    let found = |text: &str, limit| world.repo.search_content(tip, text, limit).unwrap();
    let rows: Vec<_> = found("a.C", 9).into_iter().map(|it| (it.path.to_string(), it.line)).collect();
    let expected = [("a", 2), ("d/-e", 1), ("d/-e", 2), ("d/-e", 3)].map(|(path, line)| (path.to_owned(), line));
    assert_eq!(rows, expected);
    assert_eq!(
        (found("a.c", 2).len(), found("--all", 9).len(), found("a\nb", 9).len(), found("", 9).len()),
        (2, 0, 0, 0)
    );
    assert_eq!(world.repo.search_paths(tip, "D/-", 9).unwrap(), ["d/-e"]);
    assert_eq!(world.repo.readme(tip, None).unwrap().unwrap(), "README.md");
    let people = world.repo.contributors(tip).unwrap();
    assert_eq!((people.len(), &*people[0].email, people[0].commits), (1, "ann@example.com", 1));
}

/// As `git format-patch | git patch-id --stable` has it: a binary file counts by its old and its new object.
#[test]
fn the_id_of_a_patch_is_what_git_computes() {
    let world = World::new();
    let first = world.commit("main", "one", &[("text", "1\n"), ("image", "\0one")]);
    let text = world.commit("main", "two", &[("text", "2\n")]);
    let binary = world.commit("main", "three", &[("image", "\0two")]);
    let other = world.commit("main", "four", &[("image", "\0three")]);
    let id = |from, to| world.repo.patch_id(from, to, 1 << 20).unwrap().unwrap();
    for (from, to) in [(first, text), (text, binary), (binary, other), (first, other)] {
        let names = [from.to_string(), to.to_string()];
        let patch = world.git(&["diff-tree", "-r", "-p", "--binary", "--no-renames", &names[0], &names[1]]);
        let computed = git(world.repo.path(), &["patch-id", "--stable"], patch.as_bytes());
        assert!(computed.starts_with(&id(from, to).to_string()), "{computed}");
    }
    assert_ne!(id(text, binary), id(binary, other));
    assert_eq!(world.repo.patch_id(first, other, 10).unwrap(), None, "too large");
    assert_eq!(world.repo.patch_id(first, first, 10).unwrap(), None, "empty");
}

#[test]
fn the_size_of_what_another_repository_would_bring_is_known_before() {
    let world = World::new();
    let old = world.commit("main", "one", &[("a", "1")]);
    let fork = world.store.repository(tenon_domain::id::ProjectId::new(77));
    world.store.fork(&world.repo, &fork).unwrap();
    assert_eq!(world.repo.missing_size(&fork, old).unwrap(), 0);
    let noise: String = (0..20_000_u64).map(|n| char::from(b'a' + u8::try_from(n * n * 31 % 26).unwrap())).collect();
    let new = world.commit("main", "two", &[("large", &noise)]);
    let size = fork.missing_size(&world.repo, new).unwrap();
    assert!((100..40_000).contains(&size), "{size}");
    assert!(fork.missing_size(&world.repo, "1".repeat(40).parse().unwrap()).is_err());
}

#[test]
fn commits_are_written_as_mails_that_git_reads() {
    let world = World::new();
    let first = world.commit("main", "one", &[("a", "1\n2\n")]);
    let second = world.commit("main", "t\u{e9}xt\n\nFrom here on\n---\ndiff --git a/x b/x", &[("a", "1\n3\n")]);
    let third = world.commit("main", "three", &[("a", ""), ("b", "x\0y")]);
    let mails = |from: Option<Oid>, to: Oid| {
        let mut text = String::new();
        world.repo.format_patch(from, to).unwrap().read_to_string(&mut text).unwrap();
        text
    };
    let text = mails(Some(first), third);
    let begins: Vec<&str> = text.lines().filter(|line| line.ends_with(" Mon Sep 17 00:00:00 2001")).collect();
    assert_eq!(begins, [second, third].map(|id| format!("From {id} Mon Sep 17 00:00:00 2001")));
    assert!(text.contains("Subject: [PATCH 1/2] =?UTF-8?q?t=C3=A9xt?=\n") && text.contains("\n-2\n+3\n"), "{text}");
    assert!(text.contains("Subject: [PATCH 2/2] three\n") && text.contains("\nGIT binary patch\n"), "{text}");
    let text = mails(None, first);
    assert!(text.starts_with(&format!("From {first} ")) && text.contains("Subject: [PATCH] one\n"), "{text}");
    assert!(text.contains("\n+1\n+2\n"), "the first commit has no parent: {text}");
    assert_eq!(mails(Some(third), third), "");
    // Git's own version is not for clients.
    assert!(!text.contains("\n-- \n"), "{text}");
}
