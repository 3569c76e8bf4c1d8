//! Application settings.

mod access;
mod changes;
mod counting;
mod credentials;
mod default_protection;
mod maintenance;
mod obeyed;
mod permitted;
mod rows;

use tenon_app::identity::Identity;
use tenon_app::terms;
use tenon_domain::id::UserId;
use tenon_testkit::TestServer;

/// Now that there are terms, the administrator has to accept them as well.
fn accept_terms(server: &TestServer) {
    let root = Identity::user(UserId::new(1));
    server.app().write_now(&root, terms::accept).expect("terms");
}
