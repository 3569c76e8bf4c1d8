//! The merge requests that close an issue are counted as far as the viewer may read them: the count, the ability and the
//! lists of merge requests agree.

use tenon_domain::container::Container;
use tenon_domain::id::{Iid, IssuableId, NamespaceId, UserId};
use tenon_domain::issuable::{Issuable, IssuableKind};
use tenon_domain::merge_request::{MergeRequest, MergeStatus};
use tenon_storage::iid::{self, Counted};
use tenon_storage::issuable::{self, IssuableSet, Sender, VisibleIssuables, visible_of};
use tenon_storage::merge_request::ClosingName;
use tenon_storage::project::full_paths;
use tenon_storage::{Database, StoreError, WriteTx, merge_request};

use crate::access::{Built, World, build, on_worlds, worlds};
use crate::issues::{Made, issues, make, may_read};
use crate::now;

/// A merge request of the same author and assignee, in the same project, that closes the issue; twice over, as commits and
/// descriptions do.
pub(crate) fn close(
    tx: &mut WriteTx<'_>,
    issue: &Issuable,
    made: &Made,
    built: &Built,
) -> Result<Issuable, StoreError> {
    let iid = iid::next(tx, Container::Project(issue.project), Counted::MergeRequest)?;
    let issuable = Issuable {
        id: IssuableId::new(0),
        kind: IssuableKind::MergeRequest,
        iid: Iid::new(iid.get()),
        confidential: false,
        state: tenon_domain::issuable::State::Opened,
        ..issue.clone()
    };
    let id = issuable::insert(tx, &issuable, &Sender::default())?;
    let request = MergeRequest {
        id,
        source_project: Some(issue.project),
        source_branch: format!("topic-{iid}"),
        target_branch: "main".to_owned(),
        draft: false,
        squash: false,
        force_remove_source_branch: false,
        should_remove_source_branch: None,
        allow_collaboration: false,
        merge_status: MergeStatus::Unchecked,
        merge_error: None,
        diff: None,
        auto_merge: None,
        merged: None,
        approvals_before_merge: None,
    };
    merge_request::insert(tx, &request)?;
    let assignee = made.assignee.map(|number| built.users[number]);
    issuable::set_assignees(tx, id, &assignee.into_iter().collect::<Vec<_>>())?;
    for by_commit in [false, true] {
        // By the path, which leads to the project as well.
        let project = if by_commit { full_paths(tx, &[issue.project])?.remove(&issue.project) } else { None };
        let names = [ClosingName::Own { project, iid: issue.iid.get() }];
        merge_request::set_closes(tx, id, (issue.project, NamespaceId::new(0)), by_commit, &names)?;
    }
    Ok(Issuable { id, ..issuable })
}

/// An issue, and the merge request that closes it, with the assignee of both.
type Pair = (IssuableId, Issuable, Option<UserId>);

fn check(database: &Database, built: &Built, pairs: &[Pair]) -> Result<(), StoreError> {
    let today = now().date_naive();
    let issues: Vec<IssuableId> = pairs.iter().map(|(issue, ..)| *issue).collect();
    let requests: Vec<IssuableId> = pairs.iter().map(|(_, request, _)| request.id).collect();
    database.read(|tx| {
        for viewer in built.viewers() {
            let visible = VisibleIssuables::resolve(tx, IssuableKind::MergeRequest, viewer, IssuableSet::All, today)?;
            let seen = visible_of(tx, &visible, &requests)?;
            let counts = merge_request::count_closing(tx, &issues, viewer, today)?;
            for (issue, request, assignee) in pairs {
                let allowed = may_read(tx, built, viewer, request, *assignee)?;
                assert_eq!(seen.contains(&request.id), allowed, "{request:?} for {viewer:?}");
                let count = counts.get(issue).copied().unwrap_or_default();
                assert_eq!(count, i64::from(allowed), "{request:?} for {viewer:?}");
            }
        }
        Ok(())
    })
}

#[test]
fn what_closes_an_issue_is_counted_as_far_as_it_is_seen() {
    on_worlds(&(worlds(), issues()), |(world, list): &(World, Vec<Made>)| {
        crate::on_each_backend(|database| {
            let (built, pairs) = database
                .write(|tx| {
                    let built = build(tx, world)?;
                    let kept: Vec<Made> = list.iter().filter(|made| !made.deleted).cloned().collect();
                    let mut pairs = Vec::new();
                    for ((issue, assignee), made) in make(tx, &built, &kept)?.iter().zip(&kept) {
                        pairs.push((issue.id, close(tx, issue, made, &built)?, *assignee));
                    }
                    Ok::<_, StoreError>((built, pairs))
                })
                .unwrap();
            check(database, &built, &pairs).unwrap();
        });
    });
}
