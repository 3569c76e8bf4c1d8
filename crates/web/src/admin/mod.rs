//! The pages of administrators: how much there is, users, settings, all projects and groups.

mod account;
mod impersonation;
mod lists;
mod settings;
mod user_form;
mod users;

use askama::Template;
use tenon_app::identity::Guard;
use tenon_app::statistics::{self, Counts};

use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::site::Routes;
use crate::visit::Visit;

pub(crate) fn routes(routes: &mut Routes) {
    routes.get("/admin", Guard::Administrator, show);
    routes.get("/admin/projects", Guard::Administrator, lists::projects);
    routes.get("/admin/groups", Guard::Administrator, lists::groups);
    routes.get("/admin/users", Guard::Administrator, users::list);
    routes.post("/admin/users", Guard::Administrator, user_form::create);
    routes.get("/admin/users/new", Guard::Administrator, user_form::new);
    routes.get("/admin/users/{id}", Guard::Administrator, account::show);
    routes.get("/admin/users/{id}/edit", Guard::Administrator, user_form::edit);
    routes.get("/admin/users/{id}/projects", Guard::Administrator, account::projects);
    routes.get("/admin/users/{id}/keys", Guard::Administrator, account::keys);
    routes.get("/admin/users/{id}/impersonation_tokens", Guard::Administrator, account::tokens);
    routes.post("/admin/users/{id}/impersonation_tokens", Guard::Administrator, account::create_token);
    routes.put("/admin/users/{id}/impersonation_tokens/{token}/revoke", Guard::Administrator, account::revoke_token);
    routes.put("/admin/users/{id}", Guard::Administrator, user_form::update);
    routes.delete("/admin/users/{id}", Guard::Administrator, users::delete);
    routes.post("/admin/users/{id}/impersonate", Guard::Administrator, impersonation::start);
    // The administrator is the other user then.
    routes.delete("/admin/impersonation", Guard::SignedIn, impersonation::stop);
    routes.put("/admin/users/{id}/{event}", Guard::Administrator, users::change);
    routes.get("/admin/application_settings", Guard::Administrator, settings::show);
    routes.put("/admin/application_settings", Guard::Administrator, settings::change);
}

#[derive(Template)]
#[template(path = "admin/show.html")]
struct ShowPage {
    frame: Frame,
    counts: Counts,
    version: &'static str,
}

async fn show(visit: Visit) -> Result<Answer, PageError> {
    let (frame, counts) = visit.read(statistics::count).await?;
    Answer::page(&ShowPage { frame, counts, version: env!("CARGO_PKG_VERSION") })
}
