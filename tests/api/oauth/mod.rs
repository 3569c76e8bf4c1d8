//! Applications that act for users: OAuth 2.0 and `OpenID` Connect.

mod application;
mod bearer;
mod code;
mod loopback;
mod parameters;
mod password;
mod refresh;
mod report;
mod strangers;

use serde_json::{Value, json};
use tenon_app::identity::Identity;
use tenon_app::oauth::{self, AuthorizationRequest};
use tenon_domain::id::UserId;
use tenon_testkit::{Client, Reply, TestServer, User};

use crate::support::*;

/// The address to which the application of these tests is redirected.
const CALLBACK: &str = "https://app.example/callback";
/// A verifier, and the challenge that belongs to it.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// A registered application.
pub(crate) struct Application {
    id: i64,
    uid: String,
    secret: String,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("a text: {value}")).to_owned()
}

/// Registers an application.
pub(crate) fn register(server: &TestServer, scopes: &str, confidential: bool) -> Application {
    let body = json!({"name": "App", "redirect_uri": CALLBACK, "scopes": scopes, "confidential": confidential});
    let made = made(&server.root(), "/applications", body);
    Application { id: id(&made), uid: text(&made["application_id"]), secret: text(&made["secret"]) }
}

impl Application {
    /// A form with the id, and with the secret if it is to be proved.
    fn form<'a>(&'a self, proved: bool, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let mut form = vec![("client_id", self.uid.as_str())];
        if proved {
            form.push(("client_secret", self.secret.as_str()));
        }
        form.extend(more);
        form
    }

    /// The request of a user's browser, bound to [`CHALLENGE`].
    fn request(&self) -> AuthorizationRequest {
        AuthorizationRequest {
            client_id: Some(self.uid.clone()),
            redirect_uri: Some(CALLBACK.to_owned()),
            response_type: Some("code".to_owned()),
            code_challenge: Some(CHALLENGE.to_owned()),
            code_challenge_method: Some("S256".to_owned()),
            ..AuthorizationRequest::default()
        }
    }

    /// The answer to the exchange of a code, sent with all that belongs to it.
    fn exchange(&self, server: &TestServer, code: &str) -> Reply {
        let more = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", CALLBACK),
            ("code_verifier", VERIFIER),
        ];
        post(server, "token", &self.form(true, &more))
    }

    /// Tokens of a user.
    pub(crate) fn tokens(&self, server: &TestServer, user: &User, scope: &str) -> Tokens {
        let request = AuthorizationRequest { scope: Some(scope.to_owned()), ..self.request() };
        let code = granted_code(server, user, &request);
        Tokens::of(&self.exchange(server, &code))
    }

    /// The reply to a refresh token.
    fn refresh(&self, server: &TestServer, token: &str) -> Reply {
        post(server, "token", &self.form(true, &[("grant_type", "refresh_token"), ("refresh_token", token)]))
    }
}

/// A code that a user has granted.
fn granted_code(server: &TestServer, user: &User, request: &AuthorizationRequest) -> String {
    let identity = Identity::user(UserId::new(user.id));
    let granted = server.app().write_now(&identity, |command| oauth::authorize(command, request));
    let address = granted.expect("a use case").expect("a grant");
    let (_, rest) = address.split_once("code=").expect("a code");
    decoded(rest.split('&').next().unwrap_or_default())
}

/// An access and a refresh token.
pub(crate) struct Tokens {
    pub(crate) access: String,
    refresh: String,
}

impl Tokens {
    fn of(reply: &Reply) -> Self {
        assert_eq!(reply.status(), 200, "{}", reply.text());
        let body = reply.json();
        Self { access: text(&body["access_token"]), refresh: text(&body["refresh_token"]) }
    }
}

/// A caller with an access token.
pub(crate) fn bearer(server: &TestServer, access: &str) -> Client {
    server.anonymous().header("Authorization", &format!("Bearer {access}"))
}

/// The status of a request to the API with this access token.
fn status(server: &TestServer, access: &str) -> u16 {
    bearer(server, access).get("/user").status()
}

/// A form to an endpoint below `/oauth`.
fn post(server: &TestServer, endpoint: &str, form: &[(&str, &str)]) -> Reply {
    post_as(&server.anonymous(), endpoint, form)
}

fn post_as(client: &Client, endpoint: &str, form: &[(&str, &str)]) -> Reply {
    let pairs: Vec<String> = form.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    client.form("POST", &format!("//oauth/{endpoint}"), &pairs.join("&"))
}

fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn decoded(text: &str) -> String {
    text.replace("%2D", "-").replace("%5F", "_").replace("%2E", ".")
}

/// Fails the test if the refusal is another one.
#[track_caller]
fn assert_refused(reply: &Reply, status: u16, error: &str) {
    assert_eq!((reply.status(), &reply.json()["error"]), (status, &json!(error)), "{}", reply.text());
    assert!(reply.json()["error_description"].is_string());
    assert_eq!((reply.header("cache-control"), reply.header("pragma")), ("no-store".to_owned(), "no-cache".to_owned()));
}
