//! Codes are exchanged for tokens.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use super::*;

#[both_databases]
fn a_code_is_exchanged_for_tokens(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api read_user", true));
    let code = granted_code(server, &alice, &app.request());
    let reply = app.exchange(server, &code).assert_status(200);
    let body = reply.json();
    assert_has(&body, &["access_token", "refresh_token", "created_at"]);
    assert_lacks(&body, &["id_token"]);
    assert_eq!(
        (&body["token_type"], &body["expires_in"], &body["scope"]),
        (&json!("Bearer"), &json!(7200), &json!("api"))
    );
    assert_eq!((reply.header("cache-control"), reply.header("pragma")), ("no-store".to_owned(), "no-cache".to_owned()));
    let user = bearer(server, &text(&body["access_token"])).get("/user").assert_status(200).json();
    assert_eq!(user["username"], "alice");
}

#[both_databases]
fn a_code_that_is_used_twice_ends_all_of_its_tokens(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let code = granted_code(server, &alice, &app.request());
    let first = Tokens::of(&app.exchange(server, &code));
    let second = Tokens::of(&app.refresh(server, &first.refresh));
    let other = app.tokens(server, &alice, "api");
    assert_refused(&app.exchange(server, &code), 400, "invalid_grant");
    assert_eq!([status(server, &first.access), status(server, &second.access)], [401, 401]);
    assert_refused(&app.refresh(server, &second.refresh), 400, "invalid_grant");
    assert_eq!(status(server, &other.access), 200, "another grant stays");
    assert_refused(&app.exchange(server, &code), 400, "invalid_grant");
}

#[both_databases]
fn a_used_code_ends_its_tokens_also_where_another_application_presents_it(server: &TestServer) {
    let (alice, app, other) = (server.user("alice"), register(server, "api", true), register(server, "api", true));
    let code = granted_code(server, &alice, &app.request());
    let tokens = Tokens::of(&app.exchange(server, &code));
    assert_refused(&other.exchange(server, &code), 400, "invalid_grant");
    assert_eq!(status(server, &tokens.access), 401);
}

#[both_databases]
fn a_code_is_bound_to_application_address_and_verifier(server: &TestServer) {
    let (alice, app, other) = (server.user("alice"), register(server, "api", true), register(server, "api", true));
    let code = granted_code(server, &alice, &app.request());
    let ask = |app: &Application, address: &str, verifier: &str| {
        let more = [
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("redirect_uri", address),
            ("code_verifier", verifier),
        ];
        post(server, "token", &app.form(true, &more))
    };
    assert_refused(&ask(&other, CALLBACK, VERIFIER), 400, "invalid_grant");
    for address in [
        "https://app.example/callbac",
        "https://app.example/callback/",
        "https://app.example/callback?a=b",
        "https://evil.example/",
    ] {
        assert_refused(&ask(&app, address, VERIFIER), 400, "invalid_grant");
    }
    let almost = VERIFIER.replace('d', "e");
    // The challenge itself is no verifier: a digest is not taken for the text.
    for verifier in [almost.as_str(), CHALLENGE, "short", &"a".repeat(129)] {
        assert_refused(&ask(&app, CALLBACK, verifier), 400, "invalid_grant");
    }
    let missing = ask(&app, CALLBACK, "");
    assert_refused(&missing, 400, "invalid_request");
    assert_eq!(missing.json()["error_description"], "Missing required parameter: code_verifier.");
    assert_eq!(ask(&app, CALLBACK, VERIFIER).status(), 200, "what was refused did not use it up");
}

#[both_databases]
fn a_plain_challenge_is_the_verifier_itself(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let plain = AuthorizationRequest {
        code_challenge: Some(VERIFIER.to_owned()),
        code_challenge_method: Some("plain".to_owned()),
        ..app.request()
    };
    let code = granted_code(server, &alice, &plain);
    assert_eq!(app.exchange(server, &code).status(), 200);
}

#[both_databases]
fn a_verifier_without_a_challenge_is_refused(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let without = AuthorizationRequest { code_challenge: None, code_challenge_method: None, ..app.request() };
    let code = granted_code(server, &alice, &without);
    assert_refused(&app.exchange(server, &code), 400, "invalid_grant");
    let more = [("grant_type", "authorization_code"), ("code", code.as_str()), ("redirect_uri", CALLBACK)];
    assert_eq!(post(server, "token", &app.form(true, &more)).status(), 200);
}

#[both_databases]
fn a_code_lives_for_ten_minutes(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let (early, late) = (granted_code(server, &alice, &app.request()), granted_code(server, &alice, &app.request()));
    server.advance(TimeDelta::seconds(599));
    assert_eq!(app.exchange(server, &early).status(), 200);
    server.advance(TimeDelta::seconds(1));
    assert_refused(&app.exchange(server, &late), 400, "invalid_grant");
}

#[both_databases]
fn an_application_that_keeps_a_secret_must_prove_it(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let code = granted_code(server, &alice, &app.request());
    let rest = [
        ("grant_type", "authorization_code"),
        ("code", code.as_str()),
        ("redirect_uri", CALLBACK),
        ("code_verifier", VERIFIER),
    ];
    let refused = post(server, "token", &app.form(false, &rest));
    assert_refused(&refused, 401, "invalid_client");
    assert!(refused.header("www-authenticate").starts_with("Bearer realm=\"Tenon\", error=\"invalid_client\""));
    assert_refused(&post(server, "token", &rest), 401, "invalid_client");
    let wrong = Application { secret: app.secret.replace(['0', '1'], "2"), ..register(server, "api", true) };
    assert_refused(&post(server, "token", &wrong.form(true, &rest)), 401, "invalid_client");
    let unknown = server.anonymous().basic("stranger\u{0}", "secret");
    let refused = post_as(&unknown, "token", &rest);
    assert_refused(&refused, 401, "invalid_client");
    assert_eq!(refused.header("www-authenticate"), "Basic realm=\"Tenon\"");
    let (both, basic) = (app.form(true, &rest), server.anonymous().basic(&app.uid, &app.secret));
    assert_refused(&post_as(&basic, "token", &both), 400, "invalid_request");
    assert_eq!(post_as(&basic, "token", &rest).status(), 200);
}

#[both_databases]
fn an_application_without_a_secret_presents_only_its_id(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", false));
    let code = granted_code(server, &alice, &app.request());
    let rest = [
        ("grant_type", "authorization_code"),
        ("code", code.as_str()),
        ("redirect_uri", CALLBACK),
        ("code_verifier", VERIFIER),
    ];
    let wrong = [("client_id", app.uid.as_str()), ("client_secret", "wrong")];
    assert_refused(&post(server, "token", &[&wrong[..], &rest[..]].concat()), 401, "invalid_client");
    assert_eq!(post(server, "token", &app.form(false, &rest)).status(), 200);
}

#[both_databases]
fn parameters_come_in_a_form_or_as_json_and_once(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let anonymous = server.anonymous();
    let json = |body: Value| anonymous.post("//oauth/token", body);
    let code = granted_code(server, &alice, &app.request());
    let body = json!({"grant_type": "authorization_code", "client_id": app.uid, "client_secret": app.secret,
        "code": code, "redirect_uri": CALLBACK, "code_verifier": VERIFIER});
    assert_eq!(json(body).status(), 200);
    for (body, error) in [
        (json!({}), "invalid_request"),
        (json!({"grant_type": ["password"]}), "invalid_request"),
        (json!({"grant_type": "implicit"}), "unsupported_grant_type"),
        (json!({"grant_type": "authorization_code"}), "invalid_request"),
        (json!({"grant_type": "refresh_token"}), "invalid_request"),
        (json!({"grant_type": "password", "username": "a"}), "invalid_request"),
    ] {
        assert_refused(&json(body), 400, error);
    }
    assert_eq!(json(json!({})).json()["error_description"], "Missing required parameter: grant_type.");
    assert_refused(
        &post(server, "token", &[("grant_type", "password"), ("grant_type", "password")]),
        400,
        "invalid_request",
    );
    assert_refused(
        &anonymous.send("POST", "//oauth/token", Some("application/json"), b"{".to_vec()),
        400,
        "invalid_request",
    );
    assert_refused(
        &anonymous.send("POST", "//oauth/token?grant_type=client_credentials", None, Vec::new()),
        401,
        "invalid_client",
    );
    let large = format!("code={}", "a".repeat(100_000));
    assert_eq!(anonymous.form("POST", "//oauth/token", &large).status(), 413);
    assert_eq!(anonymous.get("//oauth/token").status(), 405);
}

#[both_databases]
fn a_user_who_may_do_nothing_gets_no_tokens_and_has_none(server: &TestServer) {
    let app = register(server, "api", true);
    for what in ["block", "deactivate", "ban"] {
        let user = server.user(what);
        let code = granted_code(server, &user, &app.request());
        let tokens = app.tokens(server, &user, "api");
        let _ = server.root().post(&format!("/users/{}/{what}", user.id), json!({})).assert_status(201);
        assert_refused(&app.exchange(server, &code), 400, "invalid_grant");
        assert_refused(&app.refresh(server, &tokens.refresh), 400, "invalid_grant");
        assert_eq!(status(server, &tokens.access), 403, "{what}");
    }
}

#[both_databases]
fn what_has_ended_is_removed_by_a_job(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let count = |table: &str| server.database().count(&format!("SELECT COUNT(*) FROM {table}"));
    let purge = || {
        server.enqueue("purge_grants", &json!({"kind": "purge_grants"}));
        server.run_jobs();
    };
    granted_code(server, &alice, &app.request());
    let tokens = app.tokens(server, &alice, "api");
    let before = count("tokens");
    server.advance(TimeDelta::minutes(11));
    purge();
    assert_eq!(count("oauth_grants"), 1, "the code was never exchanged");
    server.advance(TimeDelta::hours(3));
    purge();
    let expired = bearer(server, &tokens.access).get("/user").assert_status(401);
    assert_eq!(expired.json()["error"], "invalid_token");
    server.advance(TimeDelta::days(1));
    purge();
    assert_eq!((count("tokens"), status(server, &tokens.access)), (before - 1, 401));
    let tokens = Tokens::of(&app.refresh(server, &tokens.refresh));
    server.advance(TimeDelta::days(181));
    purge();
    assert_eq!(count("oauth_grants"), 0);
    assert_refused(&app.refresh(server, &tokens.refresh), 400, "invalid_grant");
}

#[both_databases]
fn the_settings_keep_administrators_from_untrusted_applications(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api read_user", true));
    let root = Identity::user(UserId::new(1));
    let granted = |identity: &Identity, scope: &str| {
        let request = AuthorizationRequest { scope: Some(scope.to_owned()), ..app.request() };
        let answer = server.app().write_now(identity, |command| oauth::authorize(command, &request));
        match answer.expect("a use case") {
            Ok(address) => address.contains("code="),
            Err(oauth::NotAuthorized::Redirect(address)) => {
                assert!(address.contains("error=access%5Fdenied"), "{address}");
                false
            }
            Err(oauth::NotAuthorized::Show(error)) => panic!("{error}"),
        }
    };
    assert!(granted(&root, "api"));
    server.set("disable_admin_oauth_scopes", &json!(true));
    assert_eq!([granted(&root, "api"), granted(&root, "read_user")], [false, true]);
    assert!(granted(&Identity::user(UserId::new(alice.id)), "api"));
    server.database().execute("UPDATE oauth_applications SET trusted = true");
    assert!(granted(&root, "api"));
}
