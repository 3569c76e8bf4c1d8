//! A request that proves an application or a user has places that strangers cannot take.

use serde_json::json;
use tenon_app::oauth::ApplicationFields;
use tenon_domain::oauth::ClientKind;
use tenon_testkit::{Strangers, TestServer, both_databases};

use super::*;

/// An application that a user has registered.
fn registered_by(server: &TestServer, user: &User) -> Application {
    let fields = ApplicationFields {
        name: "Own".to_owned(),
        redirect_uri: CALLBACK.to_owned(),
        scopes: "api".to_owned(),
        kind: ClientKind::Confidential,
    };
    let identity = Identity::user(UserId::new(user.id));
    let made = server.app().write_now(&identity, |command| oauth::create_own(command, fields));
    let (made, secret) = made.expect("an application");
    Application { id: made.id.get(), uid: made.uid, secret: secret.expose().to_owned() }
}

#[both_databases]
fn codes_and_refresh_tokens_are_exchanged_beside_strangers(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let code = granted_code(server, &alice, &AuthorizationRequest { scope: Some("api".to_owned()), ..app.request() });
    let closed = TestServer::closed_to_strangers(server);
    assert_eq!(closed.anonymous().get("/projects").status(), 503);
    let first = Tokens::of(&app.exchange(&closed, &code));
    let second = Tokens::of(&app.refresh(&closed, &first.refresh));
    assert_eq!(status(&closed, &second.access), 200);
    assert_refused(&app.refresh(&closed, "a.b"), 400, "invalid_grant");
}

#[both_databases]
fn an_application_proves_itself_beside_strangers(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let of_server = register(server, "api", true);
    for app in [of_server, registered_by(server, &bob)] {
        let tokens = app.tokens(server, &alice, "api");
        let closed = TestServer::closed_to_strangers(server);
        let ask = |endpoint: &str, more: &[(&str, &str)]| post(&closed, endpoint, &app.form(true, more));
        let access = ask("token", &[("grant_type", "client_credentials")]).assert_status(200).json();
        let access = text(&access["access_token"]);
        let _known = bearer(&closed, &access).get("//oauth/token/info").assert_status(200);
        assert_eq!(ask("introspect", &[("token", &tokens.access)]).assert_status(200).json()["active"], json!(true));
        let _codes = ask("authorize_device", &[("scope", "api")]).assert_status(200);
        for token in [&access, &tokens.refresh] {
            ask("revoke", &[("token", token)]).assert(200, json!({}));
            assert_eq!(ask("introspect", &[("token", token)]).assert_status(200).json()["active"], json!(false));
        }
        assert_refused(&post(&closed, "introspect", &app.form(false, &[("token", &access)])), 401, "invalid_client");
    }
}

#[both_databases]
fn a_client_that_only_names_an_application_is_a_stranger(server: &TestServer) {
    let public = register(server, "api", false);
    let closed = TestServer::closed_to_strangers(server);
    assert_eq!(post(&closed, "authorize_device", &public.form(false, &[("scope", "api")])).status(), 503);
    let _codes = post(&closed, "authorize_device", &public.form(true, &[("scope", "api")])).assert_status(200);
}

#[both_databases]
fn a_password_is_exchanged_beside_strangers(server: &TestServer) {
    let _alice = server.user("alice");
    let fresh = TestServer::beside(server);
    let _strangers = Strangers::fill(&fresh);
    let form = [("grant_type", "password"), ("username", "alice"), ("password", "correct horse")];
    let tokens = Tokens::of(&post(&fresh, "token", &form));
    assert_eq!(status(&fresh, &tokens.access), 200);
}
