//! Tokens for a password, and for an application itself.

use serde_json::json;
use tenon_app::Limits;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Backend, TestServer, both_databases};

use super::*;

fn sign_in(server: &TestServer, name: &str, password: &str) -> Reply {
    post(server, "token", &[("grant_type", "password"), ("username", name), ("password", password)])
}

#[both_databases]
fn a_password_is_exchanged_for_tokens(server: &TestServer) {
    let alice = server.user("alice");
    for name in ["alice", "ALICE", "alice@example.org"] {
        let tokens = Tokens::of(&sign_in(server, name, "correct horse"));
        assert_eq!(bearer(server, &tokens.access).get("/user").json()["id"], json!(alice.id));
        let form = [("grant_type", "refresh_token"), ("refresh_token", tokens.refresh.as_str())];
        assert_eq!(post(server, "token", &form).status(), 200);
    }
    let app = register(server, "read_user", true);
    let more = [("grant_type", "password"), ("username", "alice"), ("password", "correct horse")];
    let reply = post(server, "token", &app.form(true, &more)).assert_status(200);
    assert_eq!(reply.json()["scope"], "read_user", "not beyond the application's");
    assert_refused(&post(server, "token", &app.form(false, &more)), 401, "invalid_client");
}

#[both_databases]
fn whatever_is_wrong_with_name_or_password_gets_the_same_answer(server: &TestServer) {
    server.user("alice");
    for (name, what) in [("bob", "block"), ("carol", "deactivate"), ("dan", "ban")] {
        let user = server.user(name);
        let _ = server.root().post(&format!("/users/{}/{what}", user.id), json!({})).assert_status(201);
    }
    let wrong = sign_in(server, "alice", "wrong");
    assert_refused(&wrong, 400, "invalid_grant");
    for name in ["bob", "carol", "dan"] {
        let reply = sign_in(server, name, "correct horse");
        assert_eq!((reply.status(), reply.text()), (400, wrong.text()), "{name}");
    }
    for (name, password) in [("no-one", "wrong"), ("al\u{0}ice", "correct horse"), ("ghost", "x")] {
        let reply = sign_in(server, name, password);
        assert_eq!((reply.status(), reply.text()), (400, wrong.text()), "{name}");
    }
    server.set("password_authentication_enabled_for_git", &json!(false));
    assert_eq!(sign_in(server, "alice", "correct horse").text(), wrong.text());
}

#[both_databases]
fn a_password_does_not_give_the_mode_of_administrators(server: &TestServer) {
    let (app, only) = (register(server, "api admin_mode", true), register(server, "admin_mode", true));
    let root = [("grant_type", "password"), ("username", "root"), ("password", "root password")];
    for is_on in [false, true] {
        if is_on {
            server.set("admin_mode", &json!(true));
        }
        for scope in ["admin_mode", "api admin_mode"] {
            let form = [&root[..], &[("scope", scope)]].concat();
            assert_refused(&post(server, "token", &form), 400, "invalid_scope");
            assert_refused(&post(server, "token", &app.form(true, &form)), 400, "invalid_scope");
        }
        assert_refused(&post(server, "token", &only.form(true, &root)), 400, "invalid_scope");
        assert_eq!(post(server, "token", &app.form(true, &root)).assert_status(200).json()["scope"], "api");
    }
}

#[both_databases]
fn the_settings_keep_the_rights_of_administrators_from_untrusted_applications(server: &TestServer) {
    server.user("alice");
    let app = register(server, "api read_user", true);
    let form = |scope: &'static str| {
        [("grant_type", "password"), ("username", "root"), ("password", "root password"), ("scope", scope)]
    };
    server.set("disable_admin_oauth_scopes", &json!(true));
    let refused = |reply: &Reply| assert_refused(reply, 400, "invalid_scope");
    refused(&post(server, "token", &app.form(true, &form("api"))));
    refused(&post(server, "token", &form("api")));
    let wrong = [("grant_type", "password"), ("username", "root"), ("password", "wrong"), ("scope", "api")];
    assert_refused(&post(server, "token", &wrong), 400, "invalid_grant");
    let _ = post(server, "token", &app.form(true, &form("read_user"))).assert_status(200);
    assert_eq!(sign_in(server, "alice", "correct horse").status(), 200);
    server.database().execute("UPDATE oauth_applications SET trusted = true");
    let _ = post(server, "token", &app.form(true, &form("api"))).assert_status(200);
}

#[both_databases]
fn an_application_acts_for_itself_and_for_no_user(server: &TestServer) {
    let app = register(server, "api", true);
    let more = [("grant_type", "client_credentials")];
    let reply = post(server, "token", &app.form(true, &more)).assert_status(200).json();
    assert_lacks(&reply, &["refresh_token", "id_token"]);
    let access = text(&reply["access_token"]);
    assert_eq!([status(server, &access), bearer(server, &access).get("/projects").status()], [401, 401]);
    let info = bearer(server, &access).get("//oauth/token/info").assert_status(200).json();
    assert_eq!((&info["resource_owner_id"], &info["application"]["uid"]), (&Value::Null, &json!(app.uid)));
    server.advance(TimeDelta::hours(2));
    assert_refused(&bearer(server, &access).get("//oauth/token/info"), 401, "invalid_token");
    let public = register(server, "api", false);
    assert_refused(&post(server, "token", &public.form(true, &more)), 401, "unauthorized_client");
    assert_refused(
        &post(server, "token", &app.form(true, &[("grant_type", "client_credentials"), ("scope", "sudo")])),
        400,
        "invalid_scope",
    );
}

#[test]
fn wrong_passwords_are_counted_like_those_of_git() {
    let mut limits = Limits::without_rates();
    limits.rates.sign_in_burst_per_account = 3;
    let server = TestServer::start_with(Backend::Sqlite, limits);
    server.user("ann");
    for name in ["ann", "no-one-of-this-name"] {
        let statuses: Vec<u16> = (0..4).map(|_| sign_in(&server, name, "wrong").status()).collect();
        assert_eq!(statuses, [400, 400, 400, 429], "{name}");
    }
    let refused = sign_in(&server, "ann", "correct horse");
    assert_eq!(
        (refused.status(), refused.header("retry-after"), refused.text()),
        (429, "10".to_owned(), "Retry later\n".to_owned())
    );
    let git = server.anonymous().basic("ann", "correct horse").get("//ann/tool.git/info/refs?service=git-upload-pack");
    assert_eq!(git.status(), 429, "one count for both");
    server.advance(TimeDelta::seconds(11));
    assert_eq!(sign_in(&server, "ann", "correct horse").status(), 200);
}
