//! Administrators who act as such in a session for a limited time, because a setting asks for it.

use serde_json::json;
use tenon_domain::settings::AREAS;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, Page};
use crate::{PASSWORD, member};

const ENTER: &str = "/admin/session/new";
const ENTERED: &str = "/admin/session";
const LEAVE: &str = "/admin/session/destroy";
const SETTINGS: &str = "/admin/application_settings";
const TOKENS: &str = "/profile/personal_access_tokens";
const ROOT: &str = "root password";

fn root(server: &TestServer) -> Browser {
    Browser::signed_in(server, "root", ROOT)
}

fn ask_for_mode(server: &TestServer) {
    let _ = server.root().put("/application/settings", json!({"admin_mode": true})).assert_status(200);
}

fn enter(browser: &Browser, at: &str, password: &str) -> Page {
    browser.get(at).submit(browser, ENTERED, &[("user[password]", password)])
}

/// The entries of the menu of the user: administration, entering and leaving.
fn menu(browser: &Browser) -> [bool; 3] {
    let html = browser.get("/").assert_status(200).html;
    [" Administration</a>", " Enter admin mode</a>", " Leave admin mode</button>"].map(|entry| html.contains(entry))
}

#[both_databases]
fn an_administrator_enters_and_leaves_the_mode(server: &TestServer) {
    let (browser, other) = (root(server), root(server));
    assert_eq!(menu(&browser), [true, false, false]);
    let _ = browser.get(ENTER).assert_status(404);
    ask_for_mode(server);
    assert_eq!(menu(&browser), [false, true, false]);
    let first = browser.get(&format!("{SETTINGS}?a=b")).location();
    assert_eq!(first, format!("{ENTER}?return_to=%2Fadmin%2Fapplication%5Fsettings%3Fa%3Db"));
    let wrong = enter(&browser, &first, "wrong").assert_status(422);
    assert!(wrong.html.contains("Password is invalid"), "{}", wrong.html);
    assert_eq!(menu(&browser), [false, true, false]);
    let entered = wrong.submit(&browser, ENTERED, &[("user[password]", ROOT)]);
    assert_eq!(entered.location(), format!("{SETTINGS}?a=b"));
    assert!(browser.get(SETTINGS).assert_status(200).html.contains("You have entered admin mode."));
    assert_eq!(menu(&browser), [true, false, true]);
    assert_eq!(browser.get(ENTER).location(), "/admin");
    // Each session has its own.
    assert_eq!(menu(&other), [false, true, false]);
    assert_eq!(browser.get("/").submit(&browser, LEAVE, &[]).location(), "/");
    assert_eq!(menu(&browser), [false, true, false]);
    // It ends by itself after six hours, however often it is used.
    assert_eq!(enter(&browser, ENTER, ROOT).location(), "/admin");
    server.advance(TimeDelta::hours(5));
    let page = browser.get(SETTINGS).assert_status(200);
    server.advance(TimeDelta::minutes(59));
    let _ = browser.get("/admin").assert_status(200);
    server.advance(TimeDelta::minutes(1));
    assert_eq!(browser.get("/admin").location(), format!("{ENTER}?return_to=%2Fadmin"));
    let late = page.send_with(&browser, SETTINGS, &[]);
    assert_eq!(late.location(), ENTER, "a form does not act either");
    assert_eq!(menu(&browser), [false, true, false]);
    // Nobody is locked out.
    let _ = enter(&browser, ENTER, ROOT).location();
    let area = AREAS.iter().position(|area| area.settings.iter().any(|setting| setting.name == "admin_mode")).unwrap();
    let form = browser.get(&format!("{SETTINGS}?area={area}")).assert_status(200);
    assert_eq!(form.send_with(&browser, SETTINGS, &[("application_setting[admin_mode]", "")]).reply.status(), 303);
    assert_eq!(menu(&other), [true, false, false]);
}

#[both_databases]
fn others_have_nothing_to_enter(server: &TestServer) {
    let ada = member(server, "ada");
    ask_for_mode(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    assert_eq!(menu(&browser), [false; 3]);
    let _ = browser.get(ENTER).assert_status(404);
    let _ = browser.get("/admin").assert_status(403);
    let token = browser.get("/profile").token();
    let fields = [("authenticity_token", token.as_str()), ("user[password]", PASSWORD)];
    let _ = browser.post(ENTERED, &fields).assert_status(403);
    assert!(Browser::of(server).get(ENTER).location().starts_with("/users/sign_in"));
    // An administrator who acts as another one does not become one of two.
    let _ = server
        .client(&server.token(1, &["api", "admin_mode"]))
        .put(&format!("/users/{}", ada.id), json!({"admin": true}))
        .assert_status(200);
    assert_eq!(menu(&browser), [false, true, false]);
    let acting = root(server);
    let _ = enter(&acting, ENTER, ROOT).location();
    let account = acting.get(&format!("/admin/users/{}", ada.id));
    let _ = account.submit(&acting, &format!("/admin/users/{}/impersonate", ada.id), &[]).location();
    assert_eq!(menu(&acting), [false; 3]);
    let _ = acting.get(ENTER).assert_status(404);
    let _ = acting.get("/admin").assert_status(403);
}

#[both_databases]
fn an_impersonation_ends_with_the_mode(server: &TestServer) {
    let ada = member(server, "ada");
    ask_for_mode(server);
    let acting = root(server);
    let _ = enter(&acting, ENTER, ROOT).location();
    // An impersonation of its own ends an hour after it began.
    server.advance(TimeDelta::minutes(330));
    let account = acting.get(&format!("/admin/users/{}", ada.id)).assert_status(200);
    assert_eq!(account.submit(&acting, &format!("/admin/users/{}/impersonate", ada.id), &[]).location(), "/");
    server.advance(TimeDelta::minutes(29));
    let page = acting.get("/profile").assert_status(200).html;
    assert!(page.contains("You are impersonating <bdi>ada</bdi>"), "{page}");
    server.advance(TimeDelta::minutes(1));
    assert!(acting.get("/profile").location().starts_with("/users/sign_in"));
}

#[both_databases]
fn a_code_is_needed_if_there_is_an_authenticator(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = server.root().put(&format!("/users/{}", ada.id), json!({"admin": true})).assert_status(200);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let authenticator = server.second_factor(&ada);
    ask_for_mode(server);
    server.advance(TimeDelta::minutes(1));
    let page = browser.get(ENTER).assert_status(200);
    assert!(page.html.contains("Two-factor code"), "{}", page.html);
    for code in ["", "000000"] {
        let fields = [("user[password]", PASSWORD), ("user[otp_attempt]", code)];
        let refused = page.submit(&browser, ENTERED, &fields).assert_status(422);
        assert!(refused.html.contains("Code is invalid"), "{}", refused.html);
    }
    let code = authenticator.code(server);
    let fields = [("user[password]", "wrong"), ("user[otp_attempt]", &code)];
    let _ = page.submit(&browser, ENTERED, &fields).assert_status(422);
    let fields = [("user[password]", PASSWORD), ("user[otp_attempt]", &code)];
    assert_eq!(page.submit(&browser, ENTERED, &fields).location(), "/admin");
    assert_eq!(menu(&browser), [true, false, true]);
}

#[both_databases]
fn tokens_for_the_mode_are_made_in_it(server: &TestServer) {
    let browser = root(server);
    ask_for_mode(server);
    let make = || {
        let token = browser.get(TOKENS).token();
        let fields = [
            ("authenticity_token", token.as_str()),
            ("personal_access_token[name]", "a"),
            ("personal_access_token[expires_at]", "2999-01-31"),
            ("personal_access_token[scopes][]", "api"),
            ("personal_access_token[scopes][]", "admin_mode"),
        ];
        browser.post(TOKENS, &fields).reply.status()
    };
    let offers = || browser.get(TOKENS).assert_status(200).html.contains("value=\"admin_mode\"");
    assert_eq!((offers(), make()), (false, 422));
    let _ = enter(&browser, ENTER, ROOT).location();
    assert_eq!((offers(), make()), (true, 201));
}

#[both_databases]
fn an_application_gets_the_scope_in_the_mode_only(server: &TestServer) {
    let new = json!({"name": "App", "redirect_uri": "https://app.example/a", "scopes": "api admin_mode"});
    let application = server.root().post("/applications", new).assert_status(201).json();
    ask_for_mode(server);
    let browser = root(server);
    let id = application["application_id"].as_str().unwrap();
    let asked = |scope: &str| {
        let query = "redirect_uri=https%3A%2F%2Fapp.example%2Fa&response_type=code";
        browser.get(&format!("/oauth/authorize?client_id={id}&{query}&scope={scope}"))
    };
    assert!(asked("api+admin_mode").location().contains("error=access"), "outside of the mode");
    let _ = asked("api").assert_status(200);
    let _ = enter(&browser, ENTER, ROOT).location();
    let _ = asked("api+admin_mode").assert_status(200);
}
