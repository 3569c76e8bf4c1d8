//! The pages of groups. Their addresses end with the path of a group, or continue behind `/-/`.

mod access_tokens;
mod activity;
mod badges;
mod boards;
mod deploy_tokens;
mod form;
mod issuables;
mod labels;
mod members;
mod milestones;
mod notification;
mod projects;
mod setting_words;
pub(crate) mod show;
mod variables;

use tenon_app::identity::Guard;

use crate::context::watch::PATH;
use crate::table::group::GroupTable;
use crate::table::site::SiteTable;

pub(crate) fn routes(table: &mut SiteTable) {
    table.get("/groups/new", Guard::SignedIn, form::new);
    table.post("/groups", Guard::SignedIn, form::create);
}

/// The pages behind `/-/` at the address of a group, and the actions of their forms.
pub(crate) fn pages(table: &mut GroupTable) {
    table.get("/issues", issuables::issues);
    table.get("/merge_requests", issuables::merge_requests);
    table.get("/activity", activity::show);
    table.get("/projects", projects::own);
    table.get("/shared", projects::shared);
    table.get("/archived", projects::archived);
    table.get("/edit", form::edit);
    table.put("/edit", form::update);
    table.delete("/edit", form::delete);
    table.get("/labels", labels::list);
    table.post("/labels", labels::create);
    table.get("/labels/new", labels::new);
    table.put("/labels/{id}", labels::update);
    table.delete("/labels/{id}", labels::delete);
    table.get("/labels/{id}/edit", labels::edit);
    table.post("/labels/{id}/toggle_subscription", labels::toggle_subscription);
    table.get("/settings/badges", badges::list);
    table.post("/settings/badges", badges::create);
    table.get("/settings/badges/{id}/edit", badges::edit);
    table.put("/settings/badges/{id}", badges::update);
    table.delete("/settings/badges/{id}", badges::delete);
    table.get("/boards", boards::list);
    table.post("/boards", boards::create);
    table.get("/boards/{id}", boards::show);
    table.put("/boards/{id}", boards::update);
    table.delete("/boards/{id}", boards::delete);
    table.post("/boards/{id}/lists", boards::add_list);
    table.put("/boards/{id}/lists/{list}", boards::move_list);
    table.delete("/boards/{id}/lists/{list}", boards::delete_list);
    table.post("/boards/{id}/move", boards::move_issue);
    table.get("/settings/access_tokens", access_tokens::show);
    table.post("/settings/access_tokens", access_tokens::create);
    table.post("/settings/access_tokens/{id}/rotate", access_tokens::rotate);
    table.delete("/settings/access_tokens/{id}", access_tokens::revoke);
    table.get("/settings/deploy_tokens", deploy_tokens::show);
    table.post("/settings/deploy_tokens", deploy_tokens::create);
    table.delete("/settings/deploy_tokens/{id}", deploy_tokens::revoke);
    table.get("/variables", variables::list);
    table.post("/variables", variables::create);
    table.get("/variables/{id}/edit", variables::edit);
    table.put("/variables/{id}", variables::update);
    table.delete("/variables/{id}", variables::delete);
    table.get("/settings/ci_cd", variables::moved);
    table.get("/milestones", milestones::list);
    table.post("/milestones", milestones::create);
    table.get("/milestones/new", milestones::new);
    table.get("/milestones/{iid}", milestones::show);
    table.put("/milestones/{iid}", milestones::update);
    table.delete("/milestones/{iid}", milestones::delete);
    table.get("/milestones/{iid}/edit", milestones::edit);
    table.post(PATH, notification::change);
    table.get("/group_members", members::show);
    table.post("/group_members", members::add);
    table.delete("/group_members/leave", members::leave);
    table.post("/group_members/request_access", members::request_access);
    table.delete("/group_members/request_access", members::withdraw_request);
    table.put("/group_members/requests/{id}", members::approve);
    table.delete("/group_members/requests/{id}", members::deny);
    table.put("/group_members/invitations", members::resend);
    table.delete("/group_members/invitations", members::withdraw);
    table.put("/group_members/{id}", members::change);
    table.delete("/group_members/{id}", members::remove);
}
