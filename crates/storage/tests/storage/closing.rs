//! The merge requests that close an issue are counted as far as the viewer may see them, which is what lists of merge
//! requests show.

use tenon_domain::id::{Iid, IssuableId, NamespaceId};
use tenon_domain::issuable::{Issuable, IssuableKind};
use tenon_domain::label::Owner;
use tenon_domain::merge_request::{MergeRequest, MergeStatus};
use tenon_storage::iid::{self, Counted};
use tenon_storage::issuable::{self, IssuableReach, IssuableSet, Sender, visible_of};
use tenon_storage::merge_request::ClosingName;
use tenon_storage::project::full_paths;
use tenon_storage::{Database, StoreError, WriteTx, merge_request};

use crate::access::{Built, World, build, on_worlds, worlds};
use crate::issues::{Made, issues, make};
use crate::now;

/// A merge request of the same author and assignee, in the same project, that closes the issue; twice over, as commits and
/// descriptions do.
fn close(tx: &mut WriteTx<'_>, issue: &Issuable, made: &Made, built: &Built) -> Result<IssuableId, StoreError> {
    let iid = iid::next(tx, Owner::Project(issue.project), Counted::MergeRequest)?;
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
    };
    merge_request::insert(tx, &request)?;
    let assignee = made.assignee.map(|number| built.users[number]);
    issuable::set_assignees(tx, id, &assignee.into_iter().collect::<Vec<_>>())?;
    for by_commit in [false, true] {
        // By the path, which leads to the project as well.
        let project = if by_commit { full_paths(tx, &[issue.project])?.remove(&issue.project) } else { None };
        let names = [ClosingName { project, iid: issue.iid.get() }];
        merge_request::set_closes(tx, id, (issue.project, NamespaceId::new(0)), by_commit, &names)?;
    }
    Ok(id)
}

fn check(database: &Database, built: &Built, pairs: &[(IssuableId, IssuableId)]) -> Result<(), StoreError> {
    let today = now().date_naive();
    let (issues, requests): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    database.read(|tx| {
        for viewer in built.viewers() {
            let reach = IssuableReach::resolve(tx, IssuableKind::MergeRequest, viewer, IssuableSet::All, today)?;
            let seen = visible_of(tx, &reach, &requests)?;
            let counts = merge_request::count_closing(tx, &issues, viewer, today)?;
            for (issue, request) in pairs {
                let want = i64::from(seen.contains(request));
                assert_eq!(counts.get(issue).copied().unwrap_or_default(), want, "{request:?} for {viewer:?}");
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
                    for ((issue, _), made) in make(tx, &built, &kept)?.iter().zip(&kept) {
                        pairs.push((issue.id, close(tx, issue, made, &built)?));
                    }
                    Ok::<_, StoreError>((built, pairs))
                })
                .unwrap();
            check(database, &built, &pairs).unwrap();
        });
    });
}
