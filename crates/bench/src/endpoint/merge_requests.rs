//! The requests about merge requests that do not need Git; `bench-code` measures the rest.

use tenon_domain::id::Iid;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::page::PageRequest;
use tenon_storage::issuable::{
    self, IssuableFilter, IssuableOrder, IssuableSet, LabelFilter, StateFilter, VisibleIssuables,
};
use tenon_storage::{ReadTx, StoreResult, merge_request};

use super::bare::Facts;
use super::{Endpoint, get};
use crate::seed::Landmarks;

/// A label of every project, which one merge request in five carries.
const LABEL: &str = "bug";

/// Lists, and one of them.
pub(super) fn reads(at: &Landmarks) -> Vec<Endpoint> {
    let path = format!("/projects/{}/merge_requests", at.project);
    vec![
        get("GET /projects/:id/merge_requests", &path, LISTED, |tx, facts| list(tx, &in_project(facts), facts.page)),
        get(
            "GET /projects/:id/merge_requests?labels=&state=opened",
            &format!("{path}?labels={LABEL}&state=opened"),
            LISTED,
            |tx, facts| {
                let labels = LabelFilter::All(vec![LABEL.to_owned()]);
                let filter = IssuableFilter { labels, state: Some(StateFilter::Opened), ..in_project(facts) };
                list(tx, &filter, facts.page)
            },
        ),
        get(
            "GET /projects/:id/merge_requests/:iid",
            &format!("{path}/{}", one(at)),
            "issuable::find, merge_request::find",
            |tx, facts| {
                let at = &facts.landmarks;
                match issuable::find(tx, IssuableKind::MergeRequest, at.project, one(at))? {
                    Some(found) => merge_request::find(tx, found.id).map(drop),
                    None => Ok(()),
                }
            },
        ),
        get(
            "GET /groups/:id/merge_requests",
            &format!("/groups/{}/merge_requests", at.group),
            RESOLVED,
            |tx, facts| within(tx, facts, IssuableSet::Below(facts.landmarks.group)),
        ),
        get("GET /merge_requests?scope=all", "/merge_requests?scope=all", RESOLVED, |tx, facts| {
            within(tx, facts, IssuableSet::All)
        }),
    ]
}

const LISTED: &str = "issuable::list, merge_request::by_ids";
const RESOLVED: &str = "VisibleIssuables::resolve, issuable::list, merge_request::by_ids";

fn one(at: &Landmarks) -> Iid {
    at.open_merge_requests.first().copied().unwrap_or(Iid::new(1))
}

fn in_project(facts: &Facts) -> IssuableFilter {
    let reach = VisibleIssuables::of_project(IssuableKind::MergeRequest, facts.landmarks.project, true, facts.member);
    IssuableFilter::new(reach, facts.today)
}

fn within(tx: &mut ReadTx<'_>, facts: &Facts, set: IssuableSet) -> StoreResult<()> {
    let reach = VisibleIssuables::resolve(tx, IssuableKind::MergeRequest, facts.member, set, facts.today)?;
    list(tx, &IssuableFilter::new(reach, facts.today), facts.page)
}

fn list(tx: &mut ReadTx<'_>, filter: &IssuableFilter, page: PageRequest) -> StoreResult<()> {
    let found = issuable::list(tx, filter, IssuableOrder::CreatedAt, true, page)?;
    let ids: Vec<_> = found.items.iter().map(|one| one.id).collect();
    merge_request::by_ids(tx, &ids).map(drop)
}
