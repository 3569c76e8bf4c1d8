//! Withdrawing tokens, and the clients' view of withdrawn ones.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::*;

#[both_databases]
fn a_withdrawn_token_takes_its_grant_with_it(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let revoke = |token: &str| post(server, "revoke", &app.form(true, &[("token", token)]));
    let tokens = app.tokens(server, &alice, "api");
    revoke(&tokens.access).assert(200, json!({}));
    assert_eq!(status(server, &tokens.access), 401);
    assert_refused(&app.refresh(server, &tokens.refresh), 400, "invalid_grant");
    let tokens = app.tokens(server, &alice, "api");
    revoke(&tokens.refresh).assert(200, json!({}));
    assert_eq!(status(server, &tokens.access), 401);
    for dead in [tokens.access.as_str(), tokens.refresh.as_str(), "unknown", "un.known"] {
        revoke(dead).assert(200, json!({}));
    }
    assert_refused(&post(server, "revoke", &app.form(true, &[])), 400, "invalid_request");
}

#[both_databases]
fn a_token_is_withdrawn_by_its_own_application_only(server: &TestServer) {
    let (alice, app, other) = (server.user("alice"), register(server, "api", true), register(server, "api", true));
    let tokens = app.tokens(server, &alice, "api");
    let token = [("token", tokens.access.as_str())];
    assert_refused(&post(server, "revoke", &token), 403, "unauthorized_client");
    assert_refused(&post(server, "revoke", &other.form(true, &token)), 403, "unauthorized_client");
    assert_refused(&post(server, "revoke", &app.form(false, &token)), 401, "invalid_client");
    assert_eq!(status(server, &tokens.access), 200);
    let public = register(server, "api", false);
    let tokens = public.tokens(server, &alice, "api");
    assert_eq!(post(server, "revoke", &[("token", &tokens.access)]).status(), 200);
    assert_eq!(status(server, &tokens.access), 401);
    assert_eq!(post(server, "revoke", &[("token", &alice.token)]).status(), 200);
    assert_eq!(alice.get("/user").status(), 200, "personal tokens are not withdrawn here");
}

#[both_databases]
fn an_application_learns_about_its_own_tokens_only(server: &TestServer) {
    let (alice, app, other) = (server.user("alice"), register(server, "api", true), register(server, "api", true));
    let tokens = app.tokens(server, &alice, "api");
    let ask = |form: &[(&str, &str)]| post(server, "introspect", form);
    let token = [("token", tokens.access.as_str())];
    let now = server.now().timestamp();
    let known = json!({"active": true, "scope": "api", "client_id": app.uid, "token_type": "Bearer", "exp": now + 7200, "iat": now});
    ask(&app.form(true, &token)).assert(200, known);
    assert_eq!(ask(&app.form(true, &[("token", &tokens.refresh)])).json()["active"], json!(true));
    for (form, token) in [(&other, tokens.access.as_str()), (&app, "unknown"), (&app, &alice.token)] {
        ask(&form.form(true, &[("token", token)])).assert(200, json!({"active": false}));
    }
    assert_refused(&ask(&token), 401, "invalid_client");
    assert_refused(&ask(&app.form(false, &token)), 401, "invalid_client");
    let public = register(server, "api", false);
    assert_refused(&ask(&public.form(false, &token)), 401, "invalid_client");
    let by_bearer = post_as(&bearer(server, &tokens.access), "introspect", &token);
    assert_eq!(by_bearer.json()["active"], json!(true));
    let others = other.tokens(server, &alice, "api");
    post_as(&bearer(server, &others.access), "introspect", &token).assert(200, json!({"active": false}));
    assert_refused(&post_as(&bearer(server, &alice.token), "introspect", &token), 401, "invalid_token");
    for (what, back) in [("block", "unblock"), ("deactivate", "activate"), ("ban", "unban")] {
        let _ = server.root().post(&format!("/users/{}/{what}", alice.id), json!({})).assert_status(201);
        ask(&app.form(true, &token)).assert(200, json!({"active": false}));
        let _ = server.root().post(&format!("/users/{}/{back}", alice.id), json!({})).assert_status(201);
    }
}

#[both_databases]
fn a_token_shows_what_it_is(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api read_user", true));
    let tokens = app.tokens(server, &alice, "read_user");
    let reply = bearer(server, &tokens.access).get("//oauth/token/info").assert_status(200);
    assert_eq!(reply.header("cache-control"), "no-store");
    let info = reply.json();
    assert_eq!(info["resource_owner_id"], json!(alice.id));
    assert_eq!((&info["scope"], &info["scopes"]), (&json!(["read_user"]), &json!(["read_user"])));
    assert_eq!(info["expires_in"], info["expires_in_seconds"]);
    assert!(info["expires_in"].as_i64().is_some_and(|seconds| (7190..=7200).contains(&seconds)), "{info}");
    assert_eq!(info["application"]["uid"], json!(app.uid));
    let refused = server.anonymous().get("//oauth/token/info");
    assert_refused(&refused, 401, "invalid_token");
    assert!(refused.header("www-authenticate").starts_with("Bearer realm=\"Tenon\", error=\"invalid_token\""));
    for other in [tokens.refresh, alice.token.clone()] {
        assert_refused(&bearer(server, &other).get("//oauth/token/info"), 401, "invalid_token");
    }
}

#[both_databases]
fn a_user_is_shown_to_applications_with_the_scope_openid(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api openid email", true));
    let _ = server
        .root()
        .put(
            &format!("/users/{}", alice.id),
            json!({"public_email": "alice@example.org", "website_url": "https://alice.example"}),
        )
        .assert_status(200);
    group(&alice, "crew", "private");
    let access = app.tokens(server, &alice, "openid").access;
    let shown = bearer(server, &access).get("//oauth/userinfo").assert_status(200);
    assert_eq!(shown.header("cache-control"), "no-store");
    let shown = shown.json();
    assert_eq!(
        (&shown["sub"], &shown["nickname"], &shown["groups"]),
        (&json!(alice.id.to_string()), &json!("alice"), &json!(["crew"]))
    );
    assert_has(&shown, &["name", "profile", "picture", "website", "email", "email_verified"]);
    let posted = server.anonymous().form("POST", "//oauth/userinfo", &format!("access_token={access}"));
    assert_eq!(posted.json(), shown);
    let bob = server.user("bob");
    let private = bearer(server, &app.tokens(server, &bob, "openid").access).get("//oauth/userinfo").json();
    assert_lacks(&private, &["email", "email_verified"]);
    let with_email = bearer(server, &app.tokens(server, &bob, "openid email").access).get("//oauth/userinfo").json();
    assert_eq!(with_email["email"], "bob@example.org");
    let access = app.tokens(server, &alice, "api").access;
    assert_eq!(bearer(server, &access).get("//oauth/userinfo").status(), 403);
    assert_refused(&server.anonymous().get("//oauth/userinfo"), 401, "invalid_token");
    assert_refused(&bearer(server, "x").get("//oauth/userinfo"), 401, "invalid_token");
}

#[both_databases]
fn a_client_finds_out_what_this_server_offers(server: &TestServer) {
    let anonymous = server.anonymous();
    let document = anonymous.get("//.well-known/openid-configuration").assert_status(200).json();
    assert_eq!(anonymous.get("//.well-known/oauth-authorization-server").json(), document);
    assert_eq!(document["issuer"], json!(server.base()));
    assert_eq!(document["id_token_signing_alg_values_supported"], json!(["ES256"]));
    for endpoint in ["token", "revocation", "introspection", "userinfo"] {
        let address = text(&document[format!("{endpoint}_endpoint")]);
        let path = address.strip_prefix(server.base()).expect("of this server");
        assert_ne!(anonymous.send("POST", &format!("/{path}"), None, Vec::new()).status(), 404, "{path}");
    }
    let keys = anonymous.get("//oauth/discovery/keys").assert_status(200).json();
    assert_eq!(keys["keys"].as_array().map(Vec::len), Some(1));
    let key = &keys["keys"][0];
    assert_eq!(
        (&key["kty"], &key["crv"], &key["alg"], &key["use"]),
        (&json!("EC"), &json!("P-256"), &json!("ES256"), &json!("sig"))
    );
    assert_lacks(key, &["d"]);
    assert_eq!(anonymous.head("//oauth/discovery/keys").status(), 200);
}

#[both_databases]
fn an_id_token_comes_with_the_scope_openid(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "openid", true));
    let request = AuthorizationRequest { nonce: Some("n-1".to_owned()), ..app.request() };
    let code = granted_code(server, &alice, &request);
    let reply = app.exchange(server, &code).assert_status(200).json();
    assert_eq!(text(&reply["id_token"]).split('.').count(), 3);
    let token = text(&reply["id_token"]);
    bearer(server, &token).get("/user").assert(401, unauthorized());
}

#[both_databases]
fn other_origins_may_call_these_endpoints(server: &TestServer) {
    let other = server.anonymous().header("Origin", "https://app.example");
    let preflight =
        other.header("Access-Control-Request-Method", "POST").send("OPTIONS", "//oauth/token", None, Vec::new());
    assert_eq!((preflight.status(), preflight.header("access-control-allow-origin")), (200, "*".to_owned()));
    assert_eq!(other.get("//oauth/discovery/keys").header("access-control-allow-origin"), "*");
}
