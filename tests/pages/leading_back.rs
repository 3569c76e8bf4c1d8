//! Steps that users have to do first lead on to the page that they asked for.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Authenticator, TestServer, both_databases};

use crate::browser::{Browser, Page, first};
use crate::project::project;
use crate::{GIVEN, PASSWORD, expired, member};

const TWO_FACTOR: &str = "/profile/two_factor_auth";
const ASKED: &str = "/profile/keys?page=2";
const BACK: &str = "return_to=%2Fprofile%2Fkeys%3Fpage%3D2";

fn set(server: &TestServer, settings: Value) {
    let _ = server.root().put("/application/settings", settings).assert_status(200);
}

fn stranger_again(server: &TestServer) -> Browser {
    Browser::of(server)
}

fn opener_policy(page: &Page) -> String {
    page.reply.header("cross-origin-opener-policy")
}

#[both_databases]
fn a_new_password_leads_on(server: &TestServer) {
    let _ada = expired(server, "ada");
    let browser = Browser::of(server);
    let first = browser.get(ASKED).location();
    let sign_in = browser.get(&first);
    let next =
        sign_in.submit(&browser, "/users/sign_in", &[("user[login]", "ada"), ("user[password]", GIVEN)]).location();
    assert_eq!(next, ASKED);
    let first = browser.get(&next).location();
    assert_eq!(first, format!("/profile/password/new?{BACK}"));
    let change = |page: &Page, again| {
        let fields =
            [("user[current_password]", GIVEN), ("user[password]", PASSWORD), ("user[password_confirmation]", again)];
        page.submit(&browser, "/profile/password", &fields)
    };
    let wrong = change(&browser.get(&first), "another").assert_status(422);
    assert_eq!(change(&wrong, PASSWORD).location(), ASKED, "also after a mistake");
    let _ = browser.get(ASKED).assert_status(200);
    let token = browser.get("/").token();
    let fields = [
        ("authenticity_token", token.as_str()),
        ("_method", "put"),
        ("return_to", "//evil.example"),
        ("user[current_password]", PASSWORD),
        ("user[password]", GIVEN),
        ("user[password_confirmation]", GIVEN),
    ];
    assert_eq!(browser.post("/profile/password", &fields).location(), "/", "but never to another server");
}

#[both_databases]
fn a_link_to_something_private_leads_to_sign_in_and_back(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = member(server, "bob");
    let _ = project(&ada, "hidden", "private");
    let _ = project(&ada, "open", "public");
    let stranger = Browser::of(server);
    let seen = |browser: &Browser, path: &str| {
        let page = browser.get(path);
        assert_eq!(page.reply.status(), 404, "{path}");
        page.reply.text()
    };
    // The same bytes for hidden and missing pages, except for the address in the two links.
    let encoded = |path: &str| {
        path.bytes()
            .map(
                |byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") },
            )
            .collect::<String>()
    };
    let plain = |path: &str| {
        let html = seen(&stranger, path);
        let link = format!("href=\"/users/sign_in?return_to={}\"", encoded(path));
        assert_eq!(html.matches(&link).count(), 2, "{path}: the header and the page: {html}");
        html.replace(&link, "")
    };
    let missing = plain("/ada/nothing/issues?state=all&x=%C3%A4");
    for path in [
        "/ada/hidden",
        "/ada/hidden/issues?state=all",
        "/ada/hidden/blob/main/a%20b.rs",
        "/groups/none",
        "/none",
        "/ada/hidden/raw/main/a.png",
        "/ada/hidden.atom",
    ] {
        assert_eq!(plain(path), missing, "{path}");
    }
    // A form that was sent is not sent again.
    let token = stranger.get("/users/sign_in").token();
    let sent = stranger.post("/ada/hidden/issues", &[("authenticity_token", &token)]);
    assert!(!sent.reply.text().contains("return_to"), "{}", sent.reply.text());
    // There and back.
    let html = seen(&stranger, "/ada/hidden/issues?state=all");
    let sign_in = stranger.get(&first(&html, "class=\"button main\" rel=\"nofollow\" href=\"([^\"]*)\""));
    let fields = [("user[login]", "ada"), ("user[password]", PASSWORD)];
    assert_eq!(sign_in.submit(&stranger, "/users/sign_in", &fields).location(), "/ada/hidden/issues?state=all");
    // The header of other pages leads back as well, and that of the page to sign in does not lead to itself.
    let reader = Browser::of(server);
    assert!(
        reader
            .get("/ada/open?x=1")
            .assert_status(200)
            .html
            .contains("href=\"/users/sign_in?return_to=%2Fada%2Fopen%3Fx%3D1\">Sign in</a>")
    );
    let page = reader.get("/users/sign_in?return_to=%2Fada%2Fopen").assert_status(200).html;
    assert!(!page.contains("return_to=%2Fusers") && page.contains("/users/sign_in?return_to=%2Fada%2Fopen"), "{page}");
    // A signed-in user is not asked to sign in, and has the header of all pages. A user whose session has ended is a
    // stranger.
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    for path in ["/ada/hidden", "/ada/nothing", "/none", "/groups/none/-/issues"] {
        let html = seen(&bob, path);
        assert!(
            !html.contains("Sign in") && html.contains(">bob</bdi>") && html.contains("Sign out"),
            "{path}: {html}"
        );
    }
    let former = Browser::of(server);
    former.set_cookie("_service_session", "ended");
    assert_eq!(
        seen(&former, "/ada/hidden").replace("%2Fada%2Fhidden", ""),
        seen(&stranger_again(server), "/ada/hidden").replace("%2Fada%2Fhidden", "")
    );
}

#[both_databases]
fn terms_lead_on(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    set(server, json!({"enforce_terms": true, "terms": "Be kind."}));
    let first = browser.get(ASKED).location();
    assert_eq!(first, format!("/-/users/terms?{BACK}"));
    assert_eq!(browser.get(&first).submit(&browser, "/-/users/terms/accept", &[]).location(), ASKED);
    let _ = browser.get(ASKED).assert_status(200);
}

#[both_databases]
fn a_second_factor_leads_on(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    set(server, json!({"require_two_factor_authentication": true, "two_factor_grace_period": 24}));
    let announced = browser.get(ASKED).location();
    assert_eq!(announced, format!("{TWO_FACTOR}?{BACK}"));
    assert_eq!(browser.get(ASKED).location(), announced, "reading changes nothing");
    let page = browser.get(&announced);
    assert_eq!(page.submit(&browser, "/profile/two_factor_auth/skip", &[]).location(), ASKED);
    let _ = browser.get(ASKED).assert_status(200);
    assert!(browser.get(&announced).html.contains(r#"<a href="/profile/keys?page=2">Skip for now</a>"#));
    server.advance(TimeDelta::hours(25));
    assert_eq!(browser.get(ASKED).location(), announced);
    let page = browser.get(&announced).assert_status(200);
    assert!(!page.html.contains("go on</a>"), "{}", page.html);
    let begun = page.submit(&browser, "/profile/two_factor_auth/secret", &[]).location();
    assert_eq!(begun, announced);
    let page = browser.get(&begun).assert_status(200);
    let secret = first(&page.html, r#"id="two-factor-secret">([A-Z2-7]+)<"#);
    let code = Authenticator::with_secret(&secret).code(server);
    let on = page.submit(&browser, TWO_FACTOR, &[("pin_code", &code), ("user[password]", PASSWORD)]).assert_status(200);
    assert!(on.html.contains(r#"<a href="/profile/keys?page=2">Continue</a>"#), "{}", on.html);
    let _ = browser.get(ASKED).assert_status(200);
}

#[both_databases]
fn signing_up_leads_on(server: &TestServer) {
    let browser = Browser::of(server);
    let sign_in = browser.get(&format!("/users/sign_in?{BACK}"));
    let link = sign_in.links().into_iter().find(|link| link.starts_with("/users/sign_up")).unwrap();
    let fields = [
        ("user[name]", "Grace"),
        ("user[username]", "grace"),
        ("user[email]", "grace@example.org"),
        ("user[password]", PASSWORD),
    ];
    assert_eq!(browser.get(&link).submit(&browser, "/users", &fields).location(), ASKED);
}

#[both_databases]
fn a_window_that_an_application_has_opened_is_not_cut_off_from_it(server: &TestServer) {
    let _ada = member(server, "ada");
    let new = json!({"name": "App", "redirect_uri": "https://app.example/cb", "scopes": "api"});
    let application = server.root().post("/applications", new).assert_status(201).json();
    let asked = format!(
        "/oauth/authorize?client_id={}&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&response_type=code",
        application["application_id"].as_str().unwrap()
    );
    let browser = Browser::of(server);
    let leading = browser.get(&asked);
    assert_eq!(opener_policy(&leading), "unsafe-none", "browsers obey it in redirections");
    let sign_in = browser.get(&leading.location()).assert_status(200);
    assert_eq!(opener_policy(&sign_in), "unsafe-none");
    let next = sign_in.submit(&browser, "/users/sign_in", &[("user[login]", "ada"), ("user[password]", PASSWORD)]);
    assert_eq!(opener_policy(&next), "unsafe-none");
    let consent = browser.get(&next.location()).assert_status(200);
    assert_eq!(opener_policy(&consent), "unsafe-none");
    assert_eq!(opener_policy(&consent.submit(&browser, "/oauth/authorize", &[])), "unsafe-none");
    for path in [
        "/",
        "/profile/keys",
        "/users/sign_in?return_to=%2Fprofile",
        "/profile/keys?return_to=%2Foauth%2Fauthorize",
        "/none",
    ] {
        let page = browser.get(path);
        assert_eq!(opener_policy(&page), "same-origin", "{path}");
        assert!(page.reply.header("content-security-policy").ends_with("form-action 'self'"), "{path}");
    }
}
