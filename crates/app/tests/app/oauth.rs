//! A user allows an application to act for them: what the page that asks will call.

use serde_json::json;
use tenon_app::error::AppError;
use tenon_app::identity::Identity;
use tenon_app::oauth::{self, AuthorizationRequest, NotAuthorized, OAuthError};
use tenon_testkit::{TestServer, User, both_databases};

use crate::of;

const CALLBACK: &str = "https://app.example/callback?from=tenon";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

fn register(server: &TestServer, more: &serde_json::Value) -> String {
    let mut body =
        json!({"name": "App", "redirect_uri": format!("{CALLBACK} https://app.example/"), "scopes": "api read_user"});
    body.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
    let made = server.root().post("/applications", body).assert_status(201).json();
    made["application_id"].as_str().expect("an id").to_owned()
}

fn request(uid: &str) -> AuthorizationRequest {
    AuthorizationRequest {
        client_id: Some(uid.to_owned()),
        redirect_uri: Some(CALLBACK.to_owned()),
        response_type: Some("code".to_owned()),
        state: Some("a b&c=d".to_owned()),
        code_challenge: Some(CHALLENGE.to_owned()),
        code_challenge_method: Some("S256".to_owned()),
        ..AuthorizationRequest::default()
    }
}

fn granted(server: &TestServer, user: &User, request: &AuthorizationRequest) -> Result<String, NotAuthorized> {
    server.app().write_now(&of(user), |command| oauth::authorize(command, request)).expect("a use case")
}

/// The refusal, which is the same for the page, for granting and for denying.
fn refused(server: &TestServer, user: &User, request: &AuthorizationRequest) -> NotAuthorized {
    let reviewed = server.app().read_now(&of(user), |query| oauth::review(query, request)).expect("a use case");
    let refusal = reviewed.expect_err("a refusal");
    assert_eq!(granted(server, user, request), Err(refusal.clone()));
    assert_eq!(server.app().read_now(&of(user), |query| oauth::deny(query, request)).expect("a use case"), refusal);
    refusal
}

#[both_databases]
fn a_user_is_asked_and_grants_or_denies(server: &TestServer) {
    let (alice, uid) = (server.user("alice"), register(server, &json!({})));
    let asked = server.app().read_now(&of(&alice), |query| oauth::review(query, &request(&uid)));
    let asked = asked.expect("a use case").expect("an authorization");
    assert_eq!(
        (asked.application.name.as_str(), asked.scopes.to_string(), asked.is_agreed),
        ("App", "api".to_owned(), false)
    );
    let address = granted(server, &alice, &request(&uid)).expect("a code");
    assert!(address.starts_with(&format!("{CALLBACK}&code=")), "{address}");
    assert!(address.contains("&state=a%20b%26c%3Dd&iss=http%3A%2F%2F127%2E0%2E0%2E1%3A"), "{address}");
    let denied = server.app().read_now(&of(&alice), |query| oauth::deny(query, &request(&uid))).expect("a use case");
    let NotAuthorized::Redirect(address) = denied else { panic!("a redirect") };
    assert!(address.starts_with(&format!("{CALLBACK}&error=access%5Fdenied&error_description=")), "{address}");
}

#[both_databases]
fn an_unknown_application_or_address_sends_the_browser_nowhere(server: &TestServer) {
    let (alice, uid) = (server.user("alice"), register(server, &json!({})));
    let show = |request: AuthorizationRequest| match refused(server, &alice, &request) {
        NotAuthorized::Show(error) => error,
        NotAuthorized::Redirect(address) => panic!("sent to {address}"),
    };
    assert_eq!(
        show(AuthorizationRequest { client_id: Some("x".to_owned()), ..request(&uid) }),
        OAuthError::InvalidClient
    );
    assert_eq!(
        show(AuthorizationRequest { client_id: Some("\0".to_owned()), ..request(&uid) }),
        OAuthError::InvalidClient
    );
    assert_eq!(show(AuthorizationRequest { client_id: None, ..request(&uid) }), OAuthError::Missing("client_id"));
    assert_eq!(show(AuthorizationRequest { redirect_uri: None, ..request(&uid) }), OAuthError::Missing("redirect_uri"));
    for address in [
        "https://app.example/callback",
        "https://app.example/callback?from=tenon&more=1",
        "https://app.example/callback?from=tenon/../evil",
        "https://app.example.evil.example/",
        "https://app.example//",
        "HTTPS://app.example/",
        "https://evil.example/",
        "https://app.example/ ",
        "",
    ] {
        let asked = AuthorizationRequest { redirect_uri: Some(address.to_owned()), ..request(&uid) };
        assert!(matches!(show(asked), OAuthError::Malformed(_)), "{address}");
    }
    let long = AuthorizationRequest { state: Some("x".repeat(2001)), ..request(&uid) };
    assert!(matches!(show(long), OAuthError::Malformed(_)));
}

#[both_databases]
fn every_other_refusal_is_sent_to_the_application(server: &TestServer) {
    let (alice, uid) = (server.user("alice"), register(server, &json!({})));
    let public = register(server, &json!({"confidential": false}));
    let error = |request: AuthorizationRequest| match refused(server, &alice, &request) {
        NotAuthorized::Redirect(address) => {
            let rest = address.strip_prefix(&format!("{CALLBACK}&error=")).expect("an error").to_owned();
            rest.split('&').next().unwrap_or_default().replace("%5F", "_")
        }
        NotAuthorized::Show(error) => panic!("shown: {error}"),
    };
    let some = |text: &str| Some(text.to_owned());
    let with = |change: &dyn Fn(&mut AuthorizationRequest), uid: &str| {
        let mut request = request(uid);
        change(&mut request);
        error(request)
    };
    assert_eq!(with(&|it| it.response_type = some("token"), &uid), "unsupported_response_type");
    assert_eq!(with(&|it| it.response_type = None, &uid), "invalid_request");
    assert_eq!(with(&|it| it.scope = some("api sudo"), &uid), "invalid_scope");
    assert_eq!(with(&|it| it.scope = some("everything"), &uid), "invalid_scope");
    assert_eq!(with(&|it| it.code_challenge_method = None, &uid), "invalid_code_challenge_method");
    assert_eq!(with(&|it| it.code_challenge_method = some("S512"), &uid), "invalid_code_challenge_method");
    assert_eq!(with(&|it| it.code_challenge = some("short"), &uid), "invalid_request");
    assert_eq!(with(&|it| it.code_challenge = None, &uid), "invalid_request");
    let without = |it: &mut AuthorizationRequest| (it.code_challenge, it.code_challenge_method) = (None, None);
    assert_eq!(with(&without, &public), "invalid_request");
    assert!(
        granted(
            server,
            &alice,
            &AuthorizationRequest { code_challenge: None, code_challenge_method: None, ..request(&uid) }
        )
        .is_ok()
    );
}

#[both_databases]
fn a_trusted_application_need_not_be_asked_about(server: &TestServer) {
    let (alice, uid) = (server.user("alice"), register(server, &json!({"trusted": true})));
    let asked = server.app().read_now(&of(&alice), |query| oauth::review(query, &request(&uid)));
    assert!(asked.expect("a use case").expect("an authorization").is_agreed);
}

#[both_databases]
fn only_a_user_who_has_signed_in_grants_anything(server: &TestServer) {
    let (alice, uid) = (server.user("alice"), register(server, &json!({})));
    let by =
        |identity: &Identity| server.app().write_now(identity, |command| oauth::authorize(command, &request(&uid)));
    assert!(matches!(by(&Identity::anonymous()), Err(AppError::Unauthenticated)));
    assert!(
        matches!(by(&Identity::token(alice.token.clone())), Err(AppError::Forbidden)),
        "a token makes no other one"
    );
    let _ = server.root().post(&format!("/users/{}/block", alice.id), json!({})).assert_status(201);
    assert!(matches!(by(&of(&alice)), Err(AppError::Refused(_))));
}

#[both_databases]
fn programs_that_link_the_crate_are_asked_for_permission_as_well(server: &TestServer) {
    let alice = server.user("alice");
    let listed = server.app().read_now(&of(&alice), |query| oauth::list(query, tenon_app::PageRequest::default()));
    assert!(matches!(listed, Err(AppError::Forbidden)));
}
