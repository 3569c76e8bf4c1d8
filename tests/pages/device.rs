//! Devices that have no browser get tokens, once their users have allowed it.

use serde_json::{Value, json};
use tenon_app::Limits;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Backend, Reply, TestServer, both_databases};

use crate::browser::{Browser, Page, first};
use crate::{PASSWORD, member};

/// An application that runs on devices.
struct Application {
    uid: String,
    secret: String,
}

impl Application {
    fn register(server: &TestServer, confidential: bool) -> Self {
        let redirect_uri = "https://app.example/callback";
        let new = json!({
            "name": "App <b>", "redirect_uri": redirect_uri, "scopes": "api read_user", "confidential": confidential,
        });
        let made = server.root().post("/applications", new).assert_status(201).json();
        let text = |name: &str| made[name].as_str().expect("a text").to_owned();
        Self { uid: text("application_id"), secret: text("secret") }
    }

    fn begin(&self, server: &TestServer, scope: &str) -> Reply {
        let body = json!({"client_id": self.uid, "scope": scope});
        server.anonymous().post("//oauth/authorize_device", body)
    }

    /// The codes of a device that asks to read its user's profile.
    fn codes(&self, server: &TestServer) -> Codes {
        let reply = self.begin(server, "read_user").assert_status(200);
        assert_eq!(reply.header("cache-control"), "no-store");
        let body = reply.json();
        let text = |name: &str| body[name].as_str().expect("a text").to_owned();
        assert_eq!((&body["expires_in"], &body["interval"]), (&json!(300), &json!(5)));
        assert!(text("verification_uri").ends_with("/oauth/device"), "{body}");
        assert!(text("verification_uri_complete").ends_with(&format!("/oauth/device?user_code={}", text("user_code"))));
        Codes { device: text("device_code"), user: text("user_code") }
    }

    /// The answer to a device that asks for its tokens.
    fn poll(&self, server: &TestServer, codes: &Codes) -> Reply {
        let body = json!({
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": codes.device,
            "client_id": self.uid,
        });
        server.anonymous().post("//oauth/token", body)
    }
}

struct Codes {
    device: String,
    user: String,
}

#[track_caller]
fn assert_refused(reply: &Reply, status: u16, error: &str) {
    assert_eq!((reply.status(), &reply.json()["error"]), (status, &json!(error)), "{}", reply.text());
}

/// The page that asks for permission that the device acts for the user of this browser.
fn consent(browser: &Browser, code: &str) -> Page {
    browser.get("/oauth/device").submit(browser, "/oauth/device", &[("user_code", code)])
}

fn allow(browser: &Browser, code: &str) {
    let done = consent(browser, code).assert_status(200).submit(browser, "/oauth/device/decision", &[]);
    assert_eq!(done.location(), "/oauth/device");
}

fn user(server: &TestServer, tokens: &Value) -> Reply {
    let access = tokens["access_token"].as_str().expect("a token");
    server.anonymous().header("Authorization", &format!("Bearer {access}")).get("/user")
}

#[both_databases]
fn a_device_acts_for_the_user_who_has_allowed_it(server: &TestServer) {
    let (_ada, app) = (member(server, "ada"), Application::register(server, false));
    let codes = app.codes(server);
    assert_refused(&app.poll(server, &codes), 400, "authorization_pending");
    assert_refused(&app.poll(server, &codes), 400, "slow_down");
    server.advance(TimeDelta::seconds(5));
    assert_refused(&app.poll(server, &codes), 400, "authorization_pending");

    let browser = Browser::of(server);
    let sign_in = browser.get(&format!("/oauth/device?user_code={}", codes.user)).location();
    let fields = [("user[login]", "ada"), ("user[password]", PASSWORD)];
    let back = browser.get(&sign_in).submit(&browser, "/users/sign_in", &fields).location();
    let form = browser.get(&back).assert_status(200);
    assert_eq!(first(&form.html, r#"name="user_code" value="([^"]*)""#), codes.user);
    // As people type it.
    let typed = codes.user.to_lowercase().replace('-', " ");
    let asked = form.submit(&browser, "/oauth/device", &[("user_code", &typed)]).assert_status(200);
    assert!(asked.html.contains("App &#60;b&#62;") && asked.html.contains("Read your profile"), "{}", asked.html);
    assert!(asked.html.contains(&codes.user), "{}", asked.html);
    assert_eq!(asked.submit(&browser, "/oauth/device/decision", &[]).location(), "/oauth/device");
    assert!(browser.get("/oauth/device").html.contains("Device authorized."));

    let tokens = app.poll(server, &codes).assert_status(200).json();
    assert_eq!((&tokens["token_type"], &tokens["scope"]), (&json!("Bearer"), &json!("read_user")));
    assert!(tokens["refresh_token"].is_string());
    assert_eq!(user(server, &tokens).assert_status(200).json()["username"], "ada");
    assert_refused(&app.poll(server, &codes), 400, "invalid_grant");
    let list = browser.get("/oauth/authorized_applications").assert_status(200);
    assert!(list.html.contains("App &#60;b&#62;"), "{}", list.html);
}

#[both_databases]
fn a_device_that_its_user_has_allowed_is_none_of_a_stranger(server: &TestServer) {
    let (_ada, app) = (member(server, "ada"), Application::register(server, false));
    let codes = app.codes(server);
    let closed = TestServer::closed_to_strangers(server);
    assert_eq!(app.poll(&closed, &codes).status(), 503, "no user has allowed it");
    allow(&Browser::signed_in(server, "ada", PASSWORD), &codes.user);
    let tokens = app.poll(&closed, &codes).assert_status(200).json();
    assert_eq!(user(&closed, &tokens).assert_status(200).json()["username"], "ada");
}

#[both_databases]
fn a_device_that_is_refused_gets_nothing(server: &TestServer) {
    let (_ada, app) = (member(server, "ada"), Application::register(server, false));
    let (browser, codes) = (Browser::signed_in(server, "ada", PASSWORD), app.codes(server));
    let asked = consent(&browser, &codes.user).assert_status(200);
    let token = asked.token();
    let fields = [("authenticity_token", token.as_str()), ("_method", "delete"), ("user_code", &codes.user)];
    assert_eq!(browser.post("/oauth/device/decision", &fields).location(), "/oauth/device");
    assert_refused(&app.poll(server, &codes), 400, "access_denied");
    let late = asked.submit(&browser, "/oauth/device/decision", &[]);
    assert!(late.assert_status(422).html.contains("Invalid or expired code"));
    assert_refused(&app.poll(server, &codes), 400, "access_denied");
}

#[both_databases]
fn what_was_decided_stays(server: &TestServer) {
    let (_ada, _bob, app) = (member(server, "ada"), member(server, "bob"), Application::register(server, false));
    let codes = app.codes(server);
    allow(&Browser::signed_in(server, "ada", PASSWORD), &codes.user);
    let _ = consent(&Browser::signed_in(server, "bob", PASSWORD), &codes.user).assert_status(422);
    let tokens = app.poll(server, &codes).assert_status(200).json();
    assert_eq!(user(server, &tokens).json()["username"], "ada");
}

#[both_databases]
fn codes_end(server: &TestServer) {
    let (_ada, app) = (member(server, "ada"), Application::register(server, false));
    let (browser, codes) = (Browser::signed_in(server, "ada", PASSWORD), app.codes(server));
    server.advance(TimeDelta::seconds(300));
    assert_refused(&app.poll(server, &codes), 400, "expired_token");
    let _ = consent(&browser, &codes.user).assert_status(422);
}

#[both_databases]
fn a_code_is_its_applications_only(server: &TestServer) {
    let (_ada, app, other) =
        (member(server, "ada"), Application::register(server, false), Application::register(server, false));
    let codes = app.codes(server);
    allow(&Browser::signed_in(server, "ada", PASSWORD), &codes.user);
    assert_refused(&other.poll(server, &codes), 400, "invalid_grant");
    let unknown = Codes { device: "unknown\u{0}".to_owned(), user: String::new() };
    assert_refused(&app.poll(server, &unknown), 400, "invalid_grant");
    assert_eq!(app.poll(server, &codes).status(), 200);
}

#[both_databases]
fn applications_present_themselves(server: &TestServer) {
    let app = Application::register(server, true);
    assert_refused(&app.begin(server, "api"), 401, "invalid_client");
    let device = |body: Value| server.anonymous().post("//oauth/authorize_device", body);
    assert_refused(&device(json!({})), 401, "invalid_client");
    assert_refused(&device(json!({"client_id": "unknown"})), 401, "invalid_client");
    let proved = json!({"client_id": app.uid, "client_secret": app.secret});
    assert_eq!(device(proved).status(), 200);
    let public = Application::register(server, false);
    for scope in ["sudo", "no such scope"] {
        assert_refused(&public.begin(server, scope), 400, "invalid_scope");
    }
    assert_eq!(server.anonymous().get("//oauth/authorize_device").assert_status(405).header("allow"), "OPTIONS, POST");
    let known = server.anonymous().get("//.well-known/oauth-authorization-server").json();
    assert!(known["device_authorization_endpoint"].as_str().expect("an address").ends_with("/oauth/authorize_device"));
}

#[both_databases]
fn a_user_takes_back_what_a_device_has_not_fetched(server: &TestServer) {
    let (_ada, app) = (member(server, "ada"), Application::register(server, false));
    let (browser, codes) = (Browser::signed_in(server, "ada", PASSWORD), app.codes(server));
    allow(&browser, &codes.user);
    let token = browser.get("/oauth/device").token();
    let withdraw = || {
        let fields = [("authenticity_token", token.as_str()), ("_method", "delete")];
        browser.post("/oauth/authorized_applications/1", &fields).reply.status()
    };
    assert_eq!((withdraw(), withdraw()), (302, 404));
    assert_refused(&app.poll(server, &codes), 400, "invalid_grant");
}

#[both_databases]
fn a_user_who_was_blocked_gets_no_tokens(server: &TestServer) {
    let (ada, app) = (member(server, "ada"), Application::register(server, false));
    let codes = app.codes(server);
    allow(&Browser::signed_in(server, "ada", PASSWORD), &codes.user);
    let _ = server.root().post(&format!("/users/{}/block", ada.id), json!({})).assert_status(201);
    assert_refused(&app.poll(server, &codes), 400, "invalid_grant");
}

#[test]
fn codes_cannot_be_guessed() {
    let mut limits = Limits::default();
    limits.rates.code_burst_per_account = 3;
    let server = TestServer::start_with(Backend::Sqlite, limits);
    let (_ada, _bob, app) = (member(&server, "ada"), member(&server, "bob"), Application::register(&server, false));
    let codes = app.codes(&server);
    let ada = Browser::signed_in(&server, "ada", PASSWORD);
    let statuses: Vec<u16> = (0..5).map(|_| consent(&ada, "BBBB-BBBB").reply.status()).collect();
    assert_eq!((statuses[0], statuses[4]), (422, 429), "{statuses:?}");
    assert_eq!(consent(&ada, &codes.user).reply.status(), 429, "not even the right one");
    let bob = Browser::signed_in(&server, "bob", PASSWORD);
    assert_eq!(consent(&bob, &codes.user).reply.status(), 200);
}

#[test]
fn one_network_begins_so_many() {
    let mut limits = Limits::default();
    limits.rates.devices_per_address = 2;
    let server = TestServer::start_with(Backend::Sqlite, limits);
    let app = Application::register(&server, false);
    let statuses: Vec<u16> = (0..3).map(|_| app.begin(&server, "api").status()).collect();
    assert_eq!(statuses, [200, 200, 429]);
}

#[test]
fn so_many_devices_of_one_application_wait() {
    let mut limits = Limits::without_rates();
    limits.oauth.devices = 2;
    let server = TestServer::start_with(Backend::Sqlite, limits);
    let (app, other) = (Application::register(&server, false), Application::register(&server, false));
    let statuses: Vec<u16> = (0..3).map(|_| app.begin(&server, "api").status()).collect();
    assert_eq!(statuses, [200, 200, 503]);
    assert_eq!(other.begin(&server, "api").status(), 200);
    server.advance(TimeDelta::seconds(300));
    assert_eq!(app.begin(&server, "api").status(), 200);
}
