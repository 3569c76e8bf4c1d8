//! Merge requests.

/// The path of one merge request, or a path below it.
macro_rules! one {
    () => {
        "/projects/{id}/merge_requests/{merge_request_iid}"
    };
    ($below:literal) => {
        concat!("/projects/{id}/merge_requests/{merge_request_iid}", $below)
    };
}

mod approval;
mod change;
mod changes;
mod list;
mod merge;
mod show;
mod suggestion;

use tenon_app::identity::Guard;

use crate::endpoint::Routes;

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
        .post("/projects/{id}/merge_requests", Guard::SignedIn, change::create, "Creates a merge request.")
        .get(one!(), Guard::SignedIn, show::show, "One merge request.")
        .put(one!(), Guard::SignedIn, change::edit, "Changes a merge request.")
        .delete(one!(), Guard::SignedIn, change::delete, "Deletes a merge request.")
        .post(one!("/subscribe"), Guard::SignedIn, show::subscribe, "Subscribes the caller.")
        .post(one!("/unsubscribe"), Guard::SignedIn, show::unsubscribe, "Ends the caller's subscription.")
        .get(one!("/pipelines"), Guard::SignedIn, show::pipelines, "The pipelines of its commits.")
        .get(one!("/closes_issues"), Guard::SignedIn, show::closes_issues, "The issues that its merge closes.")
        .get(one!("/related_issues"), Guard::SignedIn, show::closes_issues, "The issues that its merge closes.")
        .get(one!("/commits"), Guard::SignedIn, changes::commits, "Its commits, newest first.")
        .get(one!("/changes"), Guard::SignedIn, changes::changes, "The merge request with its diffs.")
        .get(one!("/diffs"), Guard::SignedIn, changes::diffs, "Its diffs.")
        .get(one!("/raw_diffs"), Guard::SignedIn, changes::raw_diffs, "Its diffs as plain text.")
        .get(one!("/versions"), Guard::SignedIn, changes::versions, "Its versions.")
        .get(one!("/versions/{version_id:int}"), Guard::SignedIn, changes::version, "One version.")
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
        .put(one!("/rebase"), Guard::SignedIn, merge::rebase, "Rebases the source branch.")
        .get(one!("/merge_ref"), Guard::SignedIn, merge::merge_ref, "The commit that a merge would create.");
    api.tag("Suggestions")
        .put("/suggestions/{id:int}/apply", Guard::SignedIn, suggestion::apply, "Applies a suggestion by a commit.")
        .put("/suggestions/batch_apply", Guard::SignedIn, suggestion::apply_all, "Applies suggestions by one commit.");
    approval::routes(api);
}
