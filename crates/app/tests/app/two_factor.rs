//! Second factors: what the pages to set them up and to sign in will call.

use serde_json::json;
use tenon_app::error::AppError;
use tenon_app::identity::Identity;
use tenon_app::two_factor::{self, Requirement};
use tenon_app::{App, Confirmed, Secret};
use tenon_domain::id::UserId;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Authenticator, TestServer, User, both_databases};

use crate::{member, of, wait};

fn verify(app: &App, user: &User, code: &str) -> Result<bool, AppError> {
    wait(app.verify_second_factor(UserId::new(user.id), Secret::given(code)))
}

fn confirmed(server: &TestServer, user: &User) -> Confirmed {
    wait(server.app().confirm_password(&of(user), Secret::given("correct horse"))).expect("an answer").expect("a proof")
}

fn requirement(server: &TestServer, user: &User) -> Requirement {
    let id = UserId::new(user.id);
    server.app().read_now(&of(user), |query| two_factor::requirement(query, id)).expect("an answer")
}

fn announced(server: &TestServer, user: &User) -> Requirement {
    let id = UserId::new(user.id);
    server.app().write_now(&of(user), |command| two_factor::announce(command, id)).expect("an answer")
}

/// The clock of a test shows a little more each time that it is read.
fn hours_left(server: &TestServer, requirement: Requirement) -> i64 {
    let Requirement::Until(end) = requirement else { panic!("{requirement:?}") };
    (end - server.now() + TimeDelta::minutes(1)).num_hours()
}

fn is_enabled(server: &TestServer, user: &User) -> bool {
    let id = UserId::new(user.id);
    server.app().read_now(&of(user), |query| two_factor::is_enabled(query, id)).expect("an answer")
}

#[both_databases]
fn nothing_is_asked_for_until_the_first_code(server: &TestServer) {
    let alice = server.user("alice");
    let begin = || server.app().write_now(&of(&alice), two_factor::begin);
    let shown = || server.app().read_now(&of(&alice), two_factor::pending).expect("an answer");
    assert!(shown().is_none());
    let earlier = begin().expect("a secret");
    assert_eq!(shown().expect("a secret").secret, earlier.secret, "the page can be loaded again");
    let pending = begin().expect("a secret");
    assert_ne!(pending.secret, earlier.secret, "who begins again gets another");
    assert_eq!(shown().expect("a secret").uri, pending.uri);
    let host = "127%2E0%2E0%2E1";
    assert!(
        pending.uri.expose().starts_with(&format!("otpauth://totp/{host}:alice?secret={}", pending.secret.expose()))
    );
    assert!(!is_enabled(server, &alice));
    let confirm = |code: &str| server.app().write_now(&of(&alice), |command| two_factor::confirm(command, code));
    for wrong in ["", "000000x", "abcdefgh"] {
        assert!(matches!(confirm(wrong), Err(AppError::Invalid(_))), "{wrong}");
    }
    let authenticator = Authenticator::of(&pending);
    let code = authenticator.code(server);
    assert!(!verify(server.app(), &alice, &code).expect("an answer"), "not confirmed yet");
    assert_eq!(confirm(&code).expect("an answer").expect("codes").len(), 10);
    assert!(is_enabled(server, &alice) && shown().is_none());
    assert!(matches!(confirm(&code), Err(AppError::Refused(_))));
    assert!(matches!(begin(), Err(AppError::Refused(_))));
    assert!(matches!(
        server.app().write_now(&Identity::anonymous(), two_factor::begin),
        Err(AppError::Unauthenticated)
    ));
}

#[both_databases]
fn a_code_is_good_once_also_late_or_early(server: &TestServer) {
    let alice = server.user("alice");
    let authenticator = server.second_factor(&alice);
    let code = authenticator.code(server);
    let tried = |code: &str| verify(server.app(), &alice, code).expect("an answer");
    assert!(!tried(&code), "used when it was confirmed");
    server.advance(TimeDelta::seconds(30));
    let code = authenticator.code(server);
    assert!(tried(&code) && !tried(&code));
    server.advance(TimeDelta::seconds(60));
    let late = authenticator.code(server);
    server.advance(TimeDelta::seconds(30));
    assert!(tried(&late));
    assert!(tried(&authenticator.code(server)), "a later step");
    assert!(!tried(&late));
    server.advance(TimeDelta::seconds(30));
    let missed = authenticator.code(server);
    server.advance(TimeDelta::seconds(60));
    assert!(!tried(&missed), "two steps late");
}

#[both_databases]
fn a_recovery_code_is_good_once_and_only_for_its_user(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (mine, _) = (server.second_factor(&alice), server.second_factor(&bob));
    let first = &mine.recovery_codes[0];
    assert!(!verify(server.app(), &bob, first).expect("an answer"));
    let grouped = format!(" {}-{} ", first[..8].to_uppercase(), &first[8..]);
    assert!(verify(server.app(), &alice, &grouped).expect("an answer"), "as people copy it");
    assert!(!verify(server.app(), &alice, first).expect("an answer"));
    // New ones make the old ones void.
    let proof = confirmed(server, &alice);
    let new =
        server.app().write_now(&of(&alice), |command| two_factor::new_recovery_codes(command, proof)).expect("codes");
    assert!(!verify(server.app(), &alice, &mine.recovery_codes[2]).expect("an answer"));
    assert!(verify(server.app(), &alice, new[0].expose()).expect("an answer"));
}

#[both_databases]
fn wrong_codes_are_counted(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (mine, other) = (server.second_factor(&alice), server.second_factor(&bob));
    let wrong = (0..20).take_while(|_| matches!(verify(server.app(), &alice, "wrong"), Ok(false))).count();
    assert_eq!(wrong, 10);
    let right = &mine.recovery_codes[0];
    assert!(matches!(verify(server.app(), &alice, right), Err(AppError::Throttled { .. })));
    assert!(verify(server.app(), &bob, &other.recovery_codes[0]).expect("an answer"));
    server.advance(TimeDelta::seconds(60));
    assert!(verify(server.app(), &alice, right).expect("an answer"));
}

#[both_databases]
fn removing_it_takes_a_proof_of_the_same_user(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (mine, _) = (server.second_factor(&alice), server.second_factor(&bob));
    let disable = |user: &User, proof| server.app().write_now(&of(user), |command| two_factor::disable(command, proof));
    assert!(matches!(disable(&alice, confirmed(server, &bob)), Err(AppError::Forbidden)));
    disable(&alice, confirmed(server, &alice)).expect("a use case");
    assert!(!is_enabled(server, &alice) && is_enabled(server, &bob));
    assert!(!verify(server.app(), &alice, &mine.recovery_codes[1]).expect("an answer"));
    let again = server.second_factor(&alice);
    assert!(verify(server.app(), &alice, &again.recovery_codes[0]).expect("an answer"));
}

#[both_databases]
fn secrets_and_codes_are_not_stored_as_they_are(server: &TestServer) {
    let alice = server.user("alice");
    let pending = server.app().write_now(&of(&alice), two_factor::begin).expect("a secret");
    let count = |sql: String| server.database().count(&sql);
    let secret = pending.secret.expose();
    assert_eq!(count(format!("SELECT count(*) FROM two_factors WHERE secret NOT LIKE '%{secret}%'")), 1);
    let authenticator = server.second_factor(&alice);
    assert_eq!(count("SELECT count(*) FROM recovery_codes".to_owned()), 10);
    for code in &authenticator.recovery_codes {
        assert_eq!(count(format!("SELECT count(*) FROM recovery_codes WHERE digest LIKE '%{code}%'")), 0);
    }
}

#[both_databases]
fn all_users_have_to_set_it_up_where_the_setting_says_so(server: &TestServer) {
    let alice = server.user("alice");
    assert_eq!((requirement(server, &alice), announced(server, &alice)), (Requirement::None, Requirement::None));
    let body = json!({"require_two_factor_authentication": true, "two_factor_grace_period": 48});
    let _ = server.root().put("/application/settings", body).assert_status(200);
    assert_eq!(requirement(server, &alice), Requirement::Unannounced);
    let asked = announced(server, &alice);
    assert_eq!(hours_left(server, asked), 48);
    server.advance(TimeDelta::hours(47));
    assert_eq!(announced(server, &alice), asked, "the time has begun once");
    server.advance(TimeDelta::hours(1));
    assert_eq!(requirement(server, &alice), Requirement::Overdue);
    let _ = alice.get("/user").assert_status(200);
    server.second_factor(&alice);
    assert_eq!(requirement(server, &alice), Requirement::None);
    let bob = server.user("bob");
    let _ = announced(server, &bob);
    server.set("require_two_factor_authentication", &json!(false));
    assert_eq!(announced(server, &bob), Requirement::None);
    let body = json!({"require_two_factor_authentication": true, "two_factor_grace_period": 0});
    let _ = server.root().put("/application/settings", body).assert_status(200);
    assert_eq!(requirement(server, &bob), Requirement::Overdue);
}

#[both_databases]
fn members_of_a_group_have_to_set_it_up_where_the_group_says_so(server: &TestServer) {
    let (owner, names) = (server.user("owner"), ["above", "there", "below", "expired", "stranger"]);
    let users = names.map(|name| server.user(name));
    let [above, there, below, expired, stranger] = &users;
    let group = |path: &str, parent: Option<i64>| {
        let made = owner.post("/groups", json!({"name": path, "path": path, "parent_id": parent})).assert_status(201);
        made.json()["id"].as_i64().expect("an id")
    };
    let top = group("top", None);
    let strict = group("strict", Some(top));
    let bottom = group("bottom", Some(strict));
    let beside = group("beside", Some(top));
    for (group, user) in [(top, above), (strict, there), (bottom, below), (beside, stranger)] {
        let _ = owner
            .post(&format!("/groups/{group}/members"), json!({"user_id": user.id, "access_level": 10}))
            .assert_status(201);
    }
    let ends = json!({"user_id": expired.id, "access_level": 10, "expires_at": "2100-01-01"});
    let _ = owner.post(&format!("/groups/{strict}/members"), ends).assert_status(201);
    server.database().execute("UPDATE members SET expires_at = '2020-01-01' WHERE expires_at IS NOT NULL");
    let rule = json!({"require_two_factor_authentication": true, "two_factor_grace_period": 5});
    let _ = owner.put(&format!("/groups/{strict}"), rule).assert_status(200);
    let asked = |user: &User| requirement(server, user) == Requirement::Unannounced;
    assert_eq!(users.each_ref().map(asked), [true, true, true, false, false]);
    assert_eq!(hours_left(server, announced(server, there)), 5);
    // A member of a project alone is no member of its group.
    let project = owner.post("/projects", json!({"name": "tool", "namespace_id": strict})).assert_status(201).json();
    member(&owner, project["id"].as_i64().expect("an id"), stranger, 10);
    assert!(!asked(stranger));
}
