//! Lists of issues: they show what the ability allows, their totals are exact, and the kept counts agree with the rows.

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;
use tenon_domain::access::{Decision, Standing, Viewer};
use tenon_domain::container::Container;
use tenon_domain::id::{Iid, IssuableId, LabelId, UserId};
use tenon_domain::issuable::{Issuable, IssuableKind, IssueType, State};
use tenon_domain::issuable::{IssuableAction, IssuableFacts, TrackerFacts};
use tenon_domain::label::Label;
use tenon_domain::page::PageRequest;
use tenon_domain::search::Search;
use tenon_domain::time::TimeDelta;
use tenon_domain::tracker::decide;
use tenon_storage::iid::{self, Counted};
use tenon_storage::issuable::{
    self, BulkIssuable, IssuableFilter, IssuableOrder, IssuableSet, LabelFilter, Sender, StateFilter, VisibleIssuables,
};
use tenon_storage::label::{self, LabelSet};
use tenon_storage::{Database, ReadTx, StoreError, WriteTx, access, project};
use tenon_testkit::Backend;

use crate::access::{Built, World, build, on_worlds, worlds};
use crate::now;

/// An issue of a made-up world.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    project: usize,
    author: usize,
    pub(crate) assignee: Option<usize>,
    confidential: bool,
    closed: bool,
    pub(crate) deleted: bool,
    /// True if it carries the label of its project, and that of its group, which have the same name.
    labels: (bool, bool),
}

pub(crate) fn issues() -> impl Strategy<Value = Vec<Made>> {
    let labels = (any::<bool>(), prop::bool::weighted(0.2));
    let deleted = prop::bool::weighted(0.1);
    let one = (0..7_usize, 0..3_usize, prop::option::of(0..3_usize), any::<bool>(), any::<bool>(), deleted, labels)
        .prop_map(|(project, author, assignee, confidential, closed, deleted, labels)| Made {
            project,
            author,
            assignee,
            confidential,
            closed,
            deleted,
            labels,
        });
    prop::collection::vec(one, 0..12)
}

fn an_issue(project: tenon_domain::id::ProjectId, author: UserId) -> Issuable {
    Issuable {
        id: IssuableId::new(0),
        kind: IssuableKind::Issue,
        project,
        iid: Iid::new(0),
        author,
        title: "An issue".to_owned(),
        description: None,
        state: State::Opened,
        milestone: None,
        confidential: false,
        discussion_locked: None,
        due_date: None,
        issue_type: IssueType::Issue,
        weight: None,
        time_estimate: 0,
        total_time_spent: 0,
        user_notes_count: 0,
        upvotes: 0,
        downvotes: 0,
        moved_to: None,
        created_at: now(),
        updated_at: now(),
    }
}

fn open(tx: &mut WriteTx<'_>, mut new: Issuable) -> Result<Issuable, StoreError> {
    new.iid = iid::next(tx, Container::Project(new.project), Counted::Issue)?;
    new.id = issuable::insert(tx, &new, &Sender::default())?;
    Ok(new)
}

/// The name of every label that is made here.
const LABEL: &str = "bug";

fn a_label(container: Container) -> Label {
    Label {
        id: LabelId::new(0),
        container,
        name: LABEL.to_owned(),
        color: "#FF0000".to_owned(),
        description: None,
        archived: false,
    }
}

/// The label of this container, which is made if there is none.
fn label_of(tx: &mut WriteTx<'_>, container: Container) -> Result<LabelId, StoreError> {
    let set = LabelSet { container, with_ancestors: false };
    let known = label::list(tx, set, None, None, PageRequest::default())?.items;
    match known.first() {
        Some(label) => Ok(label.id),
        None => label::insert(tx, &a_label(container), now()),
    }
}

/// Makes the issues, and yields those that are still there, each with its assignee.
pub(crate) fn make(
    tx: &mut WriteTx<'_>,
    built: &Built,
    list: &[Made],
) -> Result<Vec<(Issuable, Option<UserId>)>, StoreError> {
    let mut there = Vec::new();
    for made in list.iter().filter(|_| !built.projects.is_empty()) {
        let home = &built.projects[made.project % built.projects.len()];
        let first = open(tx, an_issue(home.id, built.users[made.author]))?;
        let own = made.labels.0.then_some(Container::Project(home.id));
        let of_group = made.labels.1.then_some(Container::Group(home.namespace));
        let labels: Result<Vec<_>, _> =
            [own, of_group].into_iter().flatten().map(|container| label_of(tx, container)).collect();
        issuable::set_labels(tx, first.id, &labels?)?;
        let state = if made.closed { State::Closed { at: Some(now()), by: None } } else { State::Opened };
        let issue = Issuable { confidential: made.confidential, state, ..first.clone() };
        issuable::update(tx, &first, &issue)?;
        let assignee = made.assignee.map(|number| built.users[number]);
        issuable::set_assignees(tx, issue.id, &assignee.into_iter().collect::<Vec<_>>())?;
        if made.deleted {
            issuable::delete(tx, &issue, now())?;
        } else {
            there.push((issue, assignee));
        }
    }
    Ok(there)
}

/// True if the ability lets a viewer read an issue or merge request.
pub(crate) fn may_read(
    tx: &mut ReadTx<'_>,
    built: &Built,
    viewer: Viewer,
    issuable: &Issuable,
    assignee: Option<UserId>,
) -> Result<bool, StoreError> {
    let home = built.projects.iter().find(|project| project.id == issuable.project).unwrap();
    let level = match viewer.user() {
        None => None,
        Some(user) => access::project_levels(tx, user, home.id, home.namespace, now().date_naive())?.effective(),
    };
    let tracker = TrackerFacts::of(issuable.kind, home);
    let own = viewer.user().is_some() && (viewer.user() == Some(issuable.author) || viewer.user() == assignee);
    let facts = IssuableFacts { confidential: issuable.confidential, locked: false, own };
    let verdict = decide(issuable.kind, &Standing { viewer, level }, tracker, facts, IssuableAction::Read);
    Ok(verdict == Decision::Allow)
}

fn allowed(
    tx: &mut ReadTx<'_>,
    built: &Built,
    viewer: Viewer,
    there: &[(Issuable, Option<UserId>)],
) -> Result<BTreeSet<i64>, StoreError> {
    let mut allowed = BTreeSet::new();
    for (issue, assignee) in there {
        if may_read(tx, built, viewer, issue, *assignee)? {
            allowed.insert(issue.id.get());
        }
    }
    Ok(allowed)
}

fn listed(tx: &mut ReadTx<'_>, filter: &IssuableFilter) -> Result<(BTreeSet<i64>, i64), StoreError> {
    let everything = PageRequest::new(None, Some(100));
    let page = issuable::list(tx, filter, IssuableOrder::CreatedAt, true, everything)?;
    Ok((page.items.iter().map(|issue| issue.id.get()).collect(), page.total))
}

fn check(database: &Database, built: &Built, there: &[(Issuable, Option<UserId>)]) -> Result<(), StoreError> {
    let today = now().date_naive();
    database.read(|tx| {
        for viewer in built.viewers() {
            let allowed = allowed(tx, built, viewer, there)?;
            let reach = VisibleIssuables::resolve(tx, IssuableKind::Issue, viewer, IssuableSet::All, today)?;
            let all = IssuableFilter::new(reach, today);
            let (found, total) = listed(tx, &all)?;
            assert_eq!(found, allowed, "issues for {viewer:?}");
            assert_eq!(total, i64::try_from(allowed.len()).unwrap(), "total for {viewer:?}");
            // The same from counters, and counted row by row.
            for confidential in [None, Some(true), Some(false)] {
                for state in [None, Some(StateFilter::Opened), Some(StateFilter::Closed)] {
                    let counted = IssuableFilter { state, confidential, ..all.clone() };
                    agree(tx, &counted)?;
                    agree(tx, &IssuableFilter { labels: LabelFilter::All(vec![LABEL.to_owned()]), ..counted })?;
                }
            }
            counts_of_labels_agree(tx, &all)?;
        }
        Ok(())
    })
}

/// Counters and counting row by row have the same result.
fn agree(tx: &mut ReadTx<'_>, counted: &IssuableFilter) -> Result<(), StoreError> {
    let by_rows = IssuableFilter { created_before: Some(now()), ..counted.clone() };
    assert_eq!(listed(tx, counted)?, listed(tx, &by_rows)?, "{counted:?}");
    Ok(())
}

/// Of each label that is carried, as many are counted as are listed.
fn counts_of_labels_agree(tx: &mut ReadTx<'_>, all: &IssuableFilter) -> Result<(), StoreError> {
    let everything = PageRequest::new(None, Some(100));
    let found = issuable::list(tx, all, IssuableOrder::CreatedAt, true, everything)?.items;
    let ids: Vec<IssuableId> = found.iter().map(|issue| issue.id).collect();
    let carried = issuable::label_names(tx, &ids)?;
    let mut listed: HashMap<LabelId, (i64, i64)> = HashMap::new();
    for issue in &found {
        for (label, _) in carried.get(&issue.id).into_iter().flatten() {
            let (opened, closed) = listed.entry(*label).or_default();
            *if issue.state == State::Opened { opened } else { closed } += 1;
        }
    }
    let labels: Vec<LabelId> = listed.keys().copied().collect();
    let mut counted = issuable::count_by_labels(tx, &all.visible, &labels)?;
    counted.retain(|_, counts| *counts != (0, 0));
    assert_eq!(counted, listed, "{all:?}");
    Ok(())
}

const SEARCHES: [&str; 10] =
    ["timeout", "timeouts", "time-outs", "again", "calm common", "nowhere", "the *time", "on", "日本", "語"];

#[test]
fn what_many_carry_or_contain_is_counted_and_listed_as_what_few_do() {
    const MANY: i64 = 1_300;
    crate::on_each_test_database(|test_database| {
        let database = test_database.open();
        let built = database.write(|tx| build(tx, &a_world())).unwrap();
        let (project, people) = (built.projects[0].id, &built.users);
        database
            .write(|tx| {
                let carried = label_of(tx, Container::Project(project))?;
                let items: Vec<BulkIssuable> = (1..=MANY)
                    .map(|number| BulkIssuable {
                        issuable: Issuable {
                            iid: Iid::new(number),
                            title: if number % 10 == 0 { "Calm" } else { "Time-outs again" }.to_owned(),
                            description: Some("What the *timeouts* have in common on 日本語".to_owned()),
                            confidential: number % 7 == 0,
                            state: if number % 3 == 0 { State::Closed { at: None, by: None } } else { State::Opened },
                            created_at: now() - TimeDelta::seconds(MANY - number),
                            ..an_issue(project, people[usize::from(number % 11 == 0)])
                        },
                        request: None,
                        labels: (number % 2 == 0).then_some(carried).into_iter().collect(),
                        assignees: Vec::new(),
                        notes: Vec::new(),
                    })
                    .collect();
                issuable::insert_many(tx, &items)?;
                issuable::rebuild_counters(tx)
            })
            .unwrap();
        if test_database.backend() == Backend::Postgres {
            // Without statistics it plans for a few rows, and searches the index of words once for each of many.
            test_database.execute("ANALYZE");
        }
        for (trusted, user) in [(true, people[0]), (false, people[0]), (false, people[1])] {
            let viewer = Viewer::User { id: user, admin: false, external: false };
            database
                .read(|tx| {
                    let one = VisibleIssuables::of_project(IssuableKind::Issue, project, trusted, viewer);
                    let all = VisibleIssuables::resolve(
                        tx,
                        IssuableKind::Issue,
                        viewer,
                        IssuableSet::All,
                        now().date_naive(),
                    )?;
                    for reach in [one, all] {
                        let all = IssuableFilter::new(reach, now().date_naive());
                        let labels = LabelFilter::All(vec![LABEL.to_owned()]);
                        agree(tx, &IssuableFilter { labels: labels.clone(), ..all.clone() })?;
                        agree(tx, &IssuableFilter { labels, state: Some(StateFilter::Opened), ..all.clone() })?;
                        for words in SEARCHES {
                            let found = IssuableFilter { search: Search::parse(words), ..all.clone() };
                            agree(tx, &found)?;
                            agree(tx, &IssuableFilter { state: Some(StateFilter::Closed), ..found })?;
                        }
                    }
                    Ok::<_, StoreError>(())
                })
                .unwrap();
        }
    });
}

#[test]
fn lists_of_issues_and_abilities_agree() {
    let made_up: (_, _) = (worlds(), issues());
    on_worlds(&made_up, |(world, list): &(World, Vec<Made>)| {
        crate::on_each_backend(|database| {
            let (built, there) = database
                .write(|tx| {
                    let built = build(tx, world)?;
                    let there = make(tx, &built, list)?;
                    Ok::<_, StoreError>((built, there))
                })
                .unwrap();
            check(database, &built, &there).unwrap();
            // The counts kept by single writes are those of counting anew.
            database.write(issuable::rebuild_counters).unwrap();
            check(database, &built, &there).unwrap();
            let mut open_ones = std::collections::BTreeMap::new();
            for (issue, _) in &there {
                let counts = issue.state == State::Opened && !issue.confidential;
                *open_ones.entry(issue.project).or_insert(0) += i64::from(counts);
            }
            for (id, count) in open_ones {
                let found = database.read(|tx| project::find(tx, id)).unwrap().unwrap();
                assert_eq!(found.open_issues_count, count);
            }
        });
    });
}

fn a_world() -> World {
    World {
        groups: vec![(None, tenon_domain::visibility::Visibility::Public)],
        projects: vec![(0, tenon_domain::visibility::Visibility::Public)],
        parts: Vec::new(),
        members: vec![],
        shares: vec![],
    }
}

#[test]
fn words_are_found_whatever_their_case_and_metacharacters_are_literal() {
    crate::on_each_backend(|database| {
        let built = database.write(|tx| build(tx, &a_world())).unwrap();
        let texts = [
            ("Äpfel and BIRNEN", None),
            ("100% sure", Some("a [bracket] and a * star ? mark")),
            ("back\\slash_under", Some("Äpfel")),
            ("pears", Some("BIRNEN only")),
        ];
        database
            .write(|tx| {
                for (title, description) in texts {
                    let issue = an_issue(built.projects[0].id, built.users[0]);
                    let description = description.map(ToOwned::to_owned);
                    open(tx, Issuable { title: title.to_owned(), description, ..issue })?;
                }
                Ok::<_, StoreError>(())
            })
            .unwrap();
        let found = |text: &str| {
            let viewer = Viewer::User { id: built.users[0], admin: false, external: false };
            let reach = VisibleIssuables::of_project(IssuableKind::Issue, built.projects[0].id, true, viewer);
            let all = IssuableFilter::new(reach, now().date_naive());
            let filter = IssuableFilter { search: Search::parse(text), ..all };
            let request = PageRequest::default();
            let page =
                database.read(|tx| issuable::list(tx, &filter, IssuableOrder::CreatedAt, false, request)).unwrap();
            assert_eq!(page.total, i64::try_from(page.items.len()).unwrap());
            page.items.iter().map(|issue| issue.iid.get()).collect::<Vec<_>>()
        };
        assert_eq!(found("äpfel"), [1, 3]);
        assert_eq!(found("BIRNEN äpfel"), [1], "all words in one of the texts");
        assert_eq!(found("birnen only"), [4]);
        assert_eq!(found("pears birnen"), Vec::<i64>::new(), "not one in each");
        assert_eq!(found("100%"), [2]);
        assert_eq!(found("[bracket]"), [2]);
        assert_eq!(found("* star"), [2]);
        assert_eq!(found("\"? mark\""), [2]);
        assert_eq!(found("slash_"), [3]);
        assert_eq!(found("slashXunder"), Vec::<i64>::new());
        assert_eq!(found("h_u"), [3]);
        assert_eq!((found("a"), found("?"), found("ck"), found("c")), (vec![2], vec![2], vec![], vec![]));
    });
}

/// How many issues of the first project have the words.
fn how_many_have(database: &Database, built: &Built, words: &str) -> i64 {
    let viewer = Viewer::User { id: built.users[0], admin: true, external: false };
    let reach = VisibleIssuables::of_project(IssuableKind::Issue, built.projects[0].id, true, viewer);
    let all = IssuableFilter::new(reach, now().date_naive());
    let filter = IssuableFilter { search: Search::parse(words), ..all };
    database.read(|tx| listed(tx, &filter)).unwrap().1
}

#[test]
fn a_changed_or_deleted_text_is_found_by_what_it_says_now() {
    crate::on_each_backend(|database| {
        let built = database.write(|tx| build(tx, &a_world())).unwrap();
        let issue = database.write(|tx| open(tx, an_issue(built.projects[0].id, built.users[0]))).unwrap();
        let count = |text: &str| how_many_have(database, &built, text);
        let renamed = Issuable { title: "Something else".to_owned(), ..issue.clone() };
        database.write(|tx| issuable::update(tx, &issue, &renamed)).unwrap();
        assert_eq!((count("issue"), count("something")), (0, 1));
        database.write(|tx| issuable::delete(tx, &renamed, now())).unwrap();
        assert_eq!(count("something"), 0);
    });
}

#[test]
fn a_change_of_one_text_leaves_the_other_findable() {
    crate::on_each_backend(|database| {
        let built = database.write(|tx| build(tx, &a_world())).unwrap();
        let text = |title: &str, description: Option<&str>| Issuable {
            title: title.to_owned(),
            description: description.map(ToOwned::to_owned),
            ..an_issue(built.projects[0].id, built.users[0])
        };
        let mut before = database.write(|tx| open(tx, text("alpha beta", Some("alpha gamma")))).unwrap();
        let found = || ["alpha", "beta", "gamma", "alpha gamma"].map(|words| how_many_have(database, &built, words));
        assert_eq!(found(), [1, 1, 1, 1]);
        for (title, description, want) in [
            ("delta beta", Some("alpha gamma"), [1, 1, 1, 1]),
            ("delta beta", Some("gamma"), [0, 1, 1, 0]),
            ("DELTA, beta!", None, [0, 1, 0, 0]),
            ("alpha", Some("gamma"), [1, 0, 1, 0]),
        ] {
            let after = Issuable { id: before.id, iid: before.iid, ..text(title, description) };
            database.write(|tx| issuable::update(tx, &before, &after)).unwrap();
            assert_eq!(found(), want, "{title}, {description:?}");
            before = after;
        }
    });
}
