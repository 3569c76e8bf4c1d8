//! Lists that leave rows out look each row up among those to leave out: the work does not grow with the product of both.

use tenon_domain::id::UserId;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::page::PageRequest;
use tenon_storage::issuable::{
    BranchFilter, IssuableFilter, IssuableOrder, IssuableSet, ReactionFilter, UsersFilter, VisibleIssuables,
};
use tenon_storage::user::{UserFilter, UserOrder};
use tenon_storage::{Database, issuable, user};
use tenon_testkit::{Backend, TestDatabase};

use crate::jobs::plan;
use crate::keyset::{ROOT, on_each_filled_database};
use crate::now;
use crate::plans::sent;

/// PostgreSQL compares a row with all values of a subplan, one by one. It joins what `NOT EXISTS` asks.
#[track_caller]
fn assert_joined(database: &TestDatabase, name: &str, sent: &[String]) {
    let lists: Vec<&String> = sent.iter().filter(|statement| statement.contains("NOT")).collect();
    assert!(!lists.is_empty(), "{name}: {sent:?}");
    for statement in lists {
        let plan = plan(database, statement);
        let slow = match database.backend() {
            Backend::Sqlite => &[
                "SCAN merge_request_verdicts",
                "SCAN approval_rule",
                "SCAN award_emoji",
                "SCAN passkeys",
                "SCAN members",
                "SCAN two_factors",
            ][..],
            Backend::Postgres => &["SubPlan"],
        };
        assert!(slow.iter().all(|slow| !plan.contains(slow)), "{name}: {statement}\n{plan}");
    }
}

fn merge_requests(database: &Database) -> IssuableFilter {
    let (kind, today) = (IssuableKind::MergeRequest, now().date_naive());
    let reach = database.read(|tx| VisibleIssuables::resolve(tx, kind, ROOT, IssuableSet::All, today)).unwrap();
    IssuableFilter::new(reach, today)
}

#[test]
fn issuables_are_left_out_one_by_one() {
    on_each_filled_database(|test_database, database| {
        let all = merge_requests(database);
        let branches = BranchFilter::default();
        for (name, filter) in [
            (
                "approved by no user",
                IssuableFilter {
                    branches: BranchFilter { approved_by: UsersFilter::None, ..branches.clone() },
                    ..all.clone()
                },
            ),
            (
                "no rule names a user",
                IssuableFilter {
                    branches: BranchFilter { approvers: UsersFilter::None, ..branches.clone() },
                    ..all.clone()
                },
            ),
            ("not archived", IssuableFilter { without_archived: true, ..all.clone() }),
            (
                "without a reaction",
                IssuableFilter { reaction: Some((UserId::new(1), ReactionFilter::None)), ..all.clone() },
            ),
        ] {
            let list = |tx: &mut tenon_storage::ReadTx<'_>| {
                issuable::list(tx, &filter, IssuableOrder::CreatedAt, true, PageRequest::default())
            };
            let (page, sent) = sent(database, list);
            assert_eq!((page.items.len(), page.total), (20, 2_000), "{name}");
            assert_joined(test_database, name, &sent);
        }
    });
}

#[test]
fn users_are_left_out_one_by_one() {
    on_each_filled_database(|test_database, database| {
        for (name, filter) in [
            ("without projects", UserFilter { without_projects: true, ..UserFilter::default() }),
            ("without a second factor", UserFilter { two_factor: Some(false), ..UserFilter::default() }),
        ] {
            let list = |tx: &mut tenon_storage::ReadTx<'_>| {
                user::list(tx, &filter, UserOrder::Id, true, PageRequest::default())
            };
            let (page, sent) = sent(database, list);
            assert!(page.items.len() == 20 && page.total >= 4_000, "{name}");
            assert_joined(test_database, name, &sent);
        }
    });
}
