//! The pages of administrators: totals, users, settings, all projects and groups.

mod account;
mod backups;
mod hooks;
mod impersonation;
mod jobs;
mod lists;
mod messages;
mod overview;
mod setting_words;
mod settings;
mod user_form;
mod user_row;
mod users;
mod variables;

use tenon_app::identity::Guard;

use crate::table::site::SiteTable;

pub(crate) fn routes(table: &mut SiteTable) {
    table.get("/admin", Guard::Administrator, overview::show);
    table.post("/admin/test_email", Guard::Administrator, overview::send_test);
    table.get("/admin/projects", Guard::Administrator, lists::projects);
    table.get("/admin/groups", Guard::Administrator, lists::groups);
    table.get("/admin/users", Guard::Administrator, users::list);
    table.post("/admin/users", Guard::Administrator, user_form::create);
    table.get("/admin/users/new", Guard::Administrator, user_form::new);
    table.get("/admin/users/{id}", Guard::Administrator, account::show);
    table.get("/admin/users/{id}/edit", Guard::Administrator, user_form::edit);
    table.get("/admin/users/{id}/projects", Guard::Administrator, account::projects);
    table.get("/admin/users/{id}/keys", Guard::Administrator, account::keys);
    table.get("/admin/users/{id}/impersonation_tokens", Guard::Administrator, account::tokens);
    table.post("/admin/users/{id}/impersonation_tokens", Guard::Administrator, account::create_token);
    table.put("/admin/users/{id}/impersonation_tokens/{token}/revoke", Guard::Administrator, account::revoke_token);
    table.put("/admin/users/{id}", Guard::Administrator, user_form::update);
    table.delete("/admin/users/{id}", Guard::Administrator, users::delete);
    table.post("/admin/users/{id}/impersonate", Guard::Administrator, impersonation::start);
    // The caller is the other user then, and not the administrator.
    table.delete("/admin/impersonation", Guard::SignedIn, impersonation::stop);
    table.put("/admin/users/{id}/{event}", Guard::Administrator, users::change);
    table.get("/admin/application_settings", Guard::Administrator, settings::show);
    table.put("/admin/application_settings", Guard::Administrator, settings::change);
    table.get("/admin/backups", Guard::Administrator, backups::show);
    table.post("/admin/backups", Guard::Administrator, backups::request);
    table.get("/admin/jobs", Guard::Administrator, jobs::show);
    table.put("/admin/jobs/{id}/retry", Guard::Administrator, jobs::retry);
    table.delete("/admin/jobs/{id}", Guard::Administrator, jobs::delete);
    table.get("/admin/broadcast_messages", Guard::Administrator, messages::list);
    table.post("/admin/broadcast_messages", Guard::Administrator, messages::create);
    table.get("/admin/broadcast_messages/{id}/edit", Guard::Administrator, messages::edit);
    table.put("/admin/broadcast_messages/{id}", Guard::Administrator, messages::update);
    table.delete("/admin/broadcast_messages/{id}", Guard::Administrator, messages::delete);
    table.get("/admin/variables", Guard::Administrator, variables::list);
    table.post("/admin/variables", Guard::Administrator, variables::create);
    table.get("/admin/variables/{id}/edit", Guard::Administrator, variables::edit);
    table.put("/admin/variables/{id}", Guard::Administrator, variables::update);
    table.delete("/admin/variables/{id}", Guard::Administrator, variables::delete);
    table.get("/admin/hooks", Guard::Administrator, hooks::list);
    table.post("/admin/hooks", Guard::Administrator, hooks::create);
    table.get("/admin/hooks/{id}/edit", Guard::Administrator, hooks::edit);
    table.put("/admin/hooks/{id}", Guard::Administrator, hooks::update);
    table.delete("/admin/hooks/{id}", Guard::Administrator, hooks::delete);
    table.post("/admin/hooks/{id}/test", Guard::Administrator, hooks::test);
    table.post("/admin/hooks/{id}/hook_logs/{log}/retry", Guard::Administrator, hooks::resend);
}
