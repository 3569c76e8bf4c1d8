//! Registering applications.

use serde_json::json;
use tenon_app::Limits;
use tenon_app::error::AppError;
use tenon_app::identity::Identity;
use tenon_app::oauth::{ApplicationFields, change, create_own};
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::UserId;
use tenon_domain::oauth::ClientKind;
use tenon_testkit::{Backend, TestServer, both_databases};

use super::*;

#[both_databases]
fn an_application_shows_its_secret_once(server: &TestServer) {
    let root = server.root();
    let body = json!({"name": "App", "redirect_uri": "https://a.example/ http://localhost:7171/cb", "scopes": "api read_user"});
    let made = made(&root, "/applications", body);
    let fields = ["id", "application_id", "application_name", "callback_url", "confidential", "scopes"];
    assert_has(&made, &fields);
    assert_eq!((text(&made["application_id"]).len(), text(&made["secret"]).len()), (64, 64));
    assert_eq!((&made["confidential"], &made["scopes"]), (&json!(true), &json!(["api", "read_user"])));
    let listed = root.get("/applications").assert_status(200);
    assert_eq!(
        (listed.header("x-total"), listed.json()[0]["callback_url"].clone()),
        ("1".to_owned(), made["callback_url"].clone())
    );
    assert_lacks(&listed.json()[0], &["secret"]);
}

#[both_databases]
fn only_administrators_register_applications(server: &TestServer) {
    let alice = server.user("alice");
    let body = json!({"name": "App", "redirect_uri": CALLBACK, "scopes": "api"});
    alice.post("/applications", body.clone()).assert(403, forbidden());
    server.anonymous().post("/applications", body).assert(401, unauthorized());
    let app = register(server, "api", true);
    alice.get("/applications").assert(403, forbidden());
    alice.delete(&format!("/applications/{}", app.id)).assert(403, forbidden());
    alice.post(&format!("/applications/{}/renew-secret", app.id), json!({})).assert(403, forbidden());
}

#[both_databases]
fn administrators_list_and_remove_the_applications_of_users(server: &TestServer) {
    let (root, alice) = (server.root(), server.user("alice"));
    let fields = ApplicationFields {
        name: "Own".to_owned(),
        redirect_uri: CALLBACK.to_owned(),
        scopes: "api".to_owned(),
        kind: ClientKind::Confidential,
    };
    let owner = Identity::user(UserId::new(alice.id));
    let make = |command: &mut tenon_app::Command<'_>| create_own(command, fields);
    let (own, _) = server.app().write_now(&owner, make).expect("an application");
    let listed = root.get("/applications").assert_status(200).json();
    assert_eq!((listed[0]["id"].as_i64(), &listed[0]["application_name"]), (Some(own.id.get()), &json!("Own")));
    let path = format!("/applications/{}", own.id.get());
    alice.delete(&path).assert(403, forbidden());
    let _ = root.post(&format!("{path}/renew-secret"), json!({})).assert_status(201);
    let _ = root.delete(&path).assert_status(204);
    assert_eq!(root.get("/applications").json(), json!([]));
}

#[both_databases]
fn fields_are_checked(server: &TestServer) {
    let root = server.root();
    root.post("/applications", json!({}))
        .assert(400, parameter("name is missing, redirect_uri is missing, scopes is missing"));
    let with = |name: &str, redirect_uri: &str, scopes: &str| {
        root.post("/applications", json!({"name": name, "redirect_uri": redirect_uri, "scopes": scopes}))
    };
    with("", CALLBACK, "api").assert(400, field("name", "can't be blank"));
    with("a", "", "api").assert(400, field("redirect_uri", "can't be blank"));
    with("a", "/callback", "api").assert(400, field("redirect_uri", "must be an absolute URI."));
    with("a", "https://a.example/#x", "api").assert(400, field("redirect_uri", "cannot contain a fragment."));
    with("a", "http://a.example:x@b.example/", "api").assert(400, field("redirect_uri", "must be a valid URI."));
    with("a", "javascript:alert(1)", "api").assert(400, field("redirect_uri", "is forbidden by the server."));
    with("a", CALLBACK, "").assert(400, parameter("scopes is empty"));
    with("a", CALLBACK, "api everything").assert(400, field("scopes", "doesn't match configured on the server."));
    let _ = root
        .post("/applications", json!({"name": "a", "redirect_uri": CALLBACK, "scopes": ["api", "email"]}))
        .assert_status(201);
}

#[both_databases]
fn an_administrator_registers_addresses_without_encryption(server: &TestServer) {
    let encrypted = TestServer::beside_encrypted(server);
    let owner = Identity::user(UserId::new(server.user("alice").id));
    let plain = "http://ci.intranet.example/callback";
    let made = made(&encrypted.root(), "/applications", json!({"name": "CI", "redirect_uri": plain, "scopes": "api"}));
    assert_eq!(made["callback_url"], plain);
    let fields = |name: &str, redirect_uri: &str| ApplicationFields {
        name: name.to_owned(),
        redirect_uri: redirect_uri.to_owned(),
        scopes: "api".to_owned(),
        kind: ClientKind::Confidential,
    };
    let problems = |error: AppError| match error {
        AppError::Invalid(errors) => errors,
        other => panic!("{other}"),
    };
    let register = |server: &TestServer, address: &str| {
        let asked = fields("Own", address);
        let made = server.app().write_now(&owner, |command| create_own(command, asked));
        made.map(|(made, _secret)| made).map_err(problems)
    };
    let refused = FieldErrors::of("redirect_uri", "must be an HTTPS/SSL URI.");
    // The address of this server is `http`, that of the other one is not.
    let own = register(server, plain).expect("an application");
    assert_eq!(own.redirect_uri, plain);
    assert!(register(&encrypted, "http://localhost/callback").is_ok());
    assert_eq!(register(&encrypted, plain).err(), Some(refused.clone()));
    // An address that is registered stays if another field is changed.
    let change = |name: &str, address: &str| {
        let asked = fields(name, address);
        let changed = encrypted.app().write_now(&owner, |command| change(command, own.id, asked));
        changed.map(|changed| changed.name).map_err(problems)
    };
    assert_eq!(change("Renamed", plain), Ok("Renamed".to_owned()));
    assert_eq!(change("Renamed", "http://other.example/"), Err(refused));
}

#[both_databases]
fn a_new_secret_replaces_the_old_one(server: &TestServer) {
    let (root, app) = (server.root(), register(server, "api", true));
    let renewed = made(&root, &format!("/applications/{}/renew-secret", app.id), json!({}));
    let form = [("grant_type", "client_credentials")];
    assert_refused(&post(server, "token", &app.form(true, &form)), 401, "invalid_client");
    let app = Application { secret: text(&renewed["secret"]), ..app };
    assert_eq!(post(server, "token", &app.form(true, &form)).status(), 200);
    root.post("/applications/999/renew-secret", json!({})).assert(404, missing("Application"));
}

#[both_databases]
fn a_deleted_application_ends_its_tokens(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let tokens = app.tokens(server, &alice, "api");
    assert_eq!(status(server, &tokens.access), 200);
    let _ = server.root().delete(&format!("/applications/{}", app.id)).assert_status(204);
    assert_eq!(status(server, &tokens.access), 401);
    assert_refused(&app.refresh(server, &tokens.refresh), 401, "invalid_client");
    server.root().delete(&format!("/applications/{}", app.id)).assert(404, missing("Application"));
    assert_eq!(server.database().count("SELECT COUNT(*) FROM oauth_grants"), 0);
}

#[both_databases]
fn secrets_are_stored_as_digests_only(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api openid", true));
    let code = granted_code(server, &alice, &app.request());
    let tokens = Tokens::of(&app.exchange(server, &code));
    let columns = [
        ("oauth_applications", "uid || ' ' || secret_digest"),
        ("oauth_grants", "code_digest || ' ' || family_digest || ' ' || refresh_digest"),
        ("tokens", "digest || ' ' || name"),
    ];
    let family = tokens.refresh.split('.').next().unwrap_or_default().to_owned();
    for secret in [app.secret, code, tokens.access, tokens.refresh, family] {
        for (table, text) in columns {
            let found = format!("SELECT COUNT(*) FROM {table} WHERE {text} LIKE '%{secret}%'");
            assert_eq!(server.database().count(&found), 0, "{table}");
        }
    }
}

#[test]
fn the_number_of_applications_is_bounded() {
    let mut limits = Limits::without_rates();
    limits.oauth.applications = 1;
    let server = TestServer::start_with(Backend::Sqlite, limits);
    register(&server, "api", true);
    let body = json!({"name": "b", "redirect_uri": CALLBACK, "scopes": "api"});
    server.root().post("/applications", body).assert(400, field("base", "There may be no more than 1 applications."));
}
