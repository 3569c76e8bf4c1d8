//! A small population has the properties that measurements count on.

use tenon_domain::access::Viewer;
use tenon_domain::container::Container;
use tenon_domain::issuable::{Issuable, IssuableKind, State};
use tenon_domain::page::Page;
use tenon_storage::iid::Counted;
use tenon_storage::issuable::{self, IssuableFilter, IssuableOrder, IssuableSet, VisibleIssuables};

use super::*;

/// The rows that a measurement asks for, of a population that is not there.
pub(crate) fn nowhere() -> Landmarks {
    Landmarks {
        member: UserId::new(2),
        project: ProjectId::new(1),
        project_path: "group/project".to_owned(),
        group: NamespaceId::new(3),
        group_path: "group".to_owned(),
        issues: 0,
        open_issues: vec![Iid::new(1)],
        open_merge_requests: vec![Iid::new(1)],
    }
}

fn target(folder: &Path) -> Target {
    Target { database_url: DatabaseUrl::Sqlite(folder.join("tenon.db")), data_dir: folder.to_owned() }
}

#[test]
fn a_database_in_use_is_not_filled() {
    let folder = tempfile::tempdir().unwrap();
    let target = target(folder.path());
    fill(&target, Size::Small, &Tokens::default(), &ProgressBar::hidden()).unwrap();
    let error = fill(&target, Size::Small, &Tokens::default(), &ProgressBar::hidden()).unwrap_err();
    assert!(error.to_string().contains("has 4 accounts"), "{error}");
}

fn small(folder: &Path) -> (Landmarks, Database) {
    let target = target(folder);
    let landmarks = fill(&target, Size::Small, &Tokens::default(), &ProgressBar::hidden()).unwrap();
    (landmarks, Database::open(Options::new(target.database_url)).unwrap())
}

/// The first page of the issues of the landmarks' user everywhere, or of one project.
fn issues(database: &Database, at: &Landmarks, project: Option<ProjectId>) -> Page<Issuable> {
    list(database, at, IssuableKind::Issue, project)
}

fn list(database: &Database, at: &Landmarks, kind: IssuableKind, project: Option<ProjectId>) -> Page<Issuable> {
    let viewer = Viewer::User { id: at.member, admin: false, external: false };
    let today = moment(0).date_naive();
    let found = database.read(|tx| {
        let reach = match project {
            Some(project) => VisibleIssuables::of_project(kind, project, true, viewer),
            None => VisibleIssuables::resolve(tx, kind, viewer, IssuableSet::All, today)?,
        };
        let filter = IssuableFilter::new(reach, today);
        issuable::list(tx, &filter, IssuableOrder::CreatedAt, false, PageRequest::new(None, Some(100)))
    });
    found.unwrap_or_else(|error: tenon_app::StoreError| panic!("{error}"))
}

#[test]
fn two_runs_make_the_same_population() {
    let population = || {
        let folder = tempfile::tempdir().unwrap();
        let (at, database) = small(folder.path());
        let project = database.read(|tx| tenon_storage::project::find(tx, at.project)).unwrap().unwrap();
        let issues = issues(&database, &at, None).items;
        let notes = database.read(|tx| tenon_storage::note::all(tx, issues[0].id)).unwrap();
        ((at.project_path, project.created_at, project.description, project.star_count), issues, notes)
    };
    assert_eq!(population(), population());
}

#[test]
fn the_issues_are_those_that_measurements_count_on() {
    let folder = tempfile::tempdir().unwrap();
    let (at, database) = small(folder.path());
    let found = issues(&database, &at, Some(at.project));
    assert_eq!((found.items.len(), found.total), (at.issues, 100));
    let (first, last) = (&found.items[0], &found.items[99]);
    assert!(last.created_at - first.created_at > TimeDelta::days(4 * 365), "{first:?} {last:?}");
    for iid in &at.open_issues {
        let issue = found.items.iter().find(|issue| issue.iid == *iid).unwrap();
        assert_eq!((issue.state, issue.confidential), (State::Opened, false));
        let notes = database.read(|tx| tenon_storage::note::all(tx, issue.id)).unwrap();
        assert_eq!(i64::try_from(notes.len()).unwrap(), issue.user_notes_count);
        assert!(!notes.is_empty() && notes.iter().all(|note| note.created_at <= issue.updated_at), "{notes:?}");
    }
    let container = Container::Project(at.project);
    let next = database.write(|tx| tenon_storage::iid::next(tx, container, Counted::Issue)).unwrap();
    assert_eq!(next, Iid::new(101));
}

#[test]
fn so_are_the_merge_requests() {
    let folder = tempfile::tempdir().unwrap();
    let (at, database) = small(folder.path());
    let found = list(&database, &at, IssuableKind::MergeRequest, Some(at.project));
    assert_eq!(found.total, 20);
    let ids: Vec<_> = found.items.iter().map(|one| one.id).collect();
    let requests = database.read(|tx| tenon_storage::merge_request::by_ids(tx, &ids)).unwrap();
    assert!(!at.open_merge_requests.is_empty());
    for one in &found.items {
        let request = &requests[&one.id];
        assert_eq!(request.merged.is_some(), one.state == State::Merged);
        assert_eq!(one.state == State::Opened, at.open_merge_requests.contains(&one.iid), "{one:?}");
        assert_eq!(request.source_branch, format!("topic-{}", one.iid));
        assert!(request.has_commits());
    }
    let container = Container::Project(at.project);
    let next = database.write(|tx| tenon_storage::iid::next(tx, container, Counted::MergeRequest)).unwrap();
    assert_eq!(next, Iid::new(21));
}

#[test]
fn filling_leaves_the_indexes_of_the_migrations() {
    let schema = |url: &DatabaseUrl| {
        let mut names = maintenance::indexes(url).unwrap();
        names.sort();
        names
    };
    let (filled, fresh) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(small(filled.path()));
    let fresh = target(fresh.path()).database_url;
    Database::open(Options::new(fresh.clone())).unwrap().migrate().unwrap();
    assert_eq!(schema(&target(filled.path()).database_url), schema(&fresh));
    assert!(schema(&fresh).len() > 5);
}
