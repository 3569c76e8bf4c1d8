//! Applications that act for users: consent, its withdrawal, and one's own applications.

mod application;
mod authorize;
mod authorized;
mod device;

use tenon_app::identity::Guard;

use crate::site::Routes;
use crate::visit::Visit;

pub(crate) fn routes(routes: &mut Routes) {
    routes.get("/oauth/authorize", Guard::SignedIn, authorize::review);
    routes.post("/oauth/authorize", Guard::SignedIn, authorize::approve);
    routes.delete("/oauth/authorize", Guard::SignedIn, authorize::deny);
    routes.get("/oauth/device", Guard::SignedIn, device::show);
    routes.post("/oauth/device", Guard::SignedIn, device::review);
    routes.post("/oauth/device/decision", Guard::SignedIn, device::approve);
    routes.delete("/oauth/device/decision", Guard::SignedIn, device::deny);
    routes.get("/oauth/applications", Guard::SignedIn, application::list);
    routes.post("/oauth/applications", Guard::SignedIn, application::create);
    routes.get("/oauth/applications/new", Guard::SignedIn, application::new);
    routes.get("/oauth/applications/{id}", Guard::SignedIn, application::show);
    routes.put("/oauth/applications/{id}", Guard::SignedIn, application::update);
    routes.delete("/oauth/applications/{id}", Guard::SignedIn, application::delete);
    routes.get("/oauth/applications/{id}/edit", Guard::SignedIn, application::edit);
    routes.put("/oauth/applications/{id}/renew", Guard::SignedIn, application::renew);
    routes.get("/oauth/authorized_applications", Guard::SignedIn, authorized::list);
    routes.delete("/oauth/authorized_applications/{id}", Guard::SignedIn, authorized::withdraw);
}

/// A parameter of the form, or of the address where the form has none; empty is absent.
fn sent(visit: &Visit, name: &str) -> Option<String> {
    visit.form().filled("", name).or_else(|| visit.query(name).map(ToOwned::to_owned))
}
