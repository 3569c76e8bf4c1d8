//! The work of a user: projects, issues, merge requests, the to-do list.

mod activity;
mod frame;
mod groups;
pub(crate) mod home;
mod issuables;
mod milestones;
mod projects;
mod snippets;
mod todos;

use tenon_app::identity::Guard;

use crate::table::site::SiteTable;

pub(crate) fn routes(table: &mut SiteTable) {
    table.get("/dashboard", Guard::SignedIn, home::show);
    table.get("/dashboard/projects", Guard::SignedIn, projects::own);
    table.get("/dashboard/projects/starred", Guard::SignedIn, projects::starred);
    table.get("/dashboard/activity", Guard::SignedIn, activity::list);
    table.get("/dashboard/groups", Guard::SignedIn, groups::list);
    table.get("/dashboard/issues", Guard::SignedIn, issuables::issues);
    table.get("/dashboard/merge_requests", Guard::SignedIn, issuables::merge_requests);
    table.get("/dashboard/milestones", Guard::SignedIn, milestones::list);
    table.get("/dashboard/snippets", Guard::SignedIn, snippets::list);
    table.get("/dashboard/todos", Guard::SignedIn, todos::list);
    table.delete("/dashboard/todos/destroy_all", Guard::SignedIn, todos::mark_all_done);
    table.delete("/dashboard/todos/{id}", Guard::SignedIn, todos::mark_done);
}
