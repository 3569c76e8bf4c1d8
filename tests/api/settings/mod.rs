//! Application settings.

mod access;
mod admin_mode;
mod changes;
mod counting;
mod credentials;
mod default_protection;
mod downloads;
mod maintenance;
mod obeyed;
mod permitted;
mod pictures;
mod rows;

use serde_json::Value;
use tenon_app::identity::Identity;
use tenon_app::terms;
use tenon_domain::id::UserId;
use tenon_testkit::TestServer;

/// Changes these settings.
fn set(server: &TestServer, body: Value) {
    let _ = server.root().put("/application/settings", body).assert_status(200);
}

/// Now that there are terms, the administrator has to accept them as well.
fn accept_terms(server: &TestServer) {
    let root = Identity::user(UserId::new(1));
    server.app().write_now(&root, terms::accept).expect("terms");
}
