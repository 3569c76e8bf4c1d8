//! The terms of service: what the page to accept them will call, and what happens before that.

use serde_json::json;
use tenon_app::error::AppError;
use tenon_app::identity::Identity;
use tenon_app::terms;
use tenon_domain::id::UserId;
use tenon_testkit::{TestServer, User, both_databases};

use crate::of;

const REFS: &str = "//alice/tool.git/info/refs?service=git-upload-pack";

fn must_accept(server: &TestServer, user: &User) -> bool {
    let id = UserId::new(user.id);
    server.app().read_now(&of(user), |query| terms::must_accept(query, id)).expect("an answer")
}

fn accept(server: &TestServer, caller: &Identity) -> Result<(), AppError> {
    server.app().write_now(caller, terms::accept)
}

fn enforce(server: &TestServer) {
    let body = json!({"enforce_terms": true, "terms": "Be kind."});
    let _ = server.root().put("/application/settings", body).assert_status(200);
}

#[both_databases]
fn without_terms_there_is_nothing_to_accept(server: &TestServer) {
    let alice = server.user("alice");
    server.set("terms", &json!("Be kind."));
    assert!(!must_accept(server, &alice));
    assert!(matches!(accept(server, &of(&alice)), Err(AppError::NotFound(_))));
    assert_eq!(server.app().read_now(&Identity::anonymous(), terms::text).expect("an answer"), None);
}

#[both_databases]
fn tokens_and_git_are_refused_until_the_user_accepts(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let _ = alice.post("/projects", json!({"name": "tool", "visibility": "public"})).assert_status(201);
    enforce(server);
    let text = |name: &str| {
        format!(
            "403 Forbidden - You (@{name}) must accept the Terms of Service in order to perform this action. Please access Tenon from a web browser to accept these terms."
        )
    };
    alice.get("/user").assert(403, json!({"message": text("alice")}));
    server.root().get("/user").assert(403, json!({"message": text("root")}));
    server.root().header("Sudo", "alice").get("/user").assert(403, json!({"message": text("root")}));
    for password in [alice.token.as_str(), "correct horse"] {
        let refused = server.anonymous().basic("alice", password).get(REFS).assert_status(403);
        assert!(refused.text().starts_with("You must accept the Terms of Service"), "{}", refused.text());
    }
    let _ = server.anonymous().get("/projects").assert_status(200);
    let _ = server.anonymous().get(REFS).assert_status(200);
    assert_eq!(
        server.app().read_now(&Identity::anonymous(), terms::text).expect("an answer").as_deref(),
        Some("Be kind.")
    );
    accept(server, &of(&alice)).expect("terms");
    accept(server, &of(&alice)).expect("terms, again");
    assert!(!must_accept(server, &alice) && must_accept(server, &bob));
    let _ = alice.get("/user").assert_status(200);
    let _ = server.anonymous().basic("alice", &alice.token).get(REFS).assert_status(200);
    let _ = bob.get("/user").assert_status(403);
    assert!(matches!(accept(server, &Identity::anonymous()), Err(AppError::Unauthenticated)));
}

#[both_databases]
fn acceptance_of_an_earlier_text_counts(server: &TestServer) {
    let alice = server.user("alice");
    enforce(server);
    accept(server, &of(&alice)).expect("terms");
    accept(server, &Identity::user(UserId::new(1))).expect("terms");
    server.set("terms", &json!("Be very kind."));
    assert!(!must_accept(server, &alice));
    accept(server, &of(&alice)).expect("terms");
    assert_eq!(server.database().count("SELECT count(*) FROM terms_acceptances"), 3, "each text by itself");
}
