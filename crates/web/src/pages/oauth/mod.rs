//! Applications that act for users: consent, its withdrawal, and one's own applications.

mod application;
mod authorize;
mod authorized;
mod device;
mod parameter;

use tenon_app::identity::Guard;

use crate::table::site::SiteTable;

pub(crate) fn routes(table: &mut SiteTable) {
    table.get("/oauth/authorize", Guard::SignedIn, authorize::review);
    table.post("/oauth/authorize", Guard::SignedIn, authorize::approve);
    table.delete("/oauth/authorize", Guard::SignedIn, authorize::deny);
    table.get("/oauth/device", Guard::SignedIn, device::show);
    table.post("/oauth/device", Guard::SignedIn, device::review);
    table.post("/oauth/device/decision", Guard::SignedIn, device::approve);
    table.delete("/oauth/device/decision", Guard::SignedIn, device::deny);
    table.get("/oauth/applications", Guard::SignedIn, application::list);
    table.post("/oauth/applications", Guard::SignedIn, application::create);
    table.get("/oauth/applications/new", Guard::SignedIn, application::new);
    table.get("/oauth/applications/{id}", Guard::SignedIn, application::show);
    table.put("/oauth/applications/{id}", Guard::SignedIn, application::update);
    table.delete("/oauth/applications/{id}", Guard::SignedIn, application::delete);
    table.get("/oauth/applications/{id}/edit", Guard::SignedIn, application::edit);
    table.put("/oauth/applications/{id}/renew", Guard::SignedIn, application::renew);
    table.get("/admin/applications", Guard::Administrator, application::list);
    table.post("/admin/applications", Guard::Administrator, application::create);
    table.get("/admin/applications/new", Guard::Administrator, application::new);
    table.get("/admin/applications/{id}", Guard::Administrator, application::show);
    table.put("/admin/applications/{id}", Guard::Administrator, application::update);
    table.delete("/admin/applications/{id}", Guard::Administrator, application::delete);
    table.get("/admin/applications/{id}/edit", Guard::Administrator, application::edit);
    table.put("/admin/applications/{id}/renew", Guard::Administrator, application::renew);
    table.get("/oauth/authorized_applications", Guard::SignedIn, authorized::list);
    table.delete("/oauth/authorized_applications/{id}", Guard::SignedIn, authorized::withdraw);
}
