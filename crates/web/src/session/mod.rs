//! Signing up, in and out; passwords that were forgotten; the terms of service.

mod confirmation;
mod password_reset;
mod sign_in;
mod sign_out;
mod sign_up;
mod terms;

use tenon_app::identity::Guard;

use crate::site::Routes;

pub(crate) fn routes(routes: &mut Routes) {
    routes.get("/users/sign_in", Guard::Anyone, sign_in::form);
    routes.post("/users/sign_in", Guard::Anyone, sign_in::submit);
    routes.get("/users/sign_out", Guard::Anyone, sign_out::form);
    routes.post("/users/sign_out", Guard::Anyone, sign_out::submit);
    routes.delete("/users/sign_out", Guard::Anyone, sign_out::submit);
    routes.get("/users/sign_up", Guard::Anyone, sign_up::form);
    routes.post("/users", Guard::Anyone, sign_up::submit);
    routes.get("/users/confirmation", Guard::Anyone, confirmation::form);
    routes.post("/users/confirmation", Guard::Anyone, confirmation::submit);
    routes.get("/users/password/new", Guard::Anyone, password_reset::ask);
    routes.post("/users/password", Guard::Anyone, password_reset::request);
    routes.get("/users/password/edit", Guard::Anyone, password_reset::edit);
    routes.post("/users/password/edit", Guard::Anyone, password_reset::save);
    routes.get("/-/users/terms", Guard::Anyone, terms::show);
    routes.post("/-/users/terms/accept", Guard::SignedIn, terms::accept);
}
