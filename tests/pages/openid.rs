//! Signing in with an account at a provider.

use std::collections::HashMap;

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{OpenIdKey, OpenIdProvider, TestServer, both_databases};

use crate::browser::{Browser, Page, first, plain, safe};
use crate::{PASSWORD, member};

const LINKED: &str = "/profile/identities";

/// A browser that was sent to a provider.
struct Journey<'s> {
    server: &'s TestServer,
    provider: &'s OpenIdProvider,
    name: &'static str,
    /// The parameters with which the browser was sent there.
    asked: HashMap<String, String>,
}

fn provider<'s>(server: &'s TestServer, name: &str) -> &'s OpenIdProvider {
    &server.providers()[usize::from(name == "other")]
}

fn journey<'s>(server: &'s TestServer, name: &'static str, page: &Page) -> Journey<'s> {
    let provider = provider(server, name);
    let address = plain(&first(&page.html, r#"<meta http-equiv="refresh" content="0;url=([^"]+)">"#));
    assert!(address.starts_with(&format!("{}/authorize?tenant=1&response_type=code&", provider.issuer)), "{address}");
    let url = url::Url::parse(&address).unwrap();
    Journey { server, provider, name, asked: url.query_pairs().into_owned().collect() }
}

/// Leaves the page to sign in for a provider.
fn leave<'s>(server: &'s TestServer, browser: &Browser, name: &'static str) -> Journey<'s> {
    let page = browser.get("/users/sign_in?return_to=%2Fprofile%2Fkeys").assert_status(200);
    let path = format!("/users/auth/{name}");
    journey(server, name, &page.submit(browser, &path, &[]).assert_status(200))
}

impl Journey<'_> {
    fn claims(&self, subject: &str) -> Value {
        let now = self.server.now().timestamp();
        json!({
            "iss": self.provider.issuer, "aud": self.asked["client_id"], "sub": subject, "nonce": self.asked["nonce"],
            "iat": now, "exp": now + 300, "email": format!("{subject}@corp.example"), "email_verified": true,
            "preferred_username": subject, "name": "A Name",
        })
    }

    /// The provider has this key, and gives out a token with these claims.
    fn give(&self, claims: &Value) {
        let key = OpenIdKey::es256(&self.asked["state"]);
        self.provider.answer("/keys", 200, &OpenIdProvider::key_set(&[&key]));
        self.provider.give(&key.token(claims));
    }

    /// The browser comes back.
    fn come_back(&self, browser: &Browser) -> Page {
        self.come_back_with(browser, &format!("code=c%26d&state={}", self.asked["state"]))
    }

    fn come_back_with(&self, browser: &Browser, query: &str) -> Page {
        // Keys are asked for again after a while only.
        self.server.advance(TimeDelta::seconds(11));
        browser.get(&format!("/users/auth/{}/callback?{query}", self.name))
    }
}

/// Signs in as this user of a provider.
fn arrive(server: &TestServer, browser: &Browser, name: &'static str, subject: &str) -> Page {
    let journey = leave(server, browser, name);
    journey.give(&journey.claims(subject));
    journey.come_back(browser)
}

fn refused(page: Page, says: &str) {
    assert!(plain(&page.html).contains(says), "{says}: {}", page.html);
    let _ = page.assert_status(422);
}

/// Links an account at a provider to that of the browser's user.
fn link(server: &TestServer, browser: &Browser, name: &'static str, subject: &str) -> Page {
    let page = browser.get(LINKED).assert_status(200);
    let fields =
        [("authenticity_token", page.token()), ("provider", name.to_owned()), ("user[password]", PASSWORD.to_owned())];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    let journey = journey(server, name, &browser.post(LINKED, &fields).assert_status(200));
    journey.give(&journey.claims(subject));
    journey.come_back(browser)
}

#[both_databases(openid)]
fn a_new_user_gets_an_account_and_comes_back(server: &TestServer) {
    let browser = Browser::of(server);
    let page = browser.get("/users/sign_in").assert_status(200);
    assert!(page.html.contains("Sign in with corp &#38; sons"), "{}", page.html);
    let journey = leave(server, &browser, "corp");
    let asked = |name: &str| journey.asked[name].as_str();
    assert_eq!((asked("scope"), asked("code_challenge_method")), ("openid email", "S256"));
    assert_eq!(asked("redirect_uri"), format!("{}/users/auth/corp/callback", server.base()));
    journey.give(&journey.claims("ada"));
    let _ = journey.provider.received();
    assert_eq!(journey.come_back(&browser).location(), "/profile/keys");
    let received = journey.provider.received();
    let token = received.iter().find(|line| line.starts_with("POST /token")).unwrap();
    // The name and the secret of this server, both encoded like fields of a form.
    assert!(token.contains("Basic dGVub24rYXQrY29ycDpzZWNyZXQlM0FvZit1cw=="), "{token}");
    let verifier = first(token, "code_verifier=([^&]+)$");
    assert_eq!(OpenIdProvider::challenge_of(&verifier), asked("code_challenge"));
    assert!(token.contains("code=c%26d") && !token.contains("client_secret"), "{token}");
    let home = browser.get("/").assert_status(200);
    assert!(home.html.contains("@ada"), "{}", home.html);
    let found = server.root().get("/users?username=ada").json();
    assert_eq!(found[0]["identities"], json!([{"provider": "corp", "extern_uid": "ada"}]));
    // The next time it is the same account, whatever else has changed; the code is good once.
    let again = journey.come_back(&Browser::of(server));
    refused(again, "started in another browser");
    let other = Browser::of(server);
    let journey = leave(server, &other, "corp");
    let mut claims = journey.claims("ada");
    (claims["email"], claims["email_verified"], claims["preferred_username"]) =
        (json!("new@corp.example"), json!(false), json!("x"));
    journey.give(&claims);
    assert_eq!(journey.come_back(&other).location(), "/profile/keys");
    assert!(other.get("/").html.contains("@ada"));
    refused(journey.come_back(&other), "Linked accounts");
    // A taken name gets a number. There is no password, so that the account is the only way in.
    let ada = member(server, "bob");
    let third = Browser::of(server);
    assert_eq!(arrive(server, &third, "corp", "BOB").location(), "/profile/keys");
    assert!(third.get("/").html.contains("@BOB1"), "{}", ada.id);
}

#[both_databases(openid)]
fn an_address_alone_links_nothing(server: &TestServer) {
    let ada = member(server, "ada");
    let email = ada.get("/user").json()["email"].as_str().unwrap().to_owned();
    let browser = Browser::of(server);
    let journey = leave(server, &browser, "corp");
    let mut claims = journey.claims("stranger");
    claims["email"] = json!(email.to_uppercase());
    journey.give(&claims);
    refused(journey.come_back(&browser), "already exists");
    for unverified in [json!(false), json!(null)] {
        let journey = leave(server, &browser, "corp");
        let mut claims = journey.claims("stranger");
        claims["email_verified"] = unverified;
        journey.give(&claims);
        refused(journey.come_back(&browser), "has not verified your email address");
    }
    refused(arrive(server, &browser, "other", "ada"), "No account is linked");
    server.set("domain_whitelist", &json!(["example.org"]));
    refused(arrive(server, &browser, "corp", "carol"), "could not be created");
    assert_eq!(server.database().count("SELECT count(*) FROM identities"), 0);
    // She signs in and adds it.
    let own = Browser::signed_in(server, "ada", PASSWORD);
    assert_eq!(link(server, &own, "other", "ada").location(), LINKED);
    assert!(safe(&own, LINKED).contains("Account linked."));
    assert_eq!(arrive(server, &browser, "other", "ada").location(), "/profile/keys");
    // Identifiers are not names: their case matters.
    refused(arrive(server, &Browser::of(server), "other", "ADA"), "No account is linked");
}

#[both_databases(openid)]
fn what_is_wrong_with_an_answer_is_refused(server: &TestServer) {
    let other = provider(server, "other").issuer.clone();
    let now = server.now().timestamp();
    for (claim, value, says) in [
        ("iss", json!(other), "was refused"),
        ("aud", json!("someone else"), "was refused"),
        ("azp", json!("someone else"), "was refused"),
        ("nonce", json!("another"), "was refused"),
        ("nonce", json!(null), "was refused"),
        ("exp", json!(now - 100), "clock differs"),
        ("iat", json!(now + 3600), "clock differs"),
        ("sub", json!(""), "was refused"),
    ] {
        let browser = Browser::of(server);
        let journey = leave(server, &browser, "corp");
        let mut claims = journey.claims("ada");
        claims[claim] = value;
        journey.give(&claims);
        refused(journey.come_back(&browser), says);
    }
    let browser = Browser::of(server);
    let journey = leave(server, &browser, "corp");
    journey.provider.give(&OpenIdKey::unsigned(&journey.claims("ada")));
    refused(journey.come_back(&browser), "was refused");
    let journey = leave(server, &browser, "corp");
    journey.give(&journey.claims("ada"));
    journey.provider.give(&OpenIdKey::es256("unknown").token(&journey.claims("ada")));
    refused(journey.come_back(&browser), "was refused");
    // Another state, none, an error of the provider, a late answer, and one of another browser.
    for (query, says) in [
        ("code=c&state=wrong", "has expired"),
        ("code=c", "has expired"),
        ("error=access_denied&state=STATE", "was cancelled"),
        ("state=STATE", "was cancelled"),
        ("code=c&state=STATE&iss=https%3A%2F%2Fevil.example", "has expired"),
    ] {
        let journey = leave(server, &browser, "corp");
        journey.give(&journey.claims("ada"));
        let query = query.replace("STATE", &journey.asked["state"]);
        refused(journey.come_back_with(&browser, &query), says);
        // The journey is over.
        refused(journey.come_back(&browser), "has expired");
    }
    let journey = leave(server, &browser, "corp");
    journey.give(&journey.claims("ada"));
    refused(journey.come_back(&Browser::of(server)), "has expired");
    server.advance(TimeDelta::minutes(11));
    refused(journey.come_back(&browser), "has expired");
    // A mix-up: the browser was sent to one provider, and comes back from another.
    let journey = leave(server, &browser, "corp");
    journey.give(&journey.claims("ada"));
    let mixed = browser.get(&format!("/users/auth/other/callback?code=c&state={}", journey.asked["state"]));
    refused(mixed, "has expired");
    assert_eq!(server.database().count("SELECT count(*) FROM identities"), 0);
    let _ = browser.get("/users/auth/nothing/callback?code=c&state=x").assert_status(404);
}

#[both_databases(openid)]
fn a_provider_that_does_not_answer_is_no_failure_of_this_server(server: &TestServer) {
    let browser = Browser::of(server);
    let corp = provider(server, "corp");
    let begin = || {
        let page = browser.get("/users/sign_in").submit(&browser, "/users/auth/corp", &[]);
        server.advance(TimeDelta::seconds(11));
        page
    };
    let discovery = "/.well-known/openid-configuration";
    for (status, body) in [(500, ""), (302, ""), (200, "no JSON"), (200, &"x".repeat(300_000))] {
        corp.answer(discovery, status, body);
        refused(begin(), "does not answer");
    }
    for fields in
        [json!({"issuer": "https://evil.example"}), json!({"token_endpoint": "ftp://x"}), json!({"jwks_uri": null})]
    {
        corp.describe(&fields);
        refused(begin(), "does not answer");
    }
    // It is not asked again at once.
    let _ = corp.received();
    corp.answer(discovery, 500, "");
    let page = browser.get("/users/sign_in");
    for _ in 0..5 {
        refused(page.submit(&browser, "/users/auth/corp", &[]), "does not answer");
    }
    assert_eq!(corp.received().len(), 1);
    server.advance(TimeDelta::seconds(11));
    // Neither are its keys.
    corp.answer("/keys", 500, "");
    let come_back = || {
        let browser = Browser::of(server);
        let journey = leave(server, &browser, "corp");
        journey.provider.give(&OpenIdKey::es256(&journey.asked["state"]).token(&journey.claims("ada")));
        let state = journey.asked["state"].clone();
        refused(browser.get(&format!("/users/auth/corp/callback?code=c&state={state}")), "does not answer");
    };
    corp.describe(&json!({}));
    let keys = || corp.received().iter().filter(|line| line.starts_with("GET /keys")).count();
    let _ = keys();
    for _ in 0..3 {
        come_back();
    }
    assert_eq!(keys(), 1);
    server.advance(TimeDelta::seconds(11));
    come_back();
    assert_eq!(keys(), 1);
    server.advance(TimeDelta::seconds(3601));
    // The addresses that it names elsewhere are not called inside the own network.
    let inner = &provider(server, "other").issuer;
    corp.describe(
        &json!({"token_endpoint": format!("{inner}/token"), "authorization_response_iss_parameter_supported": true}),
    );
    let journey = leave(server, &browser, "corp");
    journey.give(&journey.claims("ada"));
    refused(journey.come_back(&browser), "was refused");
    let journey = leave(server, &browser, "corp");
    let _ = provider(server, "other").received();
    let issuer: String = journey.provider.issuer.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let named = format!("code=c&state={}&iss={issuer}", journey.asked["state"]);
    refused(journey.come_back_with(&browser, &named), "does not answer");
    assert!(provider(server, "other").received().is_empty());
}

#[both_databases(openid)]
fn accounts_are_added_and_removed_by_their_users(server: &TestServer) {
    let _ada = member(server, "ada");
    let _bob = member(server, "bob");
    let (ada, bob) = (Browser::signed_in(server, "ada", PASSWORD), Browser::signed_in(server, "bob", PASSWORD));
    let send = |browser: &Browser, method: &str, password: &str| {
        let token = browser.get(LINKED).token();
        let fields = [
            ("authenticity_token", token.as_str()),
            ("_method", method),
            ("provider", "corp"),
            ("user[password]", password),
        ];
        browser.post(LINKED, &fields)
    };
    refused(send(&ada, "post", "wrong horse"), "Password is invalid");
    let _ = send(&ada, "delete", PASSWORD).assert_status(404);
    assert_eq!(link(server, &ada, "corp", "ada-at-corp").location(), LINKED);
    refused(link(server, &bob, "corp", "ada-at-corp"), "already linked to another user");
    // A link that one user has begun, another one does not end, not even in the same browser.
    let page = ada.get(LINKED);
    let begun = {
        let fields = [
            ("authenticity_token", page.token()),
            ("provider", "other".to_owned()),
            ("user[password]", PASSWORD.to_owned()),
        ];
        let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
        journey(server, "other", &ada.post(LINKED, &fields).assert_status(200))
    };
    begun.give(&begun.claims("evil"));
    refused(begun.come_back(&bob), "has expired");
    let _ = ada.get("/").submit(&ada, "/users/sign_out", &[]);
    assert_eq!(ada.sign_in("bob", PASSWORD).location(), "/");
    refused(begun.come_back(&ada), "has expired");
    assert_eq!(server.database().count("SELECT count(*) FROM identities WHERE extern_uid = 'evil'"), 0);
    let _ = ada.get("/").submit(&ada, "/users/sign_out", &[]);
    assert_eq!(ada.sign_in("ada", PASSWORD).location(), "/");
    assert_eq!(server.database().count("SELECT count(*) FROM events WHERE kind = 'identity_linked'"), 1);
    refused(send(&ada, "delete", "wrong horse"), "Password is invalid");
    assert_eq!(send(&ada, "delete", PASSWORD).location(), LINKED);
    assert_eq!(server.database().count("SELECT count(*) FROM identities"), 0);

    // A user without a password: the account is the only way in, and signing in just now confirms.
    let browser = Browser::of(server);
    assert_eq!(arrive(server, &browser, "corp", "carol").location(), "/profile/keys");
    assert!(!browser.get(LINKED).html.contains("Current password"));
    refused(send(&browser, "delete", ""), "the only way to sign in");
    // Another account is a way in as long as its provider is the one at which it was linked.
    assert_eq!(link(server, &browser, "other", "carol").location(), LINKED);
    server.database().execute("UPDATE identities SET issuer = 'https://before.example' WHERE provider = 'other'");
    assert!(browser.get(LINKED).html.contains("not available for sign-in"));
    refused(send(&browser, "delete", ""), "the only way to sign in");
    server.advance(TimeDelta::minutes(16));
    let token = browser.get(LINKED).token();
    let fields = [("authenticity_token", token.as_str()), ("_method", "delete"), ("provider", "corp")];
    refused(browser.post(LINKED, &fields), "Sign in again");
    let _ = browser.get("/").submit(&browser, "/users/sign_out", &[]);
    assert_eq!(arrive(server, &browser, "corp", "carol").location(), "/profile/keys");
    let form = browser.get("/profile/password/edit");
    assert!(!form.html.contains("user_current_password"), "{}", form.html);
    let fields = [("user[password]", PASSWORD), ("user[password_confirmation]", PASSWORD)];
    assert_eq!(form.submit(&browser, "/profile/password", &fields).location(), "/");
    assert_eq!(send(&browser, "delete", PASSWORD).location(), LINKED);
    assert_eq!(Browser::of(server).sign_in("carol", PASSWORD).location(), "/");
}

#[both_databases(openid)]
fn names_that_no_user_may_have_get_a_number(server: &TestServer) {
    for (subject, name) in [("admin", "@admin1"), ("tool.git", "@tool-git"), ("news.atom", "@news-atom")] {
        let browser = Browser::of(server);
        assert_eq!(arrive(server, &browser, "corp", subject).location(), "/profile/keys", "{subject}");
        assert!(browser.get("/").html.contains(name), "{name}");
    }
}

#[both_databases(openid)]
fn new_users_of_a_provider_are_counted_as_those_who_sign_up(server: &TestServer) {
    let names: Vec<String> = (0..11).map(|number| format!("user-{number}")).collect();
    let status = |name: &String| arrive(server, &Browser::of(server), "corp", name).reply.status();
    let all: Vec<u16> = names.iter().map(status).collect();
    assert_eq!((&all[..10], all[10]), (&[302; 10][..], 429), "a new one each six minutes after ten");
    assert_eq!(status(&names[0]), 302, "who has an account");
    server.advance(TimeDelta::minutes(6));
    assert_eq!(status(&names[10]), 302);
}

#[both_databases(openid)]
fn the_rules_for_signing_in_hold(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    assert_eq!(link(server, &browser, "corp", "ada").location(), LINKED);
    let root = |what: &str| server.root().post(&format!("/users/{}/{what}", ada.id), json!({})).assert_status(201);
    for (out, says) in [("block", "has been blocked"), ("ban", "has been banned")] {
        let _ = root(out);
        refused(arrive(server, &Browser::of(server), "corp", "ada"), says);
        let _ = root(&format!("un{out}"));
    }
    let authenticator = server.second_factor(&ada);
    server.advance(TimeDelta::minutes(1));
    let browser = Browser::of(server);
    assert_eq!(arrive(server, &browser, "corp", "ada").location(), "/users/sign_in?return_to=%2Fprofile%2Fkeys");
    let form = browser.get("/users/sign_in?return_to=%2Fprofile%2Fkeys");
    let code = authenticator.code(server);
    assert_eq!(form.submit(&browser, "/users/sign_in", &[("user[otp_attempt]", &code)]).location(), "/profile/keys");
    // New users wait for approval if the settings say so.
    server.set("require_admin_approval_after_user_signup", &json!(true));
    refused(arrive(server, &Browser::of(server), "corp", "dora"), "pending approval");
    refused(arrive(server, &Browser::of(server), "corp", "dora"), "pending approval");
    assert_eq!(server.database().count("SELECT count(*) FROM users WHERE username = 'dora'"), 1);
    // A provider that the settings forbid is not offered, and lets nobody in.
    let late = Browser::of(server);
    let journey = leave(server, &late, "corp");
    journey.give(&journey.claims("ada"));
    server.set("disabled_oauth_sign_in_sources", &json!(["corp"]));
    server.app().refresh_settings().unwrap();
    let page = late.get("/users/sign_in");
    assert!(!page.html.contains("corp") && page.html.contains("other"), "{}", page.html);
    let _ = journey.come_back(&late).assert_status(404);
    let _ = late.post("/users/auth/corp", &[("authenticity_token", &page.token())]).assert_status(404);
}

#[both_databases(openid)]
fn an_account_that_an_administrator_has_named_is_that_of_its_user(server: &TestServer) {
    let ada = member(server, "ada");
    let named = json!({"provider": "other", "extern_uid": "ada-1"});
    let _ = server.root().put(&format!("/users/{}", ada.id), named).assert_status(200);
    assert_eq!(arrive(server, &Browser::of(server), "other", "ada-1").location(), "/profile/keys");
    // From then on it belongs to that provider, even if another one gets its name.
    assert_eq!(server.database().count("SELECT count(*) FROM identities WHERE issuer IS NOT NULL"), 1);
    server.database().execute("UPDATE identities SET issuer = 'https://before.example'");
    refused(arrive(server, &Browser::of(server), "other", "ada-1"), "No account is linked");
}
