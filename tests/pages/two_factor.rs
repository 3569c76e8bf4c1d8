//! Signing in with a second factor.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, Page, first};
use crate::{PASSWORD, member};

const PAGE: &str = "/profile/two_factor_auth";

fn second_step(browser: &Browser, code: &str) -> Page {
    browser.get("/users/sign_in").submit(browser, "/users/sign_in", &[("user[otp_attempt]", code)])
}

#[both_databases]
fn a_code_follows_the_password(server: &TestServer) {
    let ada = member(server, "ada");
    let authenticator = server.second_factor(&ada);
    server.advance(TimeDelta::minutes(1));
    let browser = Browser::of(server);
    let page = browser.get("/users/sign_in?return_to=%2Fprofile%2Fkeys");
    let fields = [("user[login]", "ada"), ("user[password]", PASSWORD)];
    let next = page.submit(&browser, "/users/sign_in", &fields).location();
    assert_eq!(next, "/users/sign_in?return_to=%2Fprofile%2Fkeys");
    assert!(browser.get("/profile/keys").location().starts_with("/users/sign_in"), "the password alone opens nothing");
    let pending = browser.cookie("_service_session");
    let form = browser.get(&next).assert_status(200);
    let wrong = form.submit(&browser, "/users/sign_in", &[("user[otp_attempt]", "000000")]).assert_status(422);
    assert!(wrong.html.contains("Invalid two-factor code."), "{}", wrong.html);
    let code = authenticator.code(server);
    assert_eq!(wrong.submit(&browser, "/users/sign_in", &[("user[otp_attempt]", &code)]).location(), "/profile/keys");
    let _ = browser.get("/profile/keys").assert_status(200);
    assert_ne!(browser.cookie("_service_session"), pending, "a new cookie");

    let other = Browser::of(server);
    let _ = other.sign_in("ada", PASSWORD).location();
    let _ = second_step(&other, &code).assert_status(422);
    let recovery = &authenticator.recovery_codes[0];
    assert_eq!(second_step(&other, recovery).location(), "/");
    let third = Browser::of(server);
    let _ = third.sign_in("ada", PASSWORD).location();
    let _ = second_step(&third, recovery).assert_status(422);
}

#[both_databases]
fn a_deactivated_account_is_active_after_the_code_only(server: &TestServer) {
    let ada = member(server, "ada");
    let authenticator = server.second_factor(&ada);
    server.advance(TimeDelta::days(90));
    let deactivate = || server.root().post(&format!("/users/{}/deactivate", ada.id), json!({}));
    let state = || server.root().get(&format!("/users/{}", ada.id)).json()["state"].as_str().unwrap().to_owned();
    deactivate().assert(201, json!(true));
    let browser = Browser::of(server);
    let _ = browser.sign_in("ada", PASSWORD).location();
    assert_eq!(state(), "deactivated", "the password alone opens nothing");
    let _ = second_step(&browser, "000000").assert_status(422);
    assert_eq!(state(), "deactivated");
    assert_eq!(second_step(&browser, &authenticator.code(server)).location(), "/");
    assert_eq!(state(), "active");

    // A user who is blocked or banned while the code is asked for does not get in.
    for what in ["block", "ban"] {
        let browser = Browser::of(server);
        let _ = browser.sign_in("ada", PASSWORD).location();
        let _ = server.root().post(&format!("/users/{}/{what}", ada.id), json!({})).assert_status(201);
        let _ = second_step(&browser, &authenticator.recovery_codes[0]).assert_status(422);
        let _ = server.root().post(&format!("/users/{}/un{what}", ada.id), json!({})).assert_status(201);
    }
}

#[both_databases]
fn a_password_waits_ten_minutes_for_its_code(server: &TestServer) {
    let ada = member(server, "ada");
    let authenticator = server.second_factor(&ada);
    let browser = Browser::of(server);
    let _ = browser.sign_in("ada", PASSWORD).location();
    let form = browser.get("/users/sign_in");
    server.advance(TimeDelta::minutes(11));
    let code = authenticator.code(server);
    let late = form.submit(&browser, "/users/sign_in", &[("user[otp_attempt]", &code)]).assert_status(422);
    assert!(late.html.contains("Please sign in again.") && late.html.contains("user_password"), "{}", late.html);
}

#[both_databases]
fn codes_are_throttled(server: &TestServer) {
    let ada = member(server, "ada");
    let _authenticator = server.second_factor(&ada);
    let browser = Browser::of(server);
    let _ = browser.sign_in("ada", PASSWORD).location();
    let form = browser.get("/users/sign_in");
    let attempt = || form.submit(&browser, "/users/sign_in", &[("user[otp_attempt]", "000000")]).reply.status();
    let answers: Vec<u16> = (0..11).map(|_| attempt()).collect();
    assert_eq!(answers, [vec![422; 10], vec![429]].concat());
}

#[both_databases]
fn a_user_turns_it_on_and_off(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let shown = || first(&browser.get(PAGE).html, r#"id="two-factor-secret">([A-Z2-7]+)<"#);
    let before = browser.get(PAGE).assert_status(200);
    assert!(!before.html.contains("two-factor-secret"), "{}", before.html);
    assert_eq!(server.database().count("SELECT count(*) FROM two_factors"), 0, "reading makes nothing");
    let begin = |page: &Page| page.submit(&browser, "/profile/two_factor_auth/secret", &[]).location();
    assert_eq!(begin(&before), PAGE);
    let first_secret = shown();
    assert_eq!(shown(), first_secret, "the same when the page is loaded again");
    assert_eq!(begin(&browser.get(PAGE)), PAGE);
    let secret = shown();
    assert_ne!(secret, first_secret, "who begins again gets another");
    let page = browser.get(PAGE);
    let confirm = |pin, password| page.submit(&browser, PAGE, &[("pin_code", pin), ("user[password]", password)]);
    let _ = confirm("000000", PASSWORD).assert_status(422);
    assert_eq!(ada.get("/user").json()["two_factor_enabled"], false);
    let code = tenon_testkit::Authenticator::with_secret(&secret).code(server);
    let _ = confirm(&code, "wrong horse").assert_status(422);
    let on = confirm(&code, PASSWORD).assert_status(200);
    let codes = first(&on.html, r#"(?s)id="recovery-codes">([^<]+)<"#);
    assert_eq!(codes.split_whitespace().count(), 10);
    assert_eq!(ada.get("/user").json()["two_factor_enabled"], true);
    assert!(!browser.get(PAGE).html.contains("recovery-codes"), "shown once");

    let page = browser.get(PAGE);
    let fields = [("authenticity_token", page.token())];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    assert_eq!(browser.post("/profile/two_factor_auth/secret", &fields).location(), PAGE);
    assert_eq!(ada.get("/user").json()["two_factor_enabled"], true, "what is on stays on");
    let renew = |password| page.submit(&browser, "/profile/two_factor_auth/codes", &[("user[password]", password)]);
    let _ = renew("wrong horse").assert_status(422);
    let renewed = renew(PASSWORD).assert_status(200);
    assert_ne!(first(&renewed.html, r#"(?s)id="recovery-codes">([^<]+)<"#), codes);
    let token = page.token();
    let off = |password: &str| {
        browser.post(PAGE, &[("authenticity_token", &token), ("_method", "delete"), ("user[password]", password)])
    };
    let _ = off("wrong horse").assert_status(422);
    assert_eq!(off(PASSWORD).location(), PAGE);
    assert_eq!(ada.get("/user").json()["two_factor_enabled"], false);
}

#[both_databases]
fn the_time_to_set_it_up_runs_from_signing_in_and_is_given_once(server: &TestServer) {
    let _ada = member(server, "ada");
    let early = Browser::signed_in(server, "ada", PASSWORD);
    let (token, graces) =
        (early.get("/").token(), || server.database().count("SELECT count(*) FROM two_factor_graces"));
    let asked = json!({"require_two_factor_authentication": true, "two_factor_grace_period": 24});
    let _ = server.root().put("/application/settings", asked).assert_status(200);
    // A session that was there before reads and writes nothing by the API until the page was seen.
    let _ = early.get("/api/v4/user").assert_status(403);
    assert_eq!(graces(), 0);
    // A form is let through, and begins the time.
    let post = |browser: &Browser, token: &str| {
        browser.post("/profile/active_sessions", &[("authenticity_token", token), ("_method", "delete")])
    };
    assert_ne!(post(&early, &token).location(), PAGE);
    assert_eq!(graces(), 1);
    let _ = early.get("/api/v4/user").assert_status(200);
    server.database().execute("DELETE FROM two_factor_graces");

    let browser = Browser::of(server);
    let page = browser.get("/users/sign_in?return_to=%2Fprofile%2Fkeys");
    let next =
        page.submit(&browser, "/users/sign_in", &[("user[login]", "ada"), ("user[password]", PASSWORD)]).location();
    assert_eq!(next, format!("{PAGE}?return_to=%2Fprofile%2Fkeys"), "and is said");
    assert_eq!(graces(), 1);
    let _ = browser.get("/profile/keys").assert_status(200);
    let _ = browser.get("/api/v4/user").assert_status(200);
    server.advance(TimeDelta::hours(25));
    assert!(browser.get("/profile/keys").location().starts_with(PAGE));
    let _ = browser.get("/api/v4/user").assert_status(403);
    // A user who sets it up and removes it again has no time left, also after signing in once more.
    let page = browser.get(PAGE);
    let _ = page.submit(&browser, "/profile/two_factor_auth/secret", &[]).location();
    let secret = first(&browser.get(PAGE).html, r#"id="two-factor-secret">([A-Z2-7]+)<"#);
    let code = tenon_testkit::Authenticator::with_secret(&secret).code(server);
    let on = browser
        .get(PAGE)
        .submit(&browser, PAGE, &[("pin_code", &code), ("user[password]", PASSWORD)])
        .assert_status(200);
    let _ = browser.get("/profile/keys").assert_status(200);
    let recovery = first(&on.html, r#"(?s)id="recovery-codes">([^<]+)<"#);
    let again = Browser::of(server);
    let _ = again.sign_in("ada", PASSWORD).location();
    assert_eq!(second_step(&again, recovery.split_whitespace().next().unwrap()).location(), "/");
    let token = again.get(PAGE).token();
    let off = [("authenticity_token", token.as_str()), ("_method", "delete"), ("user[password]", PASSWORD)];
    assert_eq!(again.post(PAGE, &off).location(), PAGE);
    assert_eq!(again.get("/profile/keys").location(), format!("{PAGE}?return_to=%2Fprofile%2Fkeys"));
    assert!(again.get(PAGE).html.contains("You must enable two-factor authentication to continue"));
}
