//! Refresh tokens: each works once.

use serde_json::json;
use tenon_app::Limits;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Backend, TestServer, both_databases};

use super::*;

#[both_databases]
fn a_refresh_token_is_exchanged_for_new_tokens_and_the_old_ones_end(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let first = app.tokens(server, &alice, "api");
    server.advance(TimeDelta::hours(2));
    assert_eq!(status(server, &first.access), 401, "expired");
    let second = Tokens::of(&app.refresh(server, &first.refresh));
    let third = Tokens::of(&app.refresh(server, &second.refresh));
    assert_eq!([status(server, &second.access), status(server, &third.access)], [401, 200]);
    let revoked = bearer(server, &second.access).get("/user").json();
    assert_eq!(revoked["error_description"], "Token was revoked. You have to re-authorize from the user.");
}

#[both_databases]
fn a_refresh_token_that_is_used_twice_ends_its_grant(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let first = app.tokens(server, &alice, "api");
    let second = Tokens::of(&app.refresh(server, &first.refresh));
    server.advance(TimeDelta::seconds(30));
    assert_refused(&app.refresh(server, &first.refresh), 400, "invalid_grant");
    assert_eq!(status(server, &second.access), 401);
    assert_refused(&app.refresh(server, &second.refresh), 400, "invalid_grant");
}

#[both_databases]
fn a_refresh_token_that_two_threads_send_ends_nothing(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let first = app.tokens(server, &alice, "api");
    let start = std::sync::Barrier::new(6);
    let replies: Vec<Reply> = std::thread::scope(|scope| {
        let send = || {
            start.wait();
            app.refresh(server, &first.refresh)
        };
        let running: Vec<_> = (0..6).map(|_| scope.spawn(send)).collect();
        running.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    let (won, lost): (Vec<&Reply>, Vec<&Reply>) = replies.iter().partition(|reply| reply.status() == 200);
    assert_eq!((won.len(), lost.len()), (1, 5));
    for reply in lost {
        assert_refused(reply, 400, "invalid_grant");
    }
    let second = Tokens::of(won[0]);
    assert_eq!([status(server, &first.access), status(server, &second.access)], [401, 200]);
    let third = Tokens::of(&app.refresh(server, &second.refresh));
    assert_eq!(status(server, &third.access), 200);
}

#[both_databases]
fn a_replaced_refresh_token_is_refused_for_a_moment_and_then_ends_the_grant(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let first = app.tokens(server, &alice, "api");
    let second = Tokens::of(&app.refresh(server, &first.refresh));
    server.advance(TimeDelta::seconds(20));
    let third = Tokens::of(&app.refresh(server, &second.refresh));
    server.advance(TimeDelta::seconds(9));
    // A replica may be two tokens behind.
    for old in [&first, &second] {
        assert_refused(&app.refresh(server, &old.refresh), 400, "invalid_grant");
        assert_eq!(status(server, &third.access), 200);
    }
    let unknown = format!("{}.unknown", third.refresh.split('.').next().expect("a part"));
    server.advance(TimeDelta::seconds(20));
    assert_refused(&app.refresh(server, &second.refresh), 400, "invalid_grant");
    assert_eq!(status(server, &third.access), 200, "29 seconds after it was replaced");
    server.advance(TimeDelta::seconds(1));
    assert_refused(&app.refresh(server, &second.refresh), 400, "invalid_grant");
    assert_eq!(status(server, &third.access), 401, "a token that comes later was stolen");
    let other = app.tokens(server, &alice, "api");
    assert_refused(&app.refresh(server, &unknown), 400, "invalid_grant");
    let forged = format!("{}.unknown", other.refresh.split('.').next().expect("a part"));
    assert_refused(&app.refresh(server, &forged), 400, "invalid_grant");
    assert_eq!(status(server, &other.access), 401, "one that was never issued");
}

#[both_databases]
fn a_refresh_token_is_its_applications_only(server: &TestServer) {
    let (alice, app, other) = (server.user("alice"), register(server, "api", true), register(server, "api", true));
    let tokens = app.tokens(server, &alice, "api");
    assert_refused(&other.refresh(server, &tokens.refresh), 400, "invalid_grant");
    let form = [("grant_type", "refresh_token"), ("refresh_token", tokens.refresh.as_str())];
    assert_refused(&post(server, "token", &form), 401, "invalid_client");
    assert_refused(&post(server, "token", &app.form(false, &form)), 401, "invalid_client");
    assert_refused(&app.refresh(server, &tokens.access), 400, "invalid_grant");
    assert_refused(&app.refresh(server, "unknown"), 400, "invalid_grant");
    assert_eq!(app.refresh(server, &tokens.refresh).status(), 200);
}

#[both_databases]
fn a_refresh_may_narrow_the_scopes_and_never_widen_them(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api read_user sudo", true));
    let tokens = app.tokens(server, &alice, "api read_user");
    let ask = |refresh: &str, scope: &str| {
        let more = [("grant_type", "refresh_token"), ("refresh_token", refresh), ("scope", scope)];
        post(server, "token", &app.form(true, &more))
    };
    assert_refused(&ask(&tokens.refresh, "api sudo"), 400, "invalid_scope");
    assert_refused(&ask(&tokens.refresh, "everything"), 400, "invalid_scope");
    let narrow = ask(&tokens.refresh, "read_user").assert_status(200);
    assert_eq!(narrow.json()["scope"], "read_user");
    let tokens = Tokens::of(&narrow);
    assert_eq!(bearer(server, &tokens.access).get("/projects").status(), 403);
    assert_eq!(ask(&tokens.refresh, "").json()["scope"], "api read_user", "the grant is as wide as before");
}

#[both_databases]
fn a_grant_keeps_two_rows_of_tokens_however_often_it_is_refreshed(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let mut tokens = app.tokens(server, &alice, "api");
    for _ in 0..4 {
        tokens = Tokens::of(&app.refresh(server, &tokens.refresh));
    }
    assert_eq!(server.database().count("SELECT COUNT(*) FROM tokens WHERE kind = 'oauth'"), 2);
    assert_eq!(server.database().count("SELECT COUNT(*) FROM oauth_grants"), 1);
}

#[test]
fn a_further_grant_ends_the_oldest_one() {
    let mut limits = Limits::without_rates();
    limits.oauth.grants = 2;
    let server = TestServer::start_with(Backend::Sqlite, limits);
    let (alice, bob, app) = (server.user("alice"), server.user("bob"), register(&server, "api", true));
    let others = app.tokens(&server, &bob, "api");
    let tokens: Vec<Tokens> = (0..3).map(|_| app.tokens(&server, &alice, "api")).collect();
    let statuses: Vec<u16> = tokens.iter().chain([&others]).map(|tokens| status(&server, &tokens.access)).collect();
    assert_eq!(statuses, [401, 200, 200, 200]);
    let own = || post(&server, "token", &app.form(true, &[("grant_type", "client_credentials")])).assert_status(200);
    for _ in 0..5 {
        assert_eq!(own().json()["scope"], json!("api"));
    }
    assert_eq!(server.database().count("SELECT COUNT(*) FROM oauth_grants WHERE user_id IS NULL"), 2);
}
