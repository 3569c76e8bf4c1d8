//! The pages of administrators: totals, users, settings, all projects and groups.

mod account;
mod impersonation;
mod lists;
mod setting_words;
mod settings;
mod user_form;
mod user_row;
mod users;

use askama::Template;
use tenon_app::identity::Guard;
use tenon_app::statistics::{self, Counts};

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::table::site::SiteTable;

pub(crate) fn routes(table: &mut SiteTable) {
    table.get("/admin", Guard::Administrator, show);
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
}

#[derive(Template)]
#[template(path = "admin/show.html")]
struct ShowPage {
    frame: Frame,
    counts: Counts,
    version: &'static str,
}

async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let (frame, counts) = context.read(statistics::count).await?;
    Answer::page(&ShowPage { frame, counts, version: env!("CARGO_PKG_VERSION") })
}
