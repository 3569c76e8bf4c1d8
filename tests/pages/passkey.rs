//! Passkeys: adding them, and signing in with them.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Authenticator, SoftPasskey, TestServer, User, both_databases};

use crate::browser::{Browser, Page, first, safe};
use crate::{PASSWORD, member};

const PAGE: &str = "/profile/two_factor_auth";
const KEYS: &str = "/profile/two_factor_auth/passkeys";
const SIGN_IN: &str = "/users/passkey";

fn origin(server: &TestServer) -> String {
    server.base().replace("127.0.0.1", "localhost")
}

/// The request of the server to the browser. The script sends the fields of the form.
fn asked(browser: &Browser, page: &str, action: &str, fields: &[(&str, &str)]) -> Page {
    let token = browser.get(page).token();
    let all = [&[("authenticity_token", token.as_str()), ("credential", "")], fields].concat();
    browser.post(&format!("{action}/challenge"), &all)
}

fn answered(browser: &Browser, page: &str, action: &str, credential: &str) -> Page {
    let fields = [("passkey_name", "Phone"), ("credential", credential)];
    browser.get(page).submit(browser, action, &fields)
}

fn begin(browser: &Browser) -> Page {
    asked(browser, PAGE, KEYS, &[("passkey_name", "Phone"), ("user[password]", PASSWORD)])
}

/// Adds a passkey to the account of the browser's user.
fn add(browser: &Browser, passkey: &mut SoftPasskey) -> Page {
    let options = begin(browser).assert_status(200).html;
    answered(browser, PAGE, KEYS, &passkey.create(&options))
}

/// A user with a passkey, and the recovery codes.
fn with_passkey(server: &TestServer, name: &str) -> (User, SoftPasskey, Vec<String>) {
    let user = member(server, name);
    let browser = Browser::signed_in(server, name, PASSWORD);
    let mut passkey = SoftPasskey::new(&origin(server));
    let page = add(&browser, &mut passkey).assert_status(200);
    let codes = first(&page.html, r#"(?s)id="recovery-codes">([^<]+)<"#);
    (user, passkey, codes.split_whitespace().map(str::to_owned).collect())
}

/// Signs in with a passkey in this browser, which has given a password or not.
fn sign_in(browser: &Browser, passkey: &mut SoftPasskey) -> Page {
    let options = asked(browser, "/users/sign_in", SIGN_IN, &[]).assert_status(200).html;
    answered(browser, "/users/sign_in", SIGN_IN, &passkey.get(&options))
}

#[both_databases(named)]
fn a_passkey_signs_in_without_a_password(server: &TestServer) {
    let (ada, mut passkey, codes) = with_passkey(server, "ada");
    assert_eq!(codes.len(), 10);
    assert_eq!(ada.get("/user").json()["two_factor_enabled"], true);
    let browser = Browser::of(server);
    let page = browser.get("/users/sign_in?return_to=%2Fprofile%2Fkeys").assert_status(200);
    let token = page.token();
    let options = browser.post(&format!("{SIGN_IN}/challenge"), &[("authenticity_token", &token)]).assert_status(200);
    assert_eq!(options.reply.header("cache-control"), "private, no-store");
    let asked: Value = serde_json::from_str(&options.html).unwrap();
    assert_eq!((&asked["userVerification"], &asked["allowCredentials"]), (&json!("required"), &json!([])));
    let answer = passkey.get(&options.html);
    assert_eq!(page.submit(&browser, SIGN_IN, &[("credential", &answer)]).location(), "/profile/keys");
    let used = safe(&browser, PAGE);
    assert!(used.contains(">Phone</h3>") && !used.contains("never"), "{used}");
    // The answer is good once, also in the browser that gave it.
    let _ = browser.get("/").submit(&browser, "/users/sign_out", &[]).location();
    for browser in [Browser::of(server), browser] {
        let replayed = answered(&browser, "/users/sign_in", SIGN_IN, &answer).assert_status(422);
        assert!(replayed.html.contains("Please try again."), "{}", replayed.html);
    }
    // In another browser, too.
    let (one, two) = (Browser::of(server), Browser::of(server));
    let options = self::asked(&one, "/users/sign_in", SIGN_IN, &[]).assert_status(200).html;
    let answer = passkey.get(&options);
    let _ = answered(&two, "/users/sign_in", SIGN_IN, &answer).assert_status(422);
    assert_eq!(answered(&one, "/users/sign_in", SIGN_IN, &answer).location(), "/");
}

#[both_databases(named)]
fn a_passkey_follows_a_password(server: &TestServer) {
    let (ada, mut passkey, codes) = with_passkey(server, "ada");
    let (_bob, mut foreign, _) = with_passkey(server, "bob");
    let awaiting = || {
        let browser = Browser::of(server);
        assert_eq!(browser.sign_in("ada", PASSWORD).location(), "/users/sign_in");
        browser
    };
    let browser = awaiting();
    let form = browser.get("/users/sign_in");
    assert!(form.html.contains("Verify with a passkey") && form.html.contains("Recovery code"), "{}", form.html);
    // A second factor need not verify its user.
    passkey.verifies = false;
    assert_eq!(sign_in(&browser, &mut passkey).location(), "/");
    let browser = awaiting();
    let refused = sign_in(&browser, &mut foreign).assert_status(422);
    assert!(refused.html.contains("could not be verified") && refused.html.contains("Verify with"), "{}", refused.html);
    assert!(browser.get("/profile/keys").location().starts_with("/users/sign_in"));
    // A code of an authenticator is none of theirs; recovery codes stay.
    let code = |browser: &Browser, code| {
        browser.get("/users/sign_in").submit(browser, "/users/sign_in", &[("user[otp_attempt]", code)])
    };
    let _ = code(&browser, "123456").assert_status(422);
    assert_eq!(code(&browser, &codes[0]).location(), "/");
    // Both stand side by side.
    let authenticator = server.second_factor(&ada);
    server.advance(TimeDelta::minutes(1));
    let browser = awaiting();
    let form = browser.get("/users/sign_in");
    assert!(form.html.contains("Two-factor code") && form.html.contains("Verify with a passkey"), "{}", form.html);
    assert_eq!(code(&browser, &authenticator.code(server)).location(), "/");
    assert_eq!(sign_in(&awaiting(), &mut passkey).location(), "/");
}

#[both_databases(named)]
fn an_authenticator_beside_a_passkey_leaves_the_recovery_codes(server: &TestServer) {
    let (ada, _, codes) = with_passkey(server, "ada");
    let browser = Browser::of(server);
    let code = |browser: &Browser, code: &str| {
        let _ = browser.sign_in("ada", PASSWORD);
        browser.get("/users/sign_in").submit(browser, "/users/sign_in", &[("user[otp_attempt]", code)]).location()
    };
    assert_eq!(code(&browser, &codes[0]), "/");
    let secret = || {
        assert_eq!(browser.get(PAGE).submit(&browser, &format!("{PAGE}/secret"), &[]).location(), PAGE);
        first(&browser.get(PAGE).html, r#"id="two-factor-secret">([^<]+)<"#)
    };
    let _ = secret();
    let begun = secret();
    assert_eq!(code(&Browser::of(server), &codes[1]), "/", "who begins twice and does not end it keeps the codes");
    let authenticator = Authenticator::with_secret(&begun);
    let fields = [("pin_code", authenticator.code(server)), ("user[password]", PASSWORD.to_owned())];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    assert_eq!(browser.get(PAGE).submit(&browser, PAGE, &fields).location(), PAGE);
    let page = safe(&browser, PAGE);
    assert!(page.contains("Authenticator app added") && !page.contains("recovery-codes"), "{page}");
    assert_eq!(code(&Browser::of(server), &codes[2]), "/");
    let enabled = "SELECT count(*) FROM events WHERE kind = 'two_factor_enabled'";
    assert_eq!(server.database().count(enabled), 1);
    assert_eq!(ada.get("/user").json()["two_factor_enabled"], true);
}

#[both_databases(named)]
fn passkeys_are_no_way_in_where_browsers_use_none(server: &TestServer) {
    let (_ada, _, codes) = with_passkey(server, "ada");
    let nameless = TestServer::beside(server);
    let browser = Browser::of(&nameless);
    let _ = browser.sign_in("ada", PASSWORD);
    let form = browser.get("/users/sign_in");
    assert_eq!(form.submit(&browser, "/users/sign_in", &[("user[otp_attempt]", &codes[0])]).location(), "/");
    let own = Browser::of(server);
    let _ = own.sign_in("ada", PASSWORD);
    let form = own.get("/users/sign_in");
    assert_eq!(form.submit(&own, "/users/sign_in", &[("user[otp_attempt]", &codes[1])]).location(), "/");
    assert_eq!(add(&own, &mut SoftPasskey::new(&origin(server))).location(), PAGE);
    let remove = |browser: &Browser| {
        let page = browser.get(PAGE);
        page.submit_last(browser, &key(&page), &[("_method", "delete"), ("user[password]", PASSWORD)])
    };
    server.set("password_authentication_enabled_for_web", &json!(false));
    nameless.app().refresh_settings().unwrap();
    let refused = remove(&browser).assert_status(422);
    assert!(refused.html.contains("the only way to sign in"), "{}", refused.html);
    assert_eq!(remove(&own).location(), PAGE, "the other one is enough");
}

#[both_databases(named)]
fn what_is_wrong_with_a_passkey_is_refused(server: &TestServer) {
    const UNVERIFIED: &str = "could not be verified";
    let (_ada, mut passkey, _) = with_passkey(server, "ada");
    let origin = origin(server);
    let mut wrong = |change: &dyn Fn(&mut SoftPasskey), says: &str| {
        let (origin, count) = (passkey.origin.clone(), passkey.count);
        change(&mut passkey);
        let refused = sign_in(&Browser::of(server), &mut passkey).assert_status(422);
        assert!(refused.html.contains(says), "{says}: {}", refused.html);
        (passkey.origin, passkey.count, passkey.server, passkey.verifies) = (origin, count, None, true);
    };
    wrong(&|passkey| "https://evil.example".clone_into(&mut passkey.origin), UNVERIFIED);
    wrong(&|passkey| passkey.server = Some("evil.example".to_owned()), UNVERIFIED);
    wrong(&|passkey| passkey.verifies = false, "must verify you");
    let unknown = SoftPasskey::new(&origin);
    let known = std::mem::replace(&mut passkey, unknown);
    let _ = sign_in(&Browser::of(server), &mut passkey).assert_status(422);
    passkey = known;
    // A copy that has counted less than the server has seen.
    passkey.count = Some(20);
    assert_eq!(sign_in(&Browser::of(server), &mut passkey).location(), "/");
    passkey.count = Some(10);
    let cloned = sign_in(&Browser::of(server), &mut passkey).assert_status(422);
    assert!(cloned.html.contains("a copy of it has been used"), "{}", cloned.html);
    // An answer that is none, and a late one.
    let browser = Browser::of(server);
    let options = asked(&browser, "/users/sign_in", SIGN_IN, &[]).assert_status(200).html;
    let _ = answered(&browser, "/users/sign_in", SIGN_IN, "{}").assert_status(422);
    passkey.count = Some(30);
    let answer = passkey.get(&options);
    let _ = answered(&browser, "/users/sign_in", SIGN_IN, &answer).assert_status(422);
    let options = asked(&browser, "/users/sign_in", SIGN_IN, &[]).assert_status(200).html;
    let answer = passkey.get(&options);
    server.advance(TimeDelta::minutes(6));
    let _ = answered(&browser, "/users/sign_in", SIGN_IN, &answer).assert_status(422);
    assert_eq!(sign_in(&browser, &mut passkey).location(), "/");
}

#[both_databases(named)]
fn users_who_may_not_sign_in_do_not_with_a_passkey(server: &TestServer) {
    let (ada, mut passkey, _) = with_passkey(server, "ada");
    let root = |what: &str| server.root().post(&format!("/users/{}/{what}", ada.id), json!({})).assert_status(201);
    for (out, says) in [("block", "has been blocked"), ("ban", "has been banned")] {
        let _ = root(out);
        let refused = sign_in(&Browser::of(server), &mut passkey).assert_status(422);
        assert!(refused.html.contains(says), "{}", refused.html);
        let _ = root(&format!("un{out}"));
    }
    server.advance(TimeDelta::days(100));
    let _ = root("deactivate");
    assert_eq!(sign_in(&Browser::of(server), &mut passkey).location(), "/");
    assert_eq!(ada.get("/user").json()["state"], "active");
    // A user who must have a second factor has one.
    let asked = json!({"require_two_factor_authentication": true, "two_factor_grace_period": 0});
    let _ = server.root().put("/application/settings", asked).assert_status(200);
    let browser = Browser::of(server);
    assert_eq!(sign_in(&browser, &mut passkey).location(), "/");
    let _ = browser.get("/profile/keys").assert_status(200);
}

#[both_databases(named)]
fn a_passkey_is_added_with_the_password_only(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let wrong = asked(&browser, PAGE, KEYS, &[("passkey_name", "Phone"), ("user[password]", "wrong horse")]);
    assert_eq!(wrong.assert_status(422).html, r#"{"refused":"Password is invalid"}"#);
    let nameless = asked(&browser, PAGE, KEYS, &[("passkey_name", " "), ("user[password]", PASSWORD)]);
    assert!(nameless.assert_status(422).html.contains("can't be blank"));
    // Without a challenge, with one of another browser, with a late one, and with a bad answer.
    let mut passkey = SoftPasskey::new(&origin(server));
    let refused = |page: Page, says: &str| {
        assert!(page.html.contains(says), "{says}: {}", page.html);
        let _ = page.assert_status(422);
        assert_eq!(server.database().count("SELECT count(*) FROM passkeys"), 0);
    };
    let other = Browser::signed_in(server, "ada", PASSWORD);
    let answer = passkey.create(&begin(&other).assert_status(200).html);
    refused(answered(&browser, PAGE, KEYS, &answer), "was not added in time");
    server.advance(TimeDelta::minutes(6));
    refused(answered(&other, PAGE, KEYS, &answer), "was not added in time");
    for (change, says) in [
        ("origin", "could not be verified"),
        ("server", "could not be verified"),
        ("verifies", "must verify you"),
        ("algorithm", "not supported"),
    ] {
        let mut passkey = SoftPasskey::new(&origin(server));
        match change {
            "origin" => "https://evil.example".clone_into(&mut passkey.origin),
            // It could be no way in without a password.
            "verifies" => passkey.verifies = false,
            "server" => passkey.server = Some("evil.example".to_owned()),
            _ => passkey.algorithm = Some(-65536),
        }
        refused(add(&browser, &mut passkey), says);
    }
    assert_eq!(ada.get("/user").json()["two_factor_enabled"], false);
    let events = |kind: &str| server.database().count(&format!("SELECT count(*) FROM events WHERE kind = '{kind}'"));
    let _ = add(&browser, &mut passkey).assert_status(200);
    assert_eq!((events("passkey_added"), events("two_factor_enabled")), (1, 1));
    // The same one again, a second one, and no more than twenty.
    let again = add(&browser, &mut passkey).assert_status(422);
    assert!(again.html.contains("already registered"), "{}", again.html);
    for _ in 1..20 {
        assert_eq!(add(&browser, &mut SoftPasskey::ed25519(&origin(server))).location(), PAGE);
    }
    assert!(begin(&browser).assert_status(422).html.contains("at most 20 passkeys"));
    // The authenticator is told which ones there are.
    let _ = browser.get(PAGE).submit_last(
        &browser,
        &key(&browser.get(PAGE)),
        &[("_method", "delete"), ("user[password]", PASSWORD)],
    );
    let options: Value = serde_json::from_str(&begin(&browser).assert_status(200).html).unwrap();
    assert_eq!(options["excludeCredentials"].as_array().map(Vec::len), Some(19));
    let wanted = &options["authenticatorSelection"];
    assert_eq!((&wanted["residentKey"], &wanted["userVerification"]), (&json!("required"), &json!("required")));
}

/// The address of the first passkey of the page.
fn key(page: &Page) -> String {
    first(&page.html, &format!(r#"action="({KEYS}/[0-9]+)""#))
}

#[both_databases(named)]
fn passkeys_are_renamed_and_removed_by_their_users(server: &TestServer) {
    let (ada, mut passkey, _) = with_passkey(server, "ada");
    let (_bob, mut bobs, _) = with_passkey(server, "bob");
    let browser = Browser::of(server);
    assert_eq!(sign_in(&browser, &mut passkey).location(), "/");
    let page = browser.get(PAGE);
    let hostile = "\"><img src=x onerror=alert(1)>";
    assert_eq!(page.submit(&browser, &key(&page), &[("passkey_name", hostile)]).location(), PAGE);
    assert!(safe(&browser, PAGE).contains("Passkey renamed."));
    let _ = page.submit(&browser, &key(&page), &[("passkey_name", "")]).assert_status(422);
    // Those of others are missing.
    let stranger = Browser::of(server);
    assert_eq!(sign_in(&stranger, &mut bobs).location(), "/");
    let token = stranger.get("/profile/keys").token();
    for (method, field) in [("put", ("passkey_name", "x")), ("delete", ("user[password]", PASSWORD))] {
        let fields = [("authenticity_token", token.as_str()), ("_method", method), field];
        let _ = stranger.post(&key(&page), &fields).assert_status(404);
    }
    let remove = |password| page.submit_last(&browser, &key(&page), &[("user[password]", password)]);
    let _ = remove("wrong horse").assert_status(422);
    assert_eq!(ada.get("/user").json()["two_factor_enabled"], true);
    // Without passwords it is the only way in.
    server.set("password_authentication_enabled_for_web", &json!(false));
    for refused in [remove(PASSWORD), page.submit(&browser, PAGE, &[("user[password]", PASSWORD)])] {
        assert!(refused.html.contains("the only way to sign in"), "{}", refused.html);
        let _ = refused.assert_status(422);
    }
    server.set("password_authentication_enabled_for_web", &json!(true));
    assert_eq!(remove(PASSWORD).location(), PAGE);
    assert_eq!(ada.get("/user").json()["two_factor_enabled"], false);
    assert_eq!(server.database().count("SELECT count(*) FROM recovery_codes"), 10, "bob's");
    assert_eq!(Browser::of(server).sign_in("ada", PASSWORD).location(), "/", "the password is enough again");
    let _ = sign_in(&Browser::of(server), &mut passkey).assert_status(422);
    // Turning it off removes both, and an administrator lets in who has lost all.
    let mut second = SoftPasskey::new(&origin(server));
    let _ = add(&browser, &mut second).assert_status(200);
    let path = format!("/users/{}/disable_two_factor", ada.id);
    let _ = server.root().send("PATCH", &path, None, Vec::new()).assert_status(204);
    assert_eq!(Browser::of(server).sign_in("ada", PASSWORD).location(), "/");
}

#[both_databases]
fn a_server_without_a_name_offers_none(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::of(server);
    let page = browser.get("/users/sign_in").assert_status(200);
    assert!(!page.html.contains("passkey"), "{}", page.html);
    let _ = browser.post(&format!("{SIGN_IN}/challenge"), &[("authenticity_token", &page.token())]).assert_status(404);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    assert!(browser.get(PAGE).html.contains("Passkeys need a server"), "{}", browser.get(PAGE).html);
}

#[both_databases(named)]
fn sign_ins_that_were_begun_are_bounded_and_removed(server: &TestServer) {
    let mut limits = server.app().limits().clone();
    limits.sessions.challenges = 2;
    let small = TestServer::beside_named(server, limits);
    let browsers = [Browser::of(&small), Browser::of(&small), Browser::of(&small)];
    let ask = |browser: &Browser| asked(browser, "/users/sign_in", SIGN_IN, &[]).reply.status();
    assert_eq!(browsers.each_ref().map(ask), [200, 200, 429]);
    small.advance(TimeDelta::minutes(6));
    assert_eq!(ask(&browsers[2]), 200);
    assert_eq!(server.database().count("SELECT count(*) FROM sign_in_challenges"), 1);
}

#[both_databases(named)]
fn sign_ins_that_were_begun_are_counted_by_network(server: &TestServer) {
    let mut limits = server.app().limits().clone();
    limits.rates.challenges_per_address = 2;
    limits.rates.challenge_pause = std::time::Duration::from_mins(1);
    let small = TestServer::beside_named(server, limits);
    let _ada = member(server, "ada");
    let own = Browser::signed_in(&small, "ada", PASSWORD);
    let stranger = Browser::of(&small);
    let ask = || asked(&stranger, "/users/sign_in", SIGN_IN, &[]).reply.status();
    assert_eq!([ask(), ask(), ask()], [200, 200, 429], "one browser fills its own place only, and is counted");
    let _ = begin(&own).assert_status(200);
    small.advance(TimeDelta::minutes(1));
    assert_eq!([ask(), ask()], [200, 429]);
}
