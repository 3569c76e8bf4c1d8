//! Contributions are listed as far as the viewer may read what they are about, and their totals are exact.

use std::collections::BTreeSet;

use tenon_domain::contribution::CONTRIBUTIONS;
use tenon_domain::event::{Event, EventKind};
use tenon_domain::id::{IssuableId, UserId};
use tenon_domain::issuable::{Issuable, IssuableKind};
use tenon_domain::page::PageRequest;
use tenon_storage::event::{self, ContributionFilter};
use tenon_storage::issuable::{IssuableSet, VisibleIssuables};
use tenon_storage::project::{self, ProjectSet};
use tenon_storage::{Database, StoreError, WriteTx};

use crate::access::{Built, World, build, on_worlds, worlds};
use crate::closing::close;
use crate::issues::{Made, issues, make, may_read};
use crate::now;

/// The opening of each issue, and of a merge request beside it, as an event.
fn open(tx: &mut WriteTx<'_>, built: &Built, list: &[Made]) -> Result<Vec<(Issuable, Option<UserId>)>, StoreError> {
    let mut opened = Vec::new();
    for made in list {
        for (issue, assignee) in make(tx, built, std::slice::from_ref(made))? {
            let request = close(tx, &issue, made, built)?;
            opened.extend([(issue, assignee), (request, assignee)]);
        }
    }
    for (issuable, _) in &opened {
        let kind = match issuable.kind {
            IssuableKind::Issue => EventKind::IssueOpened,
            IssuableKind::MergeRequest => EventKind::MergeRequestOpened,
        };
        let event = Event::new(kind, Some(issuable.author), now()).project(issuable.project).issuable(issuable.id);
        event::append_relayed(tx, &event)?;
    }
    Ok(opened)
}

fn check(database: &Database, built: &Built, opened: &[(Issuable, Option<UserId>)]) -> Result<(), StoreError> {
    let today = now().date_naive();
    database.read(|tx| {
        for viewer in built.viewers() {
            let mut allowed = BTreeSet::new();
            for (issuable, assignee) in opened {
                if may_read(tx, built, viewer, issuable, *assignee)? {
                    allowed.insert(issuable.id.get());
                }
            }
            let mut visible = Vec::new();
            for kind in IssuableKind::ALL {
                visible.push(VisibleIssuables::resolve(tx, *kind, viewer, IssuableSet::All, today)?);
            }
            let filter = ContributionFilter {
                contributions: CONTRIBUTIONS.to_vec(),
                author: None,
                projects: project::visible_ids(tx, viewer, ProjectSet::All, today)?,
                visible_issuables: visible,
                code: Vec::new(),
                before: None,
                from: None,
                between: None,
            };
            let page = event::contributions(tx, &filter, true, PageRequest::new(None, Some(100)))?;
            let listed: BTreeSet<i64> =
                page.items.iter().filter_map(|(_, event)| event.issuable.map(IssuableId::get)).collect();
            assert_eq!(listed, allowed, "contributions for {viewer:?}");
            assert_eq!(page.total, i64::try_from(allowed.len()).unwrap(), "total for {viewer:?}");
            // Of fewer projects, those in them.
            for project in &built.projects {
                let filter = ContributionFilter { projects: vec![project.id], ..filter.clone() };
                let total = event::contributions(tx, &filter, false, PageRequest::default())?.total;
                let here = opened.iter().filter(|(one, _)| one.project == project.id);
                let want = here.filter(|(one, _)| allowed.contains(&one.id.get())).count();
                assert_eq!(total, i64::try_from(want).unwrap(), "contributions in {} for {viewer:?}", project.id);
            }
        }
        Ok(())
    })
}

#[test]
fn contributions_and_abilities_agree() {
    on_worlds(&(worlds(), issues()), |(world, list): &(World, Vec<Made>)| {
        crate::on_each_backend(|database| {
            let (built, opened) = database
                .write(|tx| {
                    let built = build(tx, world)?;
                    let opened = open(tx, &built, list)?;
                    Ok::<_, StoreError>((built, opened))
                })
                .unwrap();
            check(database, &built, &opened).unwrap();
        });
    });
}
