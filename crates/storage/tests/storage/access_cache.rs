//! Answers about access from the cache are what the database would answer, whatever has changed since.

use std::sync::Arc;

use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::id::{NamespaceId, UserId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::member::Member;
use tenon_domain::namespace::NamespaceKind;
use tenon_domain::page::PageRequest;
use tenon_domain::project::Project;
use tenon_domain::project::setting::{ISSUES, MERGE_REQUESTS, REPOSITORY};
use tenon_domain::settings::Value;
use tenon_domain::time::Date;
use tenon_domain::visibility::Visibility;
use tenon_storage::access::{Membership, is_related};
use tenon_storage::cache::access_cache::{
    Access, AccessCache, AsOf, CAPACITY, CacheHandle, CacheKey, OVERHEAD, Weight,
};
use tenon_storage::issuable::{IssuableSet, VisibleIssuables};
use tenon_storage::namespace::NewNamespace;
use tenon_storage::project::{ProjectFilter, ProjectOrder, ProjectSet};
use tenon_storage::{Database, ReadTx, StoreError, WriteTx, group, member, namespace, project, share};

use crate::access::{Built, World, build};
use crate::now;

/// Two trees of groups, with projects without members.
fn world() -> World {
    let private = Visibility::Private;
    World {
        groups: vec![(None, private), (Some(0), private), (None, private), (Some(2), Visibility::Public)],
        projects: vec![(1, private), (3, private), (2, Visibility::Internal), (0, private)],
        parts: Vec::new(),
        members: vec![(0, 1, AccessLevel::Guest, false)],
        shares: Vec::new(),
    }
}

fn disabled() -> Value {
    Value::Text("disabled".to_owned())
}

/// Everything that lists ask of access, of every viewer.
fn asked(tx: &mut ReadTx<'_>, built: &Built) -> Result<Vec<String>, StoreError> {
    let today = now().date_naive();
    let mut answers = Vec::new();
    for viewer in built.viewers() {
        for kind in IssuableKind::ALL {
            for set in [IssuableSet::All, IssuableSet::Below(built.groups[0].id)] {
                answers.push(format!("{:?}", VisibleIssuables::resolve(tx, *kind, viewer, set, today)?));
            }
        }
        let groups: Vec<NamespaceId> = built.groups.iter().map(|group| group.id).collect();
        let mut seen: Vec<_> = group::visible_of(tx, viewer, &groups, today)?.into_iter().collect();
        seen.sort_unstable();
        answers.push(format!("{viewer:?} sees {seen:?}"));
        let mut filters = vec![ProjectFilter::new(viewer, today, ProjectSet::All)];
        if let Some(user) = viewer.user() {
            answers.push(format!("{user} is related: {}", is_related(tx, user, built.groups[0].id, today)?));
            for at_least in [AccessLevel::Guest, AccessLevel::Developer] {
                let membership = Some(Membership { user, at_least, today });
                filters.push(ProjectFilter { membership, ..ProjectFilter::new(viewer, today, ProjectSet::All) });
            }
        }
        for filter in filters {
            let page = project::list(tx, &filter, ProjectOrder::Id, false, PageRequest::default())?;
            let ids: Vec<_> = page.items.iter().map(|placed| placed.project.id).collect();
            assert_eq!(page.total, i64::try_from(ids.len()).unwrap(), "{filter:?}");
            answers.push(format!("{viewer:?} lists {ids:?}"));
        }
    }
    Ok(answers)
}

fn membership(container: Container, user: UserId, level: AccessLevel) -> Member {
    Member { container, user, level, expires_at: None, created_at: now(), created_by: None, updated_at: now() }
}

type Change = fn(&mut WriteTx<'_>, &Built) -> Result<(), StoreError>;

/// One of each kind of change, in an order in which each changes an answer.
const CHANGES: &[(&str, Change)] = &[
    ("a membership in a project", |tx, built| {
        let container = Container::Project(built.projects[0].id);
        member::insert(tx, &membership(container, built.users[0], AccessLevel::Guest))
    }),
    ("a higher level", |tx, built| {
        let container = Container::Project(built.projects[0].id);
        member::update(tx, &membership(container, built.users[0], AccessLevel::Developer))
    }),
    ("the end of a membership", |tx, built| {
        member::delete(tx, Container::Project(built.projects[0].id), built.users[0])
    }),
    ("a group shared with another", |tx, built| {
        let (of, with) = (Container::Group(built.groups[2].id), built.groups[0].id);
        share::insert(tx, of, with, AccessLevel::Developer, None, now()).map(drop)
    }),
    ("a group that moves", |tx, built| {
        let moved = &built.groups[3];
        namespace::relocate(tx, moved, None, &moved.name, &moved.path, now())
    }),
    ("the end of a share", |tx, built| {
        share::delete(tx, Container::Group(built.groups[2].id), built.groups[0].id).map(drop)
    }),
    ("a project that becomes visible", |tx, built| {
        project::update(tx, &Project { visibility: Visibility::Public, ..built.projects[1].clone() })
    }),
    ("a project that moves", |tx, built| {
        let moved = Project { namespace: built.groups[0].id, ..built.projects[2].clone() };
        project::relocate(tx, &moved, &built.groups[0])?;
        project::update(tx, &Project { visibility: Visibility::Private, ..moved })
    }),
    ("issues switched off", |tx, built| {
        let mut project = built.projects[3].clone();
        project.settings.set(&ISSUES, disabled());
        project::update(tx, &project)
    }),
    ("merge requests switched off", |tx, built| {
        let mut project = built.projects[3].clone();
        project.settings.set(&ISSUES, disabled());
        project.settings.set(&MERGE_REQUESTS, disabled());
        project::update(tx, &project)
    }),
    ("issues and code for members only", |tx, built| {
        let mut project = built.projects[3].clone();
        project.settings.set(&ISSUES, Value::Text("private".to_owned()));
        project.settings.set(&REPOSITORY, Value::Text("private".to_owned()));
        project::update(tx, &project)
    }),
    ("a project shared with a group", |tx, built| {
        let (of, with) = (Container::Project(built.projects[1].id), built.groups[0].id);
        project::update(tx, &built.projects[1])?;
        share::insert(tx, of, with, AccessLevel::Developer, None, now()).map(drop)
    }),
    ("a project that moves into a user's own namespace", |tx, built| {
        let id = namespace::insert(
            tx,
            &NewNamespace {
                kind: NamespaceKind::User,
                owner: Some(built.users[0]),
                parent: None,
                name: "own",
                path: "own",
                visibility: Visibility::Private,
                at: now(),
            },
        )?;
        let mut project = built.projects[1].clone();
        project.namespace = id;
        project::update(tx, &project)
    }),
    ("a project that is about to go", |tx, built| project::mark_deleting(tx, built.projects[0].id, now())),
    ("a project that is gone", |tx, built| project::delete(tx, built.projects[3].id)),
];

fn cached(database: &Database, built: &Built) -> Vec<String> {
    database.read(|tx| asked(tx, built)).unwrap()
}

#[test]
fn cached_answers_change_with_what_they_depend_on() {
    crate::on_each_backend(|database| {
        let built = database.write(|tx| build(tx, &world())).unwrap();
        let mut before = cached(database, &built);
        for (name, change) in CHANGES {
            database.write(|tx| change(tx, &built)).unwrap();
            let after = cached(database, &built);
            assert_ne!(after, before, "{name} changes nothing");
            // A transaction that writes uses no cache.
            assert_eq!(after, database.write(|tx| asked(tx, &built)).unwrap(), "{name}");
            assert_eq!(after, cached(database, &built), "{name}, asked again");
            before = after;
        }
    });
}

#[test]
fn what_was_rolled_back_is_not_cached() {
    crate::on_each_backend(|database| {
        let built = database.write(|tx| build(tx, &world())).unwrap();
        let before = cached(database, &built);
        let container = Container::Project(built.projects[0].id);
        let undone: Result<(), StoreError> = database.write(|tx| {
            member::insert(tx, &membership(container, built.users[0], AccessLevel::Owner))?;
            assert_ne!(asked(tx, &built)?, before);
            Err(diesel_error())
        });
        assert!(undone.is_err());
        assert_eq!(cached(database, &built), before);
    });
}

fn diesel_error() -> StoreError {
    diesel::result::Error::RollbackTransaction.into()
}

/// An answer with so many ids.
struct Ids(usize);

impl Weight for Ids {
    fn weight(&self) -> usize {
        self.0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Question(i32);

impl CacheKey for Question {
    type Answer = Ids;
}

fn day(number: u32) -> Option<Date> {
    Date::from_ymd_opt(2026, 11, number)
}

fn kept(cache: &AccessCache, as_of: AsOf, question: i32) -> Option<usize> {
    CacheHandle::new(cache, Access::Reads).get(as_of, &Question(question)).map(|ids| ids.0)
}

fn keep(cache: &AccessCache, as_of: AsOf, question: i32, ids: usize) -> usize {
    let handle = CacheHandle::new(cache, Access::Reads);
    handle.insert(as_of, Question(question), &Arc::new(Ids(ids)));
    handle.weight::<Question>()
}

#[test]
fn an_answer_is_good_for_its_revision_and_day() {
    let cache = AccessCache::default();
    keep(&cache, (3, day(1)), 1, 7);
    assert_eq!(kept(&cache, (3, day(1)), 1), Some(7));
    for as_of in [(4, day(1)), (2, day(1)), (3, day(2))] {
        assert_eq!(kept(&cache, as_of, 1), None, "{as_of:?}");
    }
}

#[test]
fn another_revision_replaces_what_was_kept() {
    let cache = AccessCache::default();
    keep(&cache, (4, day(1)), 1, 7);
    assert_eq!(keep(&cache, (3, day(1)), 2, 8), 8 + OVERHEAD);
    assert_eq!((kept(&cache, (4, day(1)), 1), kept(&cache, (3, day(1)), 2)), (None, Some(8)));
}

#[test]
fn the_cache_has_a_capacity() {
    let cache = AccessCache::default();
    for question in 0..10 {
        assert!(keep(&cache, (1, day(1)), question, CAPACITY / 3) <= CAPACITY);
    }
    assert_eq!((kept(&cache, (1, day(1)), 9), kept(&cache, (1, day(1)), 0)), (Some(CAPACITY / 3), None));
}

#[test]
fn transactions_of_one_database_share_its_answers() {
    let cache = AccessCache::default();
    keep(&cache, (1, None), 5, 3);
    assert_eq!(kept(&cache, (1, None), 5), Some(3));
    assert_eq!(kept(&AccessCache::default(), (1, None), 5), None);
}
