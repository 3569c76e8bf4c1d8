//! A page of keyset pagination is one range of one index, read in its order until there are enough rows.

use std::collections::BTreeMap;

use tenon_domain::access::Viewer;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::keyset::{KeyedOrder, Keyset, KeysetPage, KeysetRequest};
use tenon_domain::page::PageRequest;
use tenon_domain::time::Timestamp;
use tenon_storage::group::{GroupFilter, GroupOrder, GroupSet};
use tenon_storage::issuable::{IssuableFilter, IssuableOrder, IssuableSet, VisibleIssuables};
use tenon_storage::project::{ProjectFilter, ProjectOrder, ProjectSet};
use tenon_storage::user::{UserFilter, UserOrder};
use tenon_storage::{Database, ReadTx, StoreError, group, issuable, project, user};
use tenon_testkit::{Backend, TestDatabase};

use crate::now;
use crate::plans::{plans_of_lists, sent, watched};

/// Rows of each table: with fewer, the databases would read all of them.
const ROWS: i64 = 4_000;

fn insert(database: &TestDatabase, into: &str, row: impl Fn(i64) -> String) {
    let rows: Vec<String> = (1..=ROWS).map(|number| format!("({})", row(number))).collect();
    for part in rows.chunks(500) {
        database.execute(&format!("INSERT INTO {into} VALUES {}", part.join(", ")));
    }
}

/// A moment for each number.
fn at(number: i64) -> String {
    format!("'2026-01-{:02} {:02}:00:00'", 1 + number % 28, number % 24)
}

fn fill(database: &TestDatabase) {
    insert(
        database,
        "users (username, username_key, name, email, state, projects_limit, created_at, updated_at)",
        |n| format!("'u{n}', 'u{n}', 'u{n}', 'u{n}@example.org', 'active', 10, {0}, {0}", at(n)),
    );
    insert(database, "namespaces (kind, name, path, full_path, full_name, visibility, created_at, updated_at)", |n| {
        format!("'group', 'g{n}', 'g{n}', 'g{n}', 'g{n}', 'public', {0}, {0}", at(n))
    });
    insert(
        database,
        "projects (namespace_id, name, path, visibility, sealed_runners_token, last_activity_at, created_at, updated_at)",
        |n| format!("1 + {n} % 50, 'p{n}', 'p{n}', 'public', 'x', {0}, {0}, {0}", at(n)),
    );
    database.execute(
        "INSERT INTO project_features (project_id, shared_runners_enabled, public_jobs, lfs_enabled, request_access_enabled, \
         resolve_outdated_diff_discussions, only_allow_merge_if_pipeline_succeeds, \
         only_allow_merge_if_all_discussions_are_resolved, printing_merge_request_link_enabled) \
         SELECT id, TRUE, TRUE, TRUE, TRUE, TRUE, TRUE, TRUE, TRUE FROM projects",
    );
    insert(database, "issuables (kind, project_id, iid, author_id, title, state, created_at, updated_at)", |n| {
        let kind = if n % 2 == 0 { "issue" } else { "merge_request" };
        format!("'{kind}', 1 + {n} % 4, {n}, 1, 't{n}', 'opened', {0}, {0}", at(n))
    });
    database.execute("ANALYZE");
}

/// Reads the second part of a list, and yields the statements for it: the token of the first part names its last row.
fn second_part<T>(
    database: &Database,
    order: Option<KeyedOrder>,
    descending: bool,
    walk: impl Fn(&mut ReadTx<'_>, &Keyset) -> Result<KeysetPage<T>, StoreError>,
) -> Vec<String> {
    let part = |token| KeysetRequest::new(PageRequest::default(), token).of(order, descending, "").unwrap();
    let first = database.read(|tx| walk(tx, &part(None))).unwrap();
    assert_eq!(first.items.len(), 20);
    let next = part(Some(first.next.unwrap()));
    let (second, sent) = sent(database, |tx| walk(tx, &next));
    assert_eq!(second.items.len(), 20);
    sent
}

/// Fails if a list reads more than a range of an index, or sorts.
#[track_caller]
fn assert_range(database: &TestDatabase, sent: &[String]) -> Vec<String> {
    let plans = plans_of_lists(database, sent);
    assert!(!plans.is_empty(), "{sent:?}");
    for (statement, plan) in &plans {
        for slow in ["Seq Scan", "Sort", "SCAN", "TEMP B-TREE"] {
            assert!(!plan.contains(slow), "{:?}: {statement}\n{plan}", database.backend());
        }
    }
    plans.into_iter().map(|(_, plan)| plan).collect()
}

/// Runs `test` on a database of each kind with [`ROWS`] rows of each table: half of them issues, half merge requests.
pub(crate) fn on_each_filled_database(test: impl Fn(&TestDatabase, &Database)) {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let database = TestDatabase::new(backend);
        fill(&database);
        let watched = watched(&database);
        watched.write(issuable::rebuild_counters).unwrap();
        database.execute("ANALYZE");
        test(&database, &watched);
    }
}

pub(crate) const ROOT: Viewer = Viewer::User { id: UserId::new(1), admin: true, external: false };

#[test]
fn a_part_behind_a_row_is_a_range_of_an_index() {
    let today = now().date_naive();
    on_each_filled_database(|test_database, database| {
        for descending in [false, true] {
            let all = UserFilter::default();
            let sent = second_part(database, UserOrder::Id.keyed(), descending, |tx, part| user::walk(tx, &all, part));
            assert_range(test_database, &sent);
            let all = GroupFilter {
                set: GroupSet::Visible(ROOT),
                today,
                parent: None,
                below: None,
                top_level: false,
                member: None,
                search: None,
                visibility: None,
                skip: Vec::new(),
                custom_attributes: BTreeMap::new(),
            };
            for order in [GroupOrder::Id, GroupOrder::Name] {
                let walk = |tx: &mut ReadTx<'_>, part: &Keyset| group::walk(tx, &all, order, part);
                assert_range(test_database, &second_part(database, order.keyed(), descending, walk));
            }
            let all = ProjectFilter::new(ROOT, today, ProjectSet::All);
            for order in [
                ProjectOrder::Id,
                ProjectOrder::Name,
                ProjectOrder::Path,
                ProjectOrder::CreatedAt,
                ProjectOrder::UpdatedAt,
                ProjectOrder::LastActivityAt,
            ] {
                let walk = |tx: &mut ReadTx<'_>, part: &Keyset| project::walk(tx, &all, order, part);
                assert_range(test_database, &second_part(database, order.keyed(), descending, walk));
            }
        }
    });
}

/// The issues of one project, and of everything.
fn reaches(database: &Database) -> [VisibleIssuables; 2] {
    let of_project = VisibleIssuables::of_project(IssuableKind::Issue, ProjectId::new(3), true, ROOT);
    let resolve = |tx: &mut ReadTx<'_>| {
        VisibleIssuables::resolve(tx, IssuableKind::Issue, ROOT, IssuableSet::All, now().date_naive())
    };
    [of_project, database.read(resolve).unwrap()]
}

#[test]
fn a_part_of_issues_begins_at_its_row_whatever_the_bounds() {
    let moment = |text: &str| Some(text.parse::<Timestamp>().unwrap());
    let (from, to) = (moment("2026-01-03T00:00:00Z"), moment("2026-01-27T00:00:00Z"));
    on_each_filled_database(|test_database, database| {
        for reach in reaches(database) {
            let all = IssuableFilter::new(reach, now().date_naive());
            for (order, filter) in [
                (IssuableOrder::Id, all.clone()),
                (IssuableOrder::CreatedAt, all.clone()),
                (IssuableOrder::UpdatedAt, all.clone()),
                (IssuableOrder::CreatedAt, IssuableFilter { created_after: from, created_before: to, ..all.clone() }),
                (IssuableOrder::UpdatedAt, IssuableFilter { updated_after: from, updated_before: to, ..all.clone() }),
            ] {
                for descending in [false, true] {
                    let walk = |tx: &mut ReadTx<'_>, part: &Keyset| issuable::walk(tx, &filter, order, part);
                    let sent = second_part(database, order.keyed(), descending, walk);
                    assert_range(test_database, &sent);
                    // A range of an index has one beginning. It is the row, and not the bound that comes before it.
                    let bound = if descending { " <= " } else { " >= " };
                    for statement in sent.iter().filter(|statement| statement.contains("ORDER BY")) {
                        assert!(!statement.contains(bound), "{statement}");
                    }
                }
            }
        }
    });
}
