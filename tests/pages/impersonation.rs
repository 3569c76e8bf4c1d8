//! Administrators act as other users.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, Page};
use crate::{PASSWORD, member};

const STOP: &str = "/admin/impersonation";

fn root(server: &TestServer) -> Browser {
    Browser::signed_in(server, "root", "root password")
}

/// The administrator's browser, in which they act as the user with this id.
fn acting(server: &TestServer, id: i64) -> Browser {
    let browser = root(server);
    let _ = start(&browser, id).assert_status(303);
    browser
}

fn start(browser: &Browser, id: i64) -> Page {
    browser.get(&format!("/admin/users/{id}")).submit(browser, &format!("/admin/users/{id}/impersonate"), &[])
}

/// POST with the token of the browser's pages, if no form leads there.
fn post(browser: &Browser, path: &str) -> Page {
    let token = browser.get("/profile").token();
    browser.post(path, &[("authenticity_token", &token)])
}

#[both_databases]
fn administrators_act_as_a_user_and_stop(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = root(server);
    let before = browser.cookie("_service_session");
    let begun = start(&browser, ada.id);
    assert_eq!(begun.location(), "/");
    let page = browser.get("/profile").assert_status(200);
    assert!(
        page.html.contains("You are impersonating <bdi>ada</bdi> (@ada)") && page.html.contains("data-user=\""),
        "{}",
        page.html
    );
    let _ = browser.get("/admin").assert_status(403);
    // Actions are done in the user's name.
    let made = browser.get("/groups/new").submit(&browser, "/groups", &[("group[name]", "G"), ("group[path]", "g")]);
    assert_eq!(made.reply.status(), 303, "{}", made.html);
    let members = server.root().get("/groups/g/members").json();
    assert_eq!(members[0]["username"], "ada");
    // It is in no list of the user, whose own sessions stay as they are.
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let sessions = own.get("/profile/active_sessions").assert_status(200).html;
    assert_eq!(sessions.matches("Last used").count(), 1, "{sessions}");
    let acting = browser.cookie("_service_session");
    let stopped = browser.get("/profile").submit(&browser, STOP, &[]);
    assert_eq!(stopped.location(), format!("/admin/users/{}", ada.id));
    let account = browser.get(&stopped.location()).assert_status(200);
    assert!(
        !account.html.contains("You are impersonating") && account.html.contains("Impersonate"),
        "{}",
        account.html
    );
    // Neither of the cookies before is of use.
    for cookie in [before, acting] {
        let other = Browser::of(server);
        other.set_cookie("_service_session", &cookie);
        assert!(other.get("/profile").location().starts_with("/users/sign_in"));
    }
    let _ = browser.get("/admin").assert_status(200);
}

#[both_databases]
fn what_cannot_be_impersonated(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = root(server);
    assert_eq!(
        post(&browser, "/admin/users/1/impersonate")
            .assert_status(422)
            .html
            .matches("signed in to this account already")
            .count(),
        1
    );
    let _ = server.root().post(&format!("/users/{}/block", ada.id), json!({})).assert_status(201);
    assert!(!browser.get(&format!("/admin/users/{}", ada.id)).html.contains("/impersonate\""));
    let refused = post(&browser, &format!("/admin/users/{}/impersonate", ada.id)).assert_status(422);
    assert!(refused.html.contains("Only an active account can be impersonated"), "{}", refused.html);
    let _ = post(&browser, "/admin/users/999999/impersonate").assert_status(404);
    let _ = post(&browser, "/admin/users/x/impersonate").assert_status(404);
    let token = browser.get("/profile").token();
    let _ = browser.post(STOP, &[("_method", "delete"), ("authenticity_token", &token)]).assert_status(404);
    let _ = browser.get("/admin").assert_status(200);
}

#[both_databases]
fn only_administrators_impersonate_and_not_from_within(server: &TestServer) {
    let (ada, eve) = (member(server, "ada"), member(server, "eve"));
    let browser = Browser::signed_in(server, "eve", PASSWORD);
    let _ = post(&browser, &format!("/admin/users/{}/impersonate", ada.id)).assert_status(403);
    let _ = server.root().put(&format!("/users/{}", eve.id), json!({"admin": true})).assert_status(200);
    let browser = acting(server, eve.id);
    // The user is an administrator too: no chain of sessions.
    assert!(!browser.get(&format!("/admin/users/{}", ada.id)).assert_status(200).html.contains("/impersonate\""));
    let _ = post(&browser, &format!("/admin/users/{}/impersonate", ada.id)).assert_status(403);
    // Without the token of the pages nothing begins and nothing ends.
    let _ = browser.post(STOP, &[("_method", "delete")]).assert_status(422);
    assert!(browser.get("/profile").html.contains("You are impersonating"));
}

#[both_databases]
fn impersonation_ends_with_the_rights_of_the_administrator(server: &TestServer) {
    let (ada, eve) = (member(server, "ada"), member(server, "eve"));
    let change =
        |admin: bool| server.root().put(&format!("/users/{}", eve.id), json!({"admin": admin})).assert_status(200);
    let begin = || {
        let browser = Browser::signed_in(server, "eve", PASSWORD);
        let _ = start(&browser, ada.id).assert_status(303);
        browser
    };
    let ended = |browser: &Browser| assert!(browser.get("/profile").location().starts_with("/users/sign_in"));
    let _ = change(true);
    let browser = begin();
    let _ = change(false);
    ended(&browser);
    let _ = change(true);
    ended(&browser);
    let browser = begin();
    let _ = server.root().post(&format!("/users/{}/block", eve.id), json!({})).assert_status(201);
    ended(&browser);
    let _ = server.root().post(&format!("/users/{}/unblock", eve.id), json!({})).assert_status(201);
    // All sessions of the administrator are ended from another one.
    let browser = begin();
    let other = Browser::signed_in(server, "eve", PASSWORD);
    assert_eq!(other.get("/profile/active_sessions").html.matches("Last used").count(), 2);
    let _ = other.get("/profile/active_sessions").submit(&other, "/profile/active_sessions", &[]).location();
    ended(&browser);
    // The user's account is blocked.
    let browser = begin();
    let _ = server.root().post(&format!("/users/{}/block", ada.id), json!({})).assert_status(201);
    ended(&browser);
}

#[both_databases]
fn impersonation_lasts_an_hour_whether_it_is_used_or_not(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = acting(server, ada.id);
    server.advance(TimeDelta::minutes(59));
    assert!(browser.get("/profile").assert_status(200).html.contains("You are impersonating"));
    server.flush_usage();
    server.advance(TimeDelta::minutes(2));
    assert!(browser.get("/profile").location().starts_with("/users/sign_in"));
}

#[both_databases]
fn what_would_outlive_an_impersonation_is_refused(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = acting(server, ada.id);
    let token = browser.get("/profile").token();
    let header = [("X-CSRF-Token", token.as_str())];
    let key = [("title", "k"), ("key", tenon_testkit::keys::ED25519)];
    let _ = browser.send("POST", "/api/v4/user/keys", &key, &header).assert_status(403);
    let _ = browser.send("POST", "/api/v4/user/emails", &[("email", "more@x.example")], &header).assert_status(403);
    let tokens = "/profile/personal_access_tokens";
    let fields = [("personal_access_token[name]", "t"), ("personal_access_token[scopes][]", "api")];
    let refused = |page: &Page| {
        assert!(
            page.reply.status() == 403 || page.html.contains("while an administrator acts as the user"),
            "{}",
            page.html
        );
    };
    refused(&browser.get(tokens).submit(&browser, tokens, &fields));
    let change = [
        ("user[current_password]", PASSWORD),
        ("user[password]", "another password 9"),
        ("user[password_confirmation]", "another password 9"),
    ];
    refused(&browser.get("/profile/password/edit").submit(&browser, "/profile/password", &change));
    refused(&browser.get("/profile/two_factor_auth").submit(&browser, "/profile/two_factor_auth/secret", &[]));
    assert_eq!(ada.get("/user/keys").json(), json!([]));
    assert_eq!(Browser::of(server).sign_in("ada", PASSWORD).reply.status(), 302, "the password is the same");
    assert!(browser.get("/profile").assert_status(200).html.contains("You are impersonating"));
}

#[both_databases]
fn signing_out_ends_both_sessions(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = root(server);
    let own = browser.cookie("_service_session");
    let _ = start(&browser, ada.id).assert_status(303);
    let out = browser.get("/profile").submit(&browser, "/users/sign_out", &[]);
    let _ = out.location();
    let other = Browser::of(server);
    other.set_cookie("_service_session", &own);
    assert!(other.get("/profile").location().starts_with("/users/sign_in"));
}

#[both_databases]
fn a_second_impersonation_ends_the_first(server: &TestServer) {
    let (ada, eve) = (member(server, "ada"), member(server, "eve"));
    let browser = root(server);
    let own = browser.cookie("_service_session");
    let _ = start(&browser, ada.id).assert_status(303);
    let first = browser.cookie("_service_session");
    // As from a window that still has the cookie of the administrator.
    browser.set_cookie("_service_session", &own);
    let _ = start(&browser, eve.id).assert_status(303);
    assert!(browser.get("/profile").html.contains("(@eve)"));
    let other = Browser::of(server);
    other.set_cookie("_service_session", &first);
    assert!(other.get("/profile").location().starts_with("/users/sign_in"));
}

#[both_databases]
fn nothing_is_demanded_of_an_administrator_who_acts_as_a_user(server: &TestServer) {
    let body = json!({"username": "new", "name": "New", "email": "new@x.example", "password": "first password", "skip_confirmation": true});
    let id = server.root().post("/users", body).assert_status(201).json()["id"].as_i64().unwrap();
    let _ = server.root().put(&format!("/users/{id}"), json!({"password": "another password"})).assert_status(200);
    let browser = acting(server, id);
    assert!(browser.get("/profile").assert_status(200).html.contains("(@new)"), "no password is asked for");
    let _ = browser.get("/profile").submit(&browser, STOP, &[]).assert_status(303);
    let own = Browser::signed_in(server, "new", "another password");
    assert!(own.get("/profile").location().starts_with("/profile/password/new"));
}
