//! Requests that are no form and no page.

use serde_json::json;
use tenon_app::Limits;
use tenon_testkit::{Backend, TestServer, both_databases};

use crate::browser::Browser;
use crate::{PASSWORD, member};

const HTML: (&str, &str) = ("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8");

#[both_databases]
fn a_page_says_which_methods_it_has(server: &TestServer) {
    let browser = Browser::of(server);
    for (method, path, allowed) in [
        ("DELETE", "/users/sign_in", "GET, HEAD, POST"),
        ("POST", "/", "GET, HEAD"),
        ("GET", "/users", "POST"),
        ("GET", "/profile/keys/1", "DELETE"),
        ("OPTIONS", "/oauth/applications/1", "DELETE, GET, HEAD, PUT"),
    ] {
        let page = browser.send(method, path, &[], &[]).assert_status(405);
        assert_eq!(page.reply.header("allow"), allowed, "{method} {path}");
        assert!(page.reply.header("content-type").starts_with("text/html"), "{method} {path}");
    }
    assert_eq!(browser.send("PATCH", "/no/such/page", &[], &[]).reply.status(), 404);
    let head = browser.send("HEAD", "/users/sign_in", &[], &[]).assert_status(200);
    assert_eq!(head.html, "");
}

#[both_databases]
fn health_checks_answer_head(server: &TestServer) {
    let browser = Browser::of(server);
    for path in ["/-/health", "/-/liveness", "/-/readiness", "/-/metrics"] {
        let head = browser.send("HEAD", path, &[], &[]).assert_status(200);
        assert_eq!(head.html, "", "{path}");
        let _ = browser.get(path).assert_status(200);
    }
}

#[both_databases]
fn what_is_to_be_said_waits_for_a_page_that_says_it(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = ada.post("/user/keys", json!({"title": "k", "key": tenon_testkit::keys::ED25519})).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let keys = browser.get("/profile/keys");
    let form = crate::browser::first(&keys.html, r#"action="(/profile/keys/[0-9]+)""#);
    let _ = keys.submit(&browser, &form, &[]).location();
    for path in ["/no/such/page", "/oauth/applications/999"] {
        assert!(!browser.get(path).assert_status(404).html.contains("Key removed."), "{path}");
    }
    assert!(browser.get("/profile/keys").html.contains("Key removed."));
    assert!(!browser.get("/profile/keys").html.contains("Key removed."), "said once");
}

#[both_databases]
fn the_navigation_says_where_one_is(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    for (page, link) in [
        ("/profile/keys", "/profile/keys"),
        ("/profile/password/edit", "/profile/password/edit"),
        ("/oauth/applications/new", "/oauth/applications"),
        ("/oauth/authorized_applications", "/oauth/authorized_applications"),
    ] {
        let shown = browser.get(page).assert_status(200);
        assert!(shown.html.contains(&format!(r#"<a href="{link}" aria-current="page">"#)), "{page}: {}", shown.html);
        assert_eq!(shown.html.matches("aria-current").count(), 1, "{page}");
    }
}

#[both_databases]
fn fields_name_what_is_wrong_with_them(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    for (path, name, value, field) in [
        ("/profile/keys", "key[key]", "no key", "key"),
        ("/profile/emails", "email[email]", "no address", "email"),
        ("/profile/personal_access_tokens", "personal_access_token[name]", "", "name"),
        ("/profile/personal_access_tokens", "personal_access_token[expires_at]", "tomorrow", "expires_at"),
    ] {
        let page = browser.get(path).assert_status(200);
        assert!(!page.html.contains("aria-invalid"), "{path}");
        let refused = page.submit(&browser, path, &[(name, value)]).assert_status(422);
        let described = format!(r#"aria-describedby="problem-{field}""#);
        assert!(refused.html.contains(&described), "{path}: {}", refused.html);
        assert!(refused.html.contains(&format!(r#"id="problem-{field}""#)), "{path}: {}", refused.html);
    }
}

#[test]
fn browsers_get_a_page_when_they_send_too_much() {
    let mut limits = Limits::without_rates();
    limits.bodies.anonymous = 1_000;
    let server = TestServer::start_with(Backend::Sqlite, limits);
    let browser = Browser::of(&server);
    let token = browser.get("/users/sign_in").token();
    let fields = [("authenticity_token", token.as_str()), ("user[login]", &"a".repeat(1_000))];
    let page = browser.send("POST", "/users/sign_in", &fields, &[HTML]).assert_status(413);
    assert!(page.html.contains("<h1>Request too large</h1>"), "{}", page.html);
}

#[test]
fn browsers_get_a_page_when_they_ask_too_often() {
    let mut limits = Limits::default();
    limits.rates.anonymous_burst = 1;
    limits.rates.anonymous_per_second = 1;
    let server = TestServer::start_with(Backend::Sqlite, limits);
    let browser = Browser::of(&server);
    let _ = browser.get("/users/sign_in").assert_status(200);
    let page = browser.send("GET", "/users/sign_in", &[], &[HTML]).assert_status(429);
    assert!(page.html.contains("<h1>Too many requests</h1>"), "{}", page.html);
    assert!(page.reply.header("content-type").starts_with("text/html"));
    assert!(page.reply.header("content-security-policy").starts_with("default-src 'none'"));
    assert_eq!((page.reply.header("retry-after").as_str(), page.reply.header("ratelimit-limit").as_str()), ("1", "1"));
    for (path, accept) in [("/users/sign_in", ("Accept", "*/*")), ("/api/v4/user", HTML)] {
        let refused = browser.send("GET", path, &[], &[accept]).assert_status(429);
        assert_eq!(refused.html, "Retry later\n", "{path}");
    }
}
