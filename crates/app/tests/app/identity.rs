//! Callers that a program without HTTP vouches for.

use serde_json::json;
use tenon_app::error::AppError;
use tenon_app::identity::Identity;
use tenon_app::project::{self, ListProjects};
use tenon_domain::id::UserId;
use tenon_testkit::{TestServer, both_databases};

/// How many projects a caller sees.
fn seen(server: &TestServer, caller: &Identity) -> Result<i64, AppError> {
    server.app().read_now(caller, |query| Ok(project::list(query, ListProjects::default())?.total))
}

#[both_databases]
fn a_user_sees_what_the_same_user_sees_over_http(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let _ = alice.post("/projects", json!({"name": "tool"})).assert_status(201);
    assert_eq!(seen(server, &Identity::user(UserId::new(alice.id))).expect("a list"), 1);
    assert_eq!(seen(server, &Identity::user(UserId::new(bob.id))).expect("a list"), 0);
    assert_eq!(seen(server, &Identity::token(server.token(alice.id, &["api"]))).expect("a list"), 1);
    assert_eq!(seen(server, &Identity::anonymous()).expect("a list"), 0);
}

#[both_databases]
fn users_who_may_do_nothing_and_unknown_ones_are_refused(server: &TestServer) {
    for what in ["block", "deactivate", "ban"] {
        let user = server.user(what);
        let _ = server.root().post(&format!("/users/{}/{what}", user.id), json!({})).assert_status(201);
        assert!(matches!(seen(server, &Identity::user(UserId::new(user.id))), Err(AppError::Refused(_))));
    }
    assert!(matches!(seen(server, &Identity::user(UserId::new(0))), Err(AppError::Unauthenticated)));
}
