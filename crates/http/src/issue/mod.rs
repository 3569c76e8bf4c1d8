//! Issues.

mod change;
mod edit;
mod link;
mod list;
mod reorder;
mod show;
mod statistics;
mod subscribe;

use tenon_app::Reference;
use tenon_app::identity::Guard;
use tenon_domain::id::Iid;

use crate::endpoint::{Caller, Routes};
use crate::params::{Paging, params};

params! {
    /// An issue of the project.
    pub(crate) struct IssueParams {
        /// Its iid.
        issue_iid: i64,
    }
}

params! {
    /// An issue of the project, and a page.
    pub(crate) struct PagedIssueParams {
        issue: IssueParams,
        paging: Paging,
    }
}

impl IssueParams {
    pub(crate) const fn iid(&self) -> Iid {
        Iid::new(self.issue_iid)
    }
}

pub(crate) fn project(caller: &Caller) -> Reference {
    Reference::parse(caller.path("id"))
}

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Issues")
        .get("/issues", Guard::SignedIn, list::list, "The caller's issues; with `scope`, others as well.")
        .get("/groups/{id}/issues", Guard::SignedIn, list::of_group, "The issues of a group and of what is below it.")
        .get("/projects/{id}/issues", Guard::SignedIn, list::of_project, "The issues of a project.")
        .post("/projects/{id}/issues", Guard::SignedIn, change::create, "Creates an issue.")
        .get("/projects/{id}/issues/{issue_iid}", Guard::SignedIn, show::show, "One issue.")
        .put("/projects/{id}/issues/{issue_iid}", Guard::SignedIn, edit::edit, "Changes an issue.")
        .delete("/projects/{id}/issues/{issue_iid}", Guard::SignedIn, change::delete, "Deletes an issue.")
        .put(
            "/projects/{id}/issues/{issue_iid}/reorder",
            Guard::SignedIn,
            reorder::reorder,
            "Puts an issue beside others in the order of users (`order_by=relative_position`).",
        )
        .post(
            "/projects/{id}/issues/{issue_iid}/move",
            Guard::SignedIn,
            change::move_to,
            "Continues an issue in another project.",
        )
        .post(
            "/projects/{id}/issues/{issue_iid}/subscribe",
            Guard::SignedIn,
            subscribe::subscribe,
            "Subscribes the caller to an issue.",
        )
        .post(
            "/projects/{id}/issues/{issue_iid}/unsubscribe",
            Guard::SignedIn,
            subscribe::unsubscribe,
            "Ends the caller's subscription to an issue.",
        )
        .get(
            "/projects/{id}/issues/{issue_iid}/closed_by",
            Guard::SignedIn,
            show::closed_by,
            "The merge requests that close an issue.",
        )
        .get(
            "/projects/{id}/issues/{issue_iid}/related_merge_requests",
            Guard::SignedIn,
            show::related_merge_requests,
            "The merge requests that have to do with an issue.",
        )
        .get(
            "/projects/{id}/issues/{issue_iid}/user_agent_detail",
            Guard::Administrator,
            show::sender,
            "From where an issue was opened.",
        );
    link_routes(api);
    statistics::routes(api);
}

fn link_routes(api: &mut Routes) {
    api.tag("Issue links")
        .get("/projects/{id}/issues/{issue_iid}/links", Guard::SignedIn, link::list, "The linked issues.")
        .post("/projects/{id}/issues/{issue_iid}/links", Guard::SignedIn, link::create, "Links two issues.")
        .delete(
            "/projects/{id}/issues/{issue_iid}/links/{issue_link_id:int}",
            Guard::SignedIn,
            link::delete,
            "Takes the link between two issues away.",
        );
}
