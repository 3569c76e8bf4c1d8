//! Projects.

mod change;
mod fork;
mod language;
mod list;
mod mirror;
mod settings;
mod share;
mod show;
mod statistics;

use tenon_app::identity::Guard;

use crate::avatar::BODY_LIMIT;
use crate::endpoint::Routes;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Projects")
        .body_limit(BODY_LIMIT)
        .get("/projects", Guard::Anyone, list::list, "Projects that the caller may see.")
        .post("/projects", Guard::SignedIn, change::create, "Creates a project of the caller's.")
        .post(
            "/projects/user/{user_id:int}",
            Guard::Administrator,
            change::create_for_user,
            "Creates a project for another user.",
        )
        .get("/users/{user_id}/projects", Guard::Anyone, list::of_user, "The personal projects of a user.")
        .get("/groups/{id}/projects", Guard::Anyone, list::of_group, "The projects of a group.")
        .get("/projects/{id}", Guard::Anyone, show::show, "One project.")
        .put("/projects/{id}", Guard::SignedIn, change::edit, "Changes a project.")
        .delete("/projects/{id}", Guard::SignedIn, change::delete, "Removes a project.")
        .get("/projects/{id}/users", Guard::Anyone, show::users, "The users of a project.")
        .get("/projects/{id}/forks", Guard::Anyone, list::forks, "The direct forks of a project.")
        .post("/projects/{id}/fork", Guard::SignedIn, fork::fork, "Forks a project.")
        .post(
            "/projects/{id}/fork/{forked_from_id:int}",
            Guard::SignedIn,
            fork::relate,
            "Records that a project is a fork of another.",
        )
        .delete("/projects/{id}/fork", Guard::SignedIn, fork::unrelate, "Removes the fork relation of a project.")
        .get("/projects/{id}/languages", Guard::Anyone, language::list, "The languages of a project.")
        .get(
            "/projects/{id}/statistics",
            Guard::SignedIn,
            statistics::show,
            "The clones and fetches of the last 30 days.",
        )
        .get("/projects/{id}/mirror/pull", Guard::SignedIn, mirror::show, "The state of the mirror of a project.")
        .post("/projects/{id}/mirror/pull", Guard::SignedIn, mirror::pull, "Updates the mirror of a project now.")
        .post("/projects/{id}/star", Guard::SignedIn, change::star, "Stars a project.")
        .post("/projects/{id}/unstar", Guard::SignedIn, change::unstar, "Removes a star.")
        .post("/projects/{id}/archive", Guard::SignedIn, change::archive, "Makes a project read-only.")
        .post("/projects/{id}/unarchive", Guard::SignedIn, change::unarchive, "Makes a project writable again.")
        .put("/projects/{id}/transfer", Guard::SignedIn, change::transfer, "Moves a project to another namespace.")
        .post("/projects/{id}/share", Guard::SignedIn, share::share, "Shares a project with a group.")
        .delete(
            "/projects/{id}/share/{group_id}",
            Guard::SignedIn,
            share::unshare,
            "Closes a project to the members of a group.",
        );
}
