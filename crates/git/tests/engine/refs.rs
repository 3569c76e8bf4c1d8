//! Branches, tags and the meaning of names.

use std::time::Duration;

use tenon_domain::time::Timestamp;
use tenon_git::branch::{BranchFilter, BranchOrder, NameSearch, TipAge};
use tenon_git::revision::ResolvedKind;
use tenon_git::tag::{Direction, TagOrder};
use tenon_git::{BranchName, Oid, RefKind, RefName, Revision, TagName};

use crate::{World, branch, command, git, page};

#[test]
fn our_rule_for_names_accepts_nothing_that_git_refuses() {
    let texts = [
        "main",
        "feature/x",
        "-x",
        "HEAD",
        "@",
        "a@{b",
        "a..b",
        ".a",
        "a.lock",
        "a/.b",
        "a.",
        "a//b",
        "a b",
        "ä",
        "a\u{1}",
        "a~",
        "refs/heads/x",
        ".lock",
        "a/.lock",
        "x.lock/y",
        "a.lockx",
    ];
    for text in texts {
        let full = format!("refs/heads/{text}");
        let accepted = command(&["check-ref-format", &full]).status().unwrap().success();
        assert_eq!(RefName::parse(&full).is_ok(), accepted, "{text:?}");
        assert!(accepted || BranchName::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn a_name_at_the_start_of_a_path_is_the_longest_that_fits() {
    let world = World::new();
    let one = world.commit("main", "one", &[("a", "1")]);
    let two = world.commit("main", "two", &[("a", "2")]);
    for (kind, name, commit) in [
        ("branch", "a/b", one),
        ("tag", "a/b/c", two),
        ("tag", "a/b/main", one),
        ("tag", "main", one),
        ("tag", "cafe", one),
    ] {
        world.git(&[kind, name, &commit.to_string()]);
    }
    world.git(&["update-ref", &format!("refs/keep-around/{two}"), &two.to_string()]);
    let cases = |world: &World| {
        let digits = one.to_string();
        let short = &digits[..8];
        for (text, only, want) in [
            ("main", None, Some((two, 1))),
            ("main/src/x", None, Some((two, 1))),
            ("main/src", Some(RefKind::Tag), Some((one, 1))),
            ("a/b/src", None, Some((one, 2))),
            ("a/b/c/src", None, Some((two, 3))),
            ("a/b/c/src", Some(RefKind::Branch), Some((one, 2))),
            ("a/b/main", None, Some((one, 3))),
            ("a/src", None, None),
            ("refs/heads/main", None, Some((two, 3))),
            ("refs/heads/main/src/x", None, Some((two, 3))),
            ("refs/heads/main~1/src/x", None, Some((one, 3))),
            ("refs/heads/main/x", Some(RefKind::Branch), Some((two, 3))),
            ("refs/heads/main/x", Some(RefKind::Tag), None),
            ("refs/heads/a/b/c/src", None, Some((one, 4))),
            ("refs/tags/a/b/c/src", None, Some((two, 5))),
            ("refs/tags/a/b/c/src", Some(RefKind::Branch), None),
            ("refs/heads/nowhere/x", None, None),
            ("refs/heads", None, None),
            (&format!("refs/keep-around/{two}/x"), None, None),
            ("HEAD/a", None, Some((two, 1))),
            (&format!("{digits}/a/b"), None, Some((one, 1))),
            (&format!("{short}/a"), None, Some((one, 1))),
            (&format!("{short}/a"), Some(RefKind::Tag), None),
            ("cafe/a", None, Some((one, 1))),
            ("--upload-pack=x/main", None, None),
            ("", None, None),
            (&"x/".repeat(2000), None, None),
        ] {
            let segments: Vec<&str> = text.split('/').collect();
            let found = world.repo.resolve_start(&segments, only).unwrap();
            assert_eq!(found.map(|(resolved, used)| (resolved.commit, used)), want, "{text} {only:?}");
        }
        let names = world.repo.names_below("refs/tags/", 2).unwrap();
        assert_eq!(names.iter().map(RefName::as_str).collect::<Vec<_>>(), ["refs/tags/a/b/c", "refs/tags/a/b/main"]);
    };
    cases(&world);
    world.git(&["pack-refs", "--all"]);
    cases(&world);
    world.git(&["branch", "--force", "a/b", &one.to_string()]);
    cases(&world);
}

#[test]
fn a_name_is_a_branch_before_it_is_a_tag_before_it_is_a_commit() {
    let world = World::new();
    let first = world.commit("main", "one", &[("a", "1")]);
    let second = world.commit("main", "two", &[("a", "2")]);
    let short = &first.to_string()[..8];
    assert_eq!(world.resolve(short), Some(first));
    assert_eq!(world.resolve(&first.to_string()), Some(first));
    assert_eq!(world.resolve(&first.to_string()[..6]), None);
    world.git(&["tag", short, &second.to_string()]);
    assert_eq!(world.resolve(short), Some(second));
    world.git(&["branch", short, &first.to_string()]);
    let resolved = world.repo.resolve(&Revision::parse(short).unwrap()).unwrap().unwrap();
    assert_eq!((resolved.commit, resolved.kind), (first, ResolvedKind::Branch(branch(short))));
    assert_eq!(world.resolve(&format!("refs/tags/{short}")), Some(second));
}

#[test]
fn no_one_takes_the_place_of_a_commit_by_naming_a_branch_like_it() {
    let world = World::new();
    let first = world.commit("main", "one", &[("a", "1")]);
    let second = world.commit("main", "two", &[("a", "2")]);
    // The server refuses such names; a repository may still come with one.
    world.git(&["update-ref", &format!("refs/heads/{first}"), &second.to_string()]);
    world.git(&["update-ref", "refs/tags/refs/heads/main", &first.to_string()]);
    assert_eq!(world.resolve(&first.to_string()), Some(first));
    assert_eq!(world.resolve("main"), Some(second));
    world.git(&["symbolic-ref", "HEAD", "refs/heads/other"]);
    world.git(&["update-ref", "-d", "refs/heads/main"]);
    assert_eq!(world.resolve("refs/heads/main"), None);
    let names = world.repo.branch_tips(BranchOrder::Name).unwrap();
    assert_eq!(names, []);
}

#[test]
fn what_is_not_there_is_none() {
    let world = World::new();
    for text in ["HEAD", "main", "refs/heads/main", "0123456789", &"1".repeat(40)] {
        assert_eq!(world.resolve(text), None, "{text}");
    }
    assert_eq!(world.repo.branch(&branch("main")).unwrap(), None);
    assert_eq!(world.repo.tag(&TagName::parse("v1").unwrap()).unwrap(), None);
    assert_eq!(world.repo.branches(BranchFilter::default(), BranchOrder::Name, page(1, 20)).unwrap().total, 0);
    let blob = {
        world.commit("main", "x", &[("a", "a")]);
        world.git(&["rev-parse", "main:a"])
    };
    assert_eq!(world.resolve(blob.trim()), None);
}

#[test]
fn branches_are_listed_by_name_or_age_in_pages() {
    let world = World::new();
    for name in ["b/late", "a", "Feature", "my-feature"] {
        world.commit(name, name, &[("x", name)]);
    }
    let names = |search: Option<&str>, order, request| {
        let search = search.map(NameSearch::parse);
        let filter = BranchFilter { search: search.as_ref(), ..BranchFilter::default() };
        let found = world.repo.branches(filter, order, request).unwrap();
        (found.items.iter().map(|it| it.name.to_string()).collect::<Vec<_>>(), found.total)
    };
    let order = BranchOrder::Name;
    assert_eq!(names(None, order, page(1, 3)), (["Feature", "a", "b/late"].map(String::from).to_vec(), 4));
    assert_eq!(names(None, order, page(2, 3)), (vec!["my-feature".to_owned()], 4));
    assert_eq!(names(None, order, page(1_000_000_000, 100)), (vec![], 4));
    assert_eq!(names(None, BranchOrder::UpdatedDescending, page(1, 1)), (vec!["my-feature".to_owned()], 4));
    assert_eq!(names(None, BranchOrder::UpdatedAscending, page(1, 1)), (vec!["b/late".to_owned()], 4));
    world.git(&["branch", "feature", "a"]);
    assert_eq!(names(Some("FEATURE"), order, page(1, 9)).0, ["Feature", "feature", "my-feature"]);
    assert_eq!(names(Some("my-feature"), order, page(1, 9)).0, ["my-feature"]);
    assert_eq!(names(Some("^feat"), order, page(1, 9)).1, 2);
    let third = Timestamp::from_timestamp(world.clock.get() - 60, 0).unwrap();
    for (tips, order, want) in [
        (TipAge::Since(third), BranchOrder::Name, vec!["Feature", "my-feature"]),
        (TipAge::Before(third), BranchOrder::UpdatedDescending, vec!["a", "feature", "b/late"]),
    ] {
        let filter = BranchFilter { tips: Some(tips), ..BranchFilter::default() };
        let found = world.repo.branches(filter, order, page(1, 9)).unwrap();
        assert_eq!(found.items.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), want, "{tips:?}");
        assert_eq!(found.total, i64::try_from(want.len()).unwrap());
    }
    let found = world.repo.branch(&branch("b/late")).unwrap().unwrap();
    assert_eq!((found.commit.title(), &*found.commit.author.email), ("b/late", "ann@example.com"));
    assert_eq!(found.commit.author.offset_minutes, 60);
}

#[test]
fn merged_branches_are_those_whose_tip_is_in_the_history() {
    let world = World::new();
    world.commit("main", "one", &[("a", "1")]);
    world.git(&["branch", "old", "main"]);
    let tip = world.commit("main", "two", &[("a", "2")]);
    world.git(&["branch", "new", "main"]);
    world.commit("new", "three", &[("a", "3")]);
    world.git(&["branch", "same", "main"]);
    let merged: Vec<_> = world.repo.merged_branches(tip).unwrap().into_iter().collect();
    assert_eq!(merged, [branch("old")], "what is at the same commit has brought nothing");
}

#[test]
fn tags_tell_what_they_say_and_what_they_point_at() {
    let world = World::new();
    let tip = world.commit("main", "one", &[("a", "1")]);
    world.git(&["tag", "light"]);
    world.git(&["tag", "-a", "-m", "first line\n\nmore", "v1", "main"]);
    world.git(&["tag", "-a", "-m", "of a tag", "nested", "v1"]);
    world.git(&["tag", "tree", "main^{tree}"]);
    let tag = |name: &str| world.repo.tag(&TagName::parse(name).unwrap()).unwrap().unwrap();
    let light = tag("light");
    assert_eq!((light.target, light.annotation, light.commit.unwrap().id), (tip, None, tip));
    let annotated = tag("v1");
    let annotation = annotated.annotation.unwrap();
    assert_eq!(annotation.message, "first line\n\nmore");
    assert_eq!(annotation.tagger.unwrap().email, "ann@example.com");
    assert_eq!(annotated.target.to_string(), world.git(&["rev-parse", "v1"]).trim());
    assert_eq!(annotated.commit.unwrap().id, tip);
    assert_eq!(tag("nested").commit.unwrap().id, tip);
    assert_eq!(tag("tree").commit, None);
    assert_eq!(world.resolve("nested"), Some(tip));
    assert_eq!(world.resolve("tree"), None);
}

#[test]
fn tags_are_listed_by_number_or_by_the_age_of_their_commits() {
    let world = World::new();
    for name in ["v10", "v9", "v2"] {
        world.commit("main", name, &[("a", name)]);
        world.git(&["tag", "-a", "-m", name, name, "main"]);
    }
    let names = |order, direction| {
        let found = world.repo.tags(None, order, direction, page(1, 9)).unwrap();
        found.items.iter().map(|it| it.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(TagOrder::Name, Direction::Ascending), ["v2", "v9", "v10"]);
    assert_eq!(names(TagOrder::Updated, Direction::Descending), ["v2", "v9", "v10"]);
    assert_eq!(names(TagOrder::Updated, Direction::Ascending), ["v10", "v9", "v2"]);
    let search = NameSearch::parse("^v1");
    assert_eq!(world.repo.tags(Some(&search), TagOrder::Name, Direction::Ascending, page(1, 9)).unwrap().total, 1);
}

#[test]
fn refs_are_found_wherever_git_keeps_them() {
    let world = World::new();
    let first = world.commit("main", "one", &[("a", "1")]);
    for name in ["a", "a-b", "deep/er/one", "z"] {
        world.git(&["branch", name, &first.to_string()]);
    }
    world.git(&["tag", "-a", "-m", "x", "v1"]);
    world.git(&["pack-refs", "--all"]);
    let second = world.commit("main", "two", &[("a", "2")]);
    world.git(&["branch", "late", &second.to_string()]);
    world.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/late"]);
    std::fs::write(world.repo.path().join("refs/heads/damaged"), "").unwrap();
    std::fs::write(world.repo.path().join("refs/heads/held.lock"), format!("{first}\n")).unwrap();
    let target = |name: &str| world.repo.ref_target(&RefName::parse(name).unwrap()).unwrap();
    assert_eq!(target("refs/heads/main"), Some(second), "the file goes before packed-refs");
    assert_eq!(target("refs/heads/deep/er/one"), Some(first));
    assert_eq!(target("refs/heads/alias"), Some(second));
    for absent in
        ["refs/heads/damaged", "refs/heads/deep", "refs/heads/deep/er/one/more", "refs/heads/aa", "refs/tags/v"]
    {
        assert_eq!(target(absent), None, "{absent}");
    }
    let known = world.git(&[
        "for-each-ref",
        "--format=%(refname:short) %(objectname)",
        "refs/heads/",
        "--exclude=refs/heads/alias",
    ]);
    let tips = world.repo.branch_tips(BranchOrder::Name).unwrap();
    let tips: String = tips.iter().map(|(name, tip)| format!("{name} {tip}\n")).collect();
    assert_eq!(tips, known);
    assert_eq!(world.repo.tag_targets().unwrap().len(), 1);
}

#[test]
fn a_ref_that_is_being_packed_is_always_found() {
    let world = World::new();
    let tip = world.commit("main", "one", &[("a", "1")]);
    let (name, repository) = (branch("main").full(), world.repo.clone());
    std::thread::scope(|scope| {
        let packing = scope.spawn(|| {
            for _ in 0..20 {
                git(repository.path(), &["pack-refs", "--all", "--prune"], b"");
                let lock = repository.path().join("refs/heads/main.lock");
                std::fs::write(&lock, format!("{tip}\n")).unwrap();
                std::fs::rename(lock, repository.path().join("refs/heads/main")).unwrap();
            }
        });
        while !packing.is_finished() {
            assert_eq!(repository.ref_target(&name).unwrap(), Some(tip));
            assert_eq!(repository.branch_tips(BranchOrder::Name).unwrap().len(), 1);
        }
    });
}

#[test]
fn branches_are_apart_from_a_commit_by_numbers() {
    let world = World::new();
    let base = world.commit("main", "one", &[("a", "1")]);
    world.git(&["branch", "topic", &base.to_string()]);
    world.git(&["branch", "topic2/x", &base.to_string()]);
    let _ = world.commit("topic", "two", &[("b", "1")]);
    let topic = world.commit("topic", "three", &[("b", "2")]);
    let main = world.commit("main", "four", &[("a", "2")]);
    let names = [("topic", topic), ("topic2/x", base), ("main", main)].map(|(name, tip)| (branch(name).full(), tip));
    let time = Duration::from_secs(10);
    // The second time, the answers are remembered.
    for _ in 0..2 {
        let found = world.repo.divergences(main, &names, time).unwrap();
        let numbers = |tip: &Oid| found.get(tip).map(|it| (it.behind, it.ahead));
        assert_eq!([&topic, &base, &main].map(numbers), [Some((1, 2)), Some((1, 0)), Some((0, 0))]);
    }
    let gone = [(branch("none").full(), topic), (branch("topic2").full(), base)];
    assert_eq!(world.repo.divergences(base, &gone, time).unwrap().len(), 0);
}
