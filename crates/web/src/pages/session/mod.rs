//! Signing up, in and out, forgotten passwords, and the terms of service.

mod admin_mode;
mod confirmation;
mod openid;
mod passkey;
mod password_reset;
mod sign_in;
mod sign_out;
mod sign_up;
mod terms;

pub(crate) use openid::leave;

use tenon_app::identity::Guard;

use crate::table::site::SiteTable;

pub(crate) fn routes(table: &mut SiteTable) {
    table.get("/users/sign_in", Guard::Anyone, sign_in::form);
    table.post("/users/sign_in", Guard::Anyone, sign_in::submit);
    table.post("/users/passkey", Guard::Anyone, passkey::submit);
    table.post("/users/passkey/challenge", Guard::Anyone, passkey::ask);
    table.post("/users/auth/{provider}", Guard::Anyone, openid::begin);
    table.get("/users/auth/{provider}/callback", Guard::Anyone, openid::finish);
    table.get("/users/sign_out", Guard::Anyone, sign_out::form);
    table.post("/users/sign_out", Guard::Anyone, sign_out::submit);
    table.delete("/users/sign_out", Guard::Anyone, sign_out::submit);
    table.get("/users/sign_up", Guard::Anyone, sign_up::form);
    table.post("/users", Guard::Anyone, sign_up::submit);
    table.get("/users/confirmation", Guard::Anyone, confirmation::form);
    table.post("/users/confirmation", Guard::Anyone, confirmation::submit);
    table.get("/users/password/new", Guard::Anyone, password_reset::ask);
    table.post("/users/password", Guard::Anyone, password_reset::request);
    table.get("/users/password/edit", Guard::Anyone, password_reset::edit);
    table.post("/users/password/edit", Guard::Anyone, password_reset::save);
    table.get("/admin/session/new", Guard::SignedIn, admin_mode::form);
    table.post("/admin/session", Guard::SignedIn, admin_mode::enter);
    table.post("/admin/session/destroy", Guard::SignedIn, admin_mode::leave);
    table.get("/-/users/terms", Guard::Anyone, terms::show);
    table.post("/-/users/terms/accept", Guard::SignedIn, terms::accept);
}
