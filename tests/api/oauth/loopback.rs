//! Applications on their users' machines: they have no secret, and listen on whatever port is free.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::*;

/// Registers a public application for this address.
fn native(server: &TestServer, redirect_uri: &str, scopes: &str) -> Application {
    let body =
        json!({"name": "git-credential-oauth", "redirect_uri": redirect_uri, "scopes": scopes, "confidential": false});
    let made = made(&server.root(), "/applications", body);
    Application { id: id(&made), uid: text(&made["application_id"]), secret: text(&made["secret"]) }
}

/// The reason why a request for authorization is refused; `None` if it is granted.
fn refusal(server: &TestServer, user: &User, request: &AuthorizationRequest) -> Option<oauth::NotAuthorized> {
    let identity = Identity::user(UserId::new(user.id));
    server.app().write_now(&identity, |command| oauth::authorize(command, request)).expect("a use case").err()
}

#[both_databases]
fn the_credential_helper_of_git_signs_in_and_pushes(server: &TestServer) {
    let alice = server.user("alice");
    let app = native(server, "http://127.0.0.1/", "read_repository write_repository");
    // The request of the helper: the port is the one that its listener got.
    let address = "http://127.0.0.1:43817";
    let request = AuthorizationRequest {
        client_id: Some(app.uid.clone()),
        redirect_uri: Some(address.to_owned()),
        response_type: Some("code".to_owned()),
        scope: Some("read_repository write_repository".to_owned()),
        state: Some("Kd93jfL1".to_owned()),
        code_challenge: Some(CHALLENGE.to_owned()),
        code_challenge_method: Some("S256".to_owned()),
        ..AuthorizationRequest::default()
    };
    let code = granted_code(server, &alice, &request);
    let exchange = |client: &Client, address: &str, verifier: &str, named: bool| {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("redirect_uri", address),
            ("code_verifier", verifier),
        ];
        if named {
            form.push(("client_id", app.uid.as_str()));
        }
        post_as(client, "token", &form)
    };
    let anonymous = server.anonymous();
    assert_refused(&exchange(&anonymous, "http://127.0.0.1:43818", VERIFIER, true), 400, "invalid_grant");
    assert_refused(&exchange(&anonymous, address, CHALLENGE, true), 400, "invalid_grant");
    assert_refused(&exchange(&anonymous, address, VERIFIER, false), 401, "invalid_client");
    // The library of the helper tries the header first, with an empty secret.
    let reply = exchange(&anonymous.basic(&app.uid, ""), address, VERIFIER, false).assert_status(200);
    assert_eq!(reply.json()["scope"], "read_repository write_repository");
    let tokens = Tokens::of(&reply);
    project(&alice, "tool", "private");
    for service in ["git-upload-pack", "git-receive-pack"] {
        let refs = format!("//alice/tool.git/info/refs?service={service}");
        let _ = anonymous.basic("oauth2", &tokens.access).get(&refs).assert_status(200);
        let _ = anonymous.get(&refs).assert_status(401);
    }
    let form =
        [("grant_type", "refresh_token"), ("refresh_token", tokens.refresh.as_str()), ("client_id", app.uid.as_str())];
    let later = Tokens::of(&post(server, "token", &form));
    let _ = anonymous
        .basic("oauth2", &later.access)
        .get("//alice/tool.git/info/refs?service=git-receive-pack")
        .assert_status(200);
}

#[both_databases]
fn only_the_port_of_a_loopback_address_is_free(server: &TestServer) {
    let alice = server.user("alice");
    let registered = "http://127.0.0.1/callback http://[::1]:7171/auth/redirect http://localhost:7171/auth/redirect https://app.example/callback";
    let app = native(server, registered, "api");
    for (address, is_registered) in [
        ("http://127.0.0.1:9/callback", true),
        ("http://[::1]:50123/auth/redirect", true),
        ("http://localhost:7171/auth/redirect", true),
        ("http://localhost:7172/auth/redirect", false),
        ("http://127.0.0.1:9/other", false),
        ("http://127.0.0.1:9/callback?a=b", false),
        ("http://127.0.0.1:9@evil.example/callback", false),
        ("https://app.example:8443/callback", false),
    ] {
        let request = AuthorizationRequest { redirect_uri: Some(address.to_owned()), ..app.request() };
        let refused = refusal(server, &alice, &request);
        assert_eq!(refused.is_none(), is_registered, "{address}: {refused:?}");
    }
    let anywhere =
        json!({"name": "App", "redirect_uri": "http://127.3.2.1/cb", "scopes": "api", "confidential": false});
    let _ = server.root().post("/applications", anywhere).assert_status(201);
}

#[both_databases]
fn a_verifier_of_any_alphabet_is_compared_by_its_digest(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", false));
    for (verifier, challenge) in [
        ("k3Tq0mCw9rYbVx7LhZpN4uJd2sEoAfGi8QzKtWvXyRA=".to_owned(), "W5ueIMe3twdntSJi_LfJJc54cDUxR5b26358ReFtgDI"),
        ("a+b/c=".repeat(12), "yPpl0d30_MANxcatcgPjOEyfp4E4fyev5LrS22UONqE"),
        ("schlüssel ".repeat(5), "MuM2cu755BUHAB73Uvakv33IgMWNXbRj90WxaCvSjlE"),
        ("x".repeat(43), "zAscLGbzu5_RoIHGJrob72L2-WRBpDvhUmhSN3asJqE"),
        ("x".repeat(128), "JNobgdCxbfZCju5zxp_LKpPHa8bfcG8MZnD-a_6ABGQ"),
    ] {
        let request = AuthorizationRequest { code_challenge: Some(challenge.to_owned()), ..app.request() };
        let code = granted_code(server, &alice, &request);
        let more = [
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("redirect_uri", CALLBACK),
            ("code_verifier", verifier.as_str()),
        ];
        let reply = post(server, "token", &app.form(false, &more));
        assert_eq!(reply.status(), 200, "{verifier}: {}", reply.text());
    }
    let short = AuthorizationRequest {
        code_challenge: Some("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0".to_owned()),
        ..app.request()
    };
    let code = granted_code(server, &alice, &short);
    let more = [
        ("grant_type", "authorization_code"),
        ("code", code.as_str()),
        ("redirect_uri", CALLBACK),
        ("code_verifier", "abc"),
    ];
    assert_refused(&post(server, "token", &app.form(false, &more)), 400, "invalid_grant");
}
