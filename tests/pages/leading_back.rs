//! What users have to do first leads on to the page that they asked for.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Authenticator, TestServer, on_both};

use crate::browser::{Browser, Page, first};
use crate::{GIVEN, PASSWORD, expired, member};

const TWO_FACTOR: &str = "/profile/two_factor_auth";
const ASKED: &str = "/profile/keys?page=2";
const BACK: &str = "return_to=%2Fprofile%2Fkeys%3Fpage%3D2";

fn set(server: &TestServer, settings: Value) {
    let _ = server.root().put("/application/settings", settings).assert_status(200);
}

fn opener_policy(page: &Page) -> String {
    page.reply.header("cross-origin-opener-policy")
}

on_both! {
    fn a_new_password_leads_on(server) {
        let _ada = expired(server, "ada");
        let browser = Browser::of(server);
        let first = browser.get(ASKED).location();
        let sign_in = browser.get(&first);
        let next = sign_in.submit(&browser, "/users/sign_in", &[("user[login]", "ada"), ("user[password]", GIVEN)]).location();
        assert_eq!(next, ASKED);
        let first = browser.get(&next).location();
        assert_eq!(first, format!("/profile/password/new?{BACK}"));
        let change = |page: &Page, again| {
            let fields = [("user[current_password]", GIVEN), ("user[password]", PASSWORD), ("user[password_confirmation]", again)];
            page.submit(&browser, "/profile/password", &fields)
        };
        let wrong = change(&browser.get(&first), "another").assert_status(422);
        assert_eq!(change(&wrong, PASSWORD).location(), ASKED, "also after a mistake");
        let _ = browser.get(ASKED).assert_status(200);
        let token = browser.get("/").token();
        let fields = [
            ("authenticity_token", token.as_str()), ("_method", "put"), ("return_to", "//evil.example"), ("user[current_password]", PASSWORD),
            ("user[password]", GIVEN), ("user[password_confirmation]", GIVEN),
        ];
        assert_eq!(browser.post("/profile/password", &fields).location(), "/", "but never to another server");
    }

    fn terms_lead_on(server) {
        let _ada = member(server, "ada");
        let browser = Browser::signed_in(server, "ada", PASSWORD);
        set(server, json!({"enforce_terms": true, "terms": "Be kind."}));
        let first = browser.get(ASKED).location();
        assert_eq!(first, format!("/-/users/terms?{BACK}"));
        assert_eq!(browser.get(&first).submit(&browser, "/-/users/terms/accept", &[]).location(), ASKED);
        let _ = browser.get(ASKED).assert_status(200);
    }

    fn a_second_factor_leads_on(server) {
        let _ada = member(server, "ada");
        let browser = Browser::signed_in(server, "ada", PASSWORD);
        set(server, json!({"require_two_factor_authentication": true, "two_factor_grace_period": 24}));
        let announced = browser.get(ASKED).location();
        assert_eq!(announced, format!("{TWO_FACTOR}?{BACK}"));
        assert_eq!(browser.get(ASKED).location(), announced, "reading changes nothing");
        let page = browser.get(&announced);
        assert_eq!(page.submit(&browser, "/profile/two_factor_auth/skip", &[]).location(), ASKED);
        let _ = browser.get(ASKED).assert_status(200);
        assert!(browser.get(&announced).html.contains(r#"<a href="/profile/keys?page=2">Not now: go on</a>"#));
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
        assert!(on.html.contains(r#"<a href="/profile/keys?page=2">Go on</a>"#), "{}", on.html);
        let _ = browser.get(ASKED).assert_status(200);
    }

    fn signing_up_leads_on(server) {
        let browser = Browser::of(server);
        let sign_in = browser.get(&format!("/users/sign_in?{BACK}"));
        let link = sign_in.links().into_iter().find(|link| link.starts_with("/users/sign_up")).unwrap();
        let fields =
            [("user[name]", "Grace"), ("user[username]", "grace"), ("user[email]", "grace@example.org"), ("user[password]", PASSWORD)];
        assert_eq!(browser.get(&link).submit(&browser, "/users", &fields).location(), ASKED);
    }

    fn a_window_that_an_application_has_opened_is_not_cut_off_from_it(server) {
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
        for path in ["/", "/profile/keys", "/users/sign_in?return_to=%2Fprofile", "/profile/keys?return_to=%2Foauth%2Fauthorize", "/none"] {
            let page = browser.get(path);
            assert_eq!(opener_policy(&page), "same-origin", "{path}");
            assert!(page.reply.header("content-security-policy").ends_with("form-action 'self'"), "{path}");
        }
    }
}
