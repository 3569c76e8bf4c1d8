//! New users.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

fn valid(more: &Value) -> Value {
    let mut body = json!({"email": "new@example.org", "username": "new", "name": "New", "password": "correct horse"});
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    body
}

fn refused(server: &TestServer, more: &Value, attribute: &str) -> String {
    let reply = server.root().post("/users", valid(more));
    assert_eq!(reply.status(), 400, "{more}: {}", reply.text());
    reply.json()["message"][attribute][0].as_str().unwrap_or_else(|| panic!("{more}: {}", reply.text())).to_owned()
}

#[both_databases]
fn a_new_user_is_as_described(server: &TestServer) {
    let made = made(
        &server.root(),
        "/users",
        valid(&json!({
            "messenger": "m", "professional_network": "p", "microblog": "b", "website_url": "https://example.org", "organization": "o",
            "projects_limit": 3, "extern_uid": "7", "provider": "ldap", "bio": "bio", "location": "here", "admin": true,
            "can_create_group": false, "skip_confirmation": true, "private_profile": true,
        })),
    );
    for (name, want) in [
        ("messenger", json!("m")),
        ("professional_network", json!("p")),
        ("microblog", json!("b")),
        ("website_url", json!("https://example.org")),
        ("organization", json!("o")),
        ("projects_limit", json!(3)),
        ("identities", json!([{"provider": "ldap", "extern_uid": "7"}])),
        ("bio", json!("bio")),
        ("location", json!("here")),
        ("can_create_group", json!(false)),
        ("private_profile", json!(true)),
    ] {
        assert_eq!(made[name], want, "{name}");
    }
    assert_eq!(server.root().get(&format!("/users/{}", id(&made))).json()["is_admin"], true);
    assert_eq!(texts(&server.root().get("/namespaces?search=new"), "kind"), ["user"]);
}

#[both_databases]
fn what_is_missing_is_named_in_order(server: &TestServer) {
    let all = "email is missing, password, reset_password are missing, at least one parameter must be provided, name is missing, username is missing";
    server.root().post("/users", json!({})).assert(400, parameter(all));
    server
        .root()
        .post("/users", json!({"email": "a@b", "username": "a", "name": "a"}))
        .assert(400, parameter("password, reset_password are missing, at least one parameter must be provided"));
    let alice = server.user("alice");
    alice.post("/users", json!({})).assert(400, parameter(all));
    alice.post("/users", valid(&json!({}))).assert(403, forbidden());
    server.anonymous().post("/users", json!({})).assert(401, unauthorized());
}

#[both_databases]
fn every_rule_has_its_text(server: &TestServer) {
    assert_eq!(
        refused(server, &json!({"username": "a b"}), "username"),
        "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."
    );
    assert_eq!(refused(server, &json!({"username": "admin"}), "username"), "admin is a reserved name");
    assert_eq!(refused(server, &json!({"email": "nonsense"}), "email"), "is invalid");
    assert_eq!(refused(server, &json!({"email": "a b@example.org"}), "email"), "is invalid");
    assert_eq!(refused(server, &json!({"password": "short"}), "password"), "is too short (minimum is 8 characters)");
    assert_eq!(
        refused(server, &json!({"password": "x".repeat(129)}), "password"),
        "is too long (maximum is 128 characters)"
    );
    assert_eq!(refused(server, &json!({"name": ""}), "name"), "can't be blank");
    assert_eq!(refused(server, &json!({"bio": "x".repeat(256)}), "bio"), "is too long (maximum is 255 characters)");
    assert_eq!(refused(server, &json!({"projects_limit": -1}), "projects_limit"), "must be greater than or equal to 0");
    let blank = json!({"email": "new@example.org", "username": "new", "name": "New", "reset_password": false});
    server.root().post("/users", blank).assert(400, field("password", "can't be blank"));
    server.root().post("/users", valid(&json!({"admin": "perhaps"}))).assert(400, parameter("admin is invalid"));
}

#[both_databases]
fn taken_values_are_named(server: &TestServer) {
    let alice = server.user("alice");
    server
        .root()
        .post("/users", valid(&json!({"username": "alice"})))
        .assert(409, json!({"message": "Username has already been taken"}));
    server
        .root()
        .post("/users", valid(&json!({"email": "alice@example.org"})))
        .assert(409, json!({"message": "Email has already been taken"}));
    let both = valid(&json!({"email": "alice@example.org", "username": "alice"}));
    server.root().post("/users", both).assert(409, json!({"message": "Email has already been taken"}));
    group(&alice, "team", "public");
    assert_eq!(refused(server, &json!({"username": "TEAM"}), "username"), "has already been taken");
    made(&server.root(), "/users", valid(&json!({"extern_uid": "7", "provider": "ldap"})));
    let twin = json!({"email": "b@example.org", "username": "b", "extern_uid": "7", "provider": "ldap"});
    assert_eq!(refused(server, &twin, "identities.extern_uid"), "has already been taken");
}

#[both_databases]
fn an_external_user_makes_nothing(server: &TestServer) {
    let made = made(
        &server.root(),
        "/users",
        valid(&json!({"external": true, "can_create_group": true, "projects_limit": 9})),
    );
    assert_eq!(
        (&made["can_create_group"], &made["projects_limit"], &made["external"]),
        (&json!(false), &json!(0), &json!(true))
    );
    let external = server.client(&server.token(id(&made), &["api"]));
    external.post("/groups", json!({"name": "x", "path": "x"})).assert(403, forbidden());
    let text = "Personal project creation is not allowed. Please contact your administrator with questions";
    external.post("/projects", json!({"name": "x"})).assert(403, json!({"error": [text]}));
}

#[both_databases]
fn a_password_can_be_left_to_the_server(server: &TestServer) {
    for more in [json!({"reset_password": true}), json!({"force_random_password": true})] {
        let mut body = json!({"email": format!("{}@example.org", more.to_string().len()), "username": format!("u{}", more.to_string().len()), "name": "x"});
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let _ = made(&server.root(), "/users", body);
    }
}

#[both_databases]
fn the_newer_names_of_profile_fields_are_taken_as_well(server: &TestServer) {
    let made = made(&server.root(), "/users", valid(&json!({"skype": "s", "linkedin": "l", "twitter": "t"})));
    assert_eq!(
        (&made["messenger"], &made["professional_network"], &made["microblog"]),
        (&json!("s"), &json!("l"), &json!("t"))
    );
    assert_eq!((&made["skype"], &made["linkedin"], &made["twitter"]), (&json!("s"), &json!("l"), &json!("t")));
}

#[both_databases]
fn an_unconfirmed_user_has_no_date_of_confirmation(server: &TestServer) {
    assert_eq!(made(&server.root(), "/users", valid(&json!({})))["confirmed_at"], Value::Null);
}
