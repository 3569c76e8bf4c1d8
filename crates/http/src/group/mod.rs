//! Groups.

mod change;
mod list;
mod share;
mod show;
mod transfer;

use tenon_app::identity::Guard;

use crate::avatar::BODY_LIMIT;
use crate::endpoint::Routes;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Groups")
        .body_limit(BODY_LIMIT)
        .get("/groups", Guard::Anyone, list::list, "Groups that the caller may see.")
        .get("/groups/{id}", Guard::Anyone, show::show, "One group.")
        .get("/groups/{id}/subgroups", Guard::Anyone, list::subgroups, "The groups directly below a group.")
        .get("/groups/{id}/descendant_groups", Guard::Anyone, list::descendants, "All groups below a group.")
        .post("/groups", Guard::SignedIn, change::create, "Creates a group.")
        .put("/groups/{id}", Guard::SignedIn, change::edit, "Changes a group.")
        .delete("/groups/{id}", Guard::SignedIn, change::delete, "Removes a group with everything in it.")
        .post(
            "/groups/{id}/projects/{project_id}",
            Guard::Administrator,
            transfer::project,
            "Moves a project into a group.",
        )
        .post("/groups/{id}/transfer", Guard::SignedIn, transfer::group, "Moves a group below another, or to the top.")
        .post("/groups/{id}/share", Guard::SignedIn, share::share, "Shares a group with another group.")
        .delete(
            "/groups/{id}/share/{group_id:int}",
            Guard::SignedIn,
            share::unshare,
            "Closes a group to the members of another.",
        );
}
