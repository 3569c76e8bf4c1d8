//! The uses of access tokens.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::*;

#[both_databases]
fn an_access_token_works_in_the_header_and_as_a_parameter(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let access = app.tokens(server, &alice, "api").access;
    assert_eq!(access.split('.').count(), 3);
    assert_eq!(status(server, &access), 200);
    assert_eq!(server.anonymous().get(&format!("/user?access_token={access}")).status(), 200);
    assert_eq!(bearer(server, &access).get(&format!("/user?access_token={access}")).status(), 400);
    let _ = bearer(server, &access).post("/projects", json!({"name": "tool"})).assert_status(201);
    let itself = bearer(server, &access).get("/personal_access_tokens/self");
    assert_eq!(itself.status(), 400, "not a personal token");
    assert_eq!(alice.get("/personal_access_tokens").header("x-total"), "1", "and not listed as one");
}

#[both_databases]
fn an_access_token_is_limited_to_its_scopes(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "read_user openid sudo", true));
    let access = app.tokens(server, &alice, "read_user").access;
    assert_eq!(status(server, &access), 200);
    let refused = bearer(server, &access).get("/projects").assert_status(403);
    assert_eq!(refused.json()["error"], "insufficient_scope");
    let access = app.tokens(server, &alice, "openid").access;
    assert_eq!(status(server, &access), 403);
    let access = app.tokens(server, &alice, "sudo").access;
    assert_eq!(bearer(server, &access).header("Sudo", "root").get("/user").status(), 403, "not an administrator");
}

#[both_databases]
fn a_changed_token_is_unknown_whatever_it_says(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api", true));
    let access = app.tokens(server, &alice, "api").access;
    let parts: Vec<&str> = access.split('.').collect();
    let [head, claims, signature] = parts[..] else { panic!("three parts") };
    // {"alg":"none"} and {"alg":"HS256"}.
    let (none, symmetric) = ("eyJhbGciOiJub25lIn0", "eyJhbGciOiJIUzI1NiJ9");
    let last = if signature.ends_with('A') { "B" } else { "A" };
    for changed in [
        format!("{none}.{claims}."),
        format!("{none}.{claims}.{signature}"),
        format!("{symmetric}.{claims}.{signature}"),
        format!("{head}.{claims}."),
        format!("{head}.{claims}"),
        format!("{head}.{claims}x.{signature}"),
        format!("{head}.{claims}.{}{last}", &signature[..signature.len() - 1]),
        format!("{access}="),
    ] {
        bearer(server, &changed).get("/user").assert(401, unauthorized());
    }
    assert_eq!(status(server, &access), 200);
}

#[both_databases]
fn an_access_token_is_good_for_git_under_one_user_name(server: &TestServer) {
    let (alice, app) = (server.user("alice"), register(server, "api read_user write_repository", true));
    let _ = alice.post("/projects", json!({"name": "tool", "initialize_with_readme": true})).assert_status(201);
    let git = |name: &str, access: &str, service: &str| {
        let path = format!("//alice/tool.git/info/refs?service={service}");
        server.anonymous().basic(name, access).get(&path).status()
    };
    let (fetch, push) = ("git-upload-pack", "git-receive-pack");
    let access = app.tokens(server, &alice, "api").access;
    assert_eq!([git("oauth2", &access, fetch), git("oauth2", &access, push)], [200, 200]);
    assert_eq!([git("alice", &access, fetch), git("", &access, fetch)], [401, 401]);
    let access = app.tokens(server, &alice, "read_user").access;
    assert_eq!([git("oauth2", &access, fetch), git("oauth2", &access, push)], [403, 403]);
    let tokens = app.tokens(server, &alice, "write_repository");
    assert_eq!([git("oauth2", &tokens.access, fetch), git("oauth2", &tokens.access, push)], [200, 200]);
    let revoked = post(server, "revoke", &app.form(true, &[("token", &tokens.access)]));
    assert_eq!((revoked.status(), git("oauth2", &tokens.access, fetch)), (200, 401));
    assert_eq!([git("oauth2", &alice.token, fetch), git("anything", &alice.token, fetch)], [200, 200]);
}
