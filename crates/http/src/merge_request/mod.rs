//! Merge requests.

mod approval;
mod between;
mod change;
mod list;
mod merge;
mod show;

use tenon_app::identity::Guard;

use crate::endpoint::Routes;

/// The address of one merge request, and of what belongs to it.
macro_rules! one {
    () => {
        "/projects/{id}/merge_requests/{merge_request_iid}"
    };
    ($below:literal) => {
        concat!("/projects/{id}/merge_requests/{merge_request_iid}", $below)
    };
}

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Merge requests")
        .get(
            "/merge_requests",
            Guard::SignedIn,
            list::list,
            "The caller's merge requests; with `scope`, others as well.",
        )
        .get("/groups/{id}/merge_requests", Guard::SignedIn, list::of_group, "The merge requests of a group.")
        .get("/projects/{id}/merge_requests", Guard::SignedIn, list::of_project, "The merge requests into a project.")
        .post("/projects/{id}/merge_requests", Guard::SignedIn, change::create, "Offers a branch.")
        .get(one!(), Guard::SignedIn, show::show, "One merge request.")
        .put(one!(), Guard::SignedIn, change::edit, "Changes a merge request.")
        .delete(one!(), Guard::SignedIn, change::delete, "Deletes a merge request.")
        .post(one!("/subscribe"), Guard::SignedIn, show::subscribe, "Subscribes the caller.")
        .post(one!("/unsubscribe"), Guard::SignedIn, show::unsubscribe, "Ends the caller's subscription.")
        .get(one!("/pipelines"), Guard::SignedIn, show::pipelines, "The pipelines of its commits.")
        .get(one!("/closes_issues"), Guard::SignedIn, show::closes_issues, "The issues that its merge closes.")
        .get(one!("/related_issues"), Guard::SignedIn, show::closes_issues, "The issues that its merge closes.")
        .get(one!("/commits"), Guard::SignedIn, between::commits, "Its commits, newest first.")
        .get(one!("/changes"), Guard::SignedIn, between::changes, "The merge request with its files.")
        .get(one!("/diffs"), Guard::SignedIn, between::diffs, "Its files.")
        .get(one!("/raw_diffs"), Guard::SignedIn, between::raw_diffs, "Its files, as `git diff` prints them.")
        .get(one!("/versions"), Guard::SignedIn, between::versions, "What it was after each push.")
        .get(one!("/versions/{version_id:int}"), Guard::SignedIn, between::version, "What it was after one push.")
        .put(one!("/merge"), Guard::SignedIn, merge::accept, "Merges.")
        .put(
            one!("/cancel_merge_when_pipeline_succeeds"),
            Guard::SignedIn,
            merge::cancel,
            "Gives a merge up that waits for the pipeline.",
        )
        .post(
            one!("/cancel_merge_when_pipeline_succeeds"),
            Guard::SignedIn,
            merge::cancel_briefly,
            "Gives a merge up that waits for the pipeline, for today's clients.",
        )
        .put(one!("/rebase"), Guard::SignedIn, merge::rebase, "Makes its commits again on top of the target branch.")
        .get(one!("/merge_ref"), Guard::SignedIn, merge::merge_ref, "A commit that is what a merge would make.")
        .get(one!("/approvals"), Guard::SignedIn, approval::approvals, "Who has approved it: nobody has to.")
        .get(one!("/approval_state"), Guard::SignedIn, approval::state, "The rules of approval: there are none.");
}
