//! Users change their passwords: what the page for it will call.

use serde_json::json;
use tenon_app::Secret;
use tenon_app::error::AppError;
use tenon_app::identity::Identity;
use tenon_app::session::Browser;
use tenon_app::user;
use tenon_domain::id::UserId;
use tenon_testkit::{TestServer, User, both_databases};

use crate::{of, wait};

fn change(server: &TestServer, user: &User, current: &str, new: &str) -> Result<(), AppError> {
    wait(server.app().change_password(&of(user), Secret::given(current), Secret::given(new))).map(drop)
}

/// The fields that are wrong.
fn wrong(outcome: Result<(), AppError>) -> Vec<String> {
    match outcome {
        Err(AppError::Invalid(fields)) => {
            fields.iter().map(|(field, messages)| format!("{field} {}", messages.join(", "))).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn must_change(server: &TestServer, user: i64) -> bool {
    let id = UserId::new(user);
    server.app().read_now(&Identity::user(id), |query| user::must_change_password(query, id)).expect("an answer")
}

/// True if the password opens the API.
fn opens(server: &TestServer, name: &str, password: &str) -> bool {
    let form = format!("grant_type=password&username={name}&password={}", password.replace(' ', "+"));
    server.anonymous().form("POST", "//oauth/token", &form).status() == 200
}

fn sign_in(server: &TestServer, user: &User) {
    let started = wait(server.app().start_session(UserId::new(user.id), Browser::default()));
    assert!(!started.expect("a session").cookie.expose().is_empty());
}

fn sessions(server: &TestServer, user: &User) -> i64 {
    server.database().count(&format!("SELECT count(*) FROM sessions WHERE user_id = {}", user.id))
}

#[both_databases]
fn a_new_password_replaces_the_old_one_and_ends_sessions(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    sign_in(server, &alice);
    sign_in(server, &bob);
    change(server, &alice, "correct horse", "battery staple").expect("a new password");
    assert!(opens(server, "alice", "battery staple") && !opens(server, "alice", "correct horse"));
    assert_eq!((sessions(server, &alice), sessions(server, &bob)), (0, 1));
    let _ = alice.get("/user").assert_status(200);
}

#[both_databases]
fn a_new_password_has_rules(server: &TestServer) {
    let alice = server.user("alice");
    assert_eq!(wrong(change(server, &alice, "wrong", "short")), ["current_password is invalid"]);
    assert_eq!(
        wrong(change(server, &alice, "correct horse", "short")),
        ["password is too short (minimum is 8 characters)"]
    );
    assert_eq!(
        wrong(change(server, &alice, "correct horse", "correct horse")),
        ["password must differ from the current one"]
    );
    let anonymous =
        wait(server.app().change_password(&Identity::anonymous(), Secret::given("x"), Secret::given("battery staple")));
    assert!(matches!(anonymous, Err(AppError::Unauthenticated)));
    assert!(opens(server, "alice", "correct horse"));
}

#[both_databases]
fn wrong_current_passwords_are_counted(server: &TestServer) {
    let alice = server.user("alice");
    let tried = (0..20)
        .take_while(|_| matches!(change(server, &alice, "wrong", "battery staple"), Err(AppError::Invalid(_))))
        .count();
    assert_eq!(tried, 10);
    assert!(matches!(change(server, &alice, "correct horse", "battery staple"), Err(AppError::Throttled { .. })));
    assert!(matches!(
        wait(server.app().confirm_password(&of(&alice), Secret::given("correct horse"))),
        Err(AppError::Throttled { .. })
    ));
}

#[both_databases]
fn a_password_that_another_one_has_set_is_to_be_changed(server: &TestServer) {
    let alice = server.user("alice");
    assert!(!must_change(server, alice.id) && !must_change(server, 1), "the first one is kept");
    for body in [json!({"password": "given by root"}), json!({"password": "given again"})] {
        let _ = server.root().put(&format!("/users/{}", alice.id), body).assert_status(200);
        assert!(must_change(server, alice.id));
    }
    assert!(opens(server, "alice", "given again"), "programs are not hindered");
    change(server, &alice, "given again", "battery staple").expect("a new password");
    assert!(!must_change(server, alice.id));
    sign_in(server, &alice);
    let _ = server.root().put(&format!("/users/{}", alice.id), json!({"password": "another horse"})).assert_status(200);
    assert!(must_change(server, alice.id));
    assert_eq!(sessions(server, &alice), 0);
    let _ = server.root().put("/users/1", json!({"password": "another horse"})).assert_status(200);
    assert!(!must_change(server, 1), "an administrator's own");
}

#[both_databases]
fn a_password_proves_its_user(server: &TestServer) {
    let alice = server.user("alice");
    let proof =
        |password: &str| wait(server.app().confirm_password(&of(&alice), Secret::given(password))).expect("an answer");
    assert!(proof("wrong").is_none());
    let authenticator = server.second_factor(&alice);
    let confirmed = proof("correct horse").expect("a proof");
    let codes =
        server.app().write_now(&of(&alice), |command| tenon_app::two_factor::new_recovery_codes(command, confirmed));
    assert!(codes.is_ok_and(|codes| codes.len() == authenticator.recovery_codes.len()));
}
