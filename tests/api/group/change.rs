//! Creating and changing groups.

use serde_json::{Value, json};
use tenon_testkit::{Client, Multipart, TestServer, both_databases};

use crate::support::*;

fn refused(client: &Client, body: Value, inner: &str) {
    client.post("/groups", body).assert(400, json!({"message": format!("Failed to save group {inner}")}));
}

#[both_databases]
fn every_rule_of_creation_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    group(&alice, "team", "private");
    let parent = group(&alice, "parent", "private");
    alice.post("/groups", json!({})).assert(400, parameter("name is missing, path is missing"));
    alice
        .post("/groups", json!({"name": "x", "path": "x", "visibility": "x"}))
        .assert(400, parameter("visibility does not have a valid value"));
    refused(&alice, json!({"name": "x", "path": "TEAM"}), r#"{:path=>["has already been taken"]}"#);
    refused(&alice, json!({"name": "x", "path": "alice"}), r#"{:path=>["has already been taken"]}"#);
    refused(
        &alice,
        json!({"name": "x", "path": "a b"}),
        r#"{:path=>["can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."]}"#,
    );
    refused(&alice, json!({"name": "x", "path": "admin"}), r#"{:path=>["admin is a reserved name"]}"#);
    refused(
        &alice,
        json!({"name": "a/b", "path": "x"}),
        r#"{:name=>["can contain only letters, digits, '_', '.', dash and space."]}"#,
    );
    refused(
        &alice,
        json!({"name": "x", "path": "x", "description": "x".repeat(256)}),
        r#"{:description=>["is too long (maximum is 255 characters)"]}"#,
    );
    refused(
        &alice,
        json!({"name": "x", "path": "x", "parent_id": parent, "visibility": "public"}),
        r#"{:visibility_level=>["public is not allowed since the parent group has a private visibility."]}"#,
    );
    alice.post("/groups", json!({"name": "x", "path": "x", "parent_id": 999_999})).assert(404, missing("Group"));
    server.anonymous().post("/groups", json!({})).assert(401, unauthorized());
    let bob = server.user_with("bob", &json!({"can_create_group": false}));
    bob.post("/groups", json!({"name": "x", "path": "x"})).assert(403, forbidden());
    bob.post("/groups", json!({"name": "x", "path": "x", "parent_id": parent})).assert(404, missing("Group"));
}

#[both_databases]
fn groups_nest_twenty_deep_and_no_deeper(server: &TestServer) {
    let alice = server.user("alice");
    let mut parent = group(&alice, "g0", "private");
    for depth in 1..=20 {
        parent = subgroup(&alice, parent, &format!("g{depth}"), "private");
    }
    refused(
        &alice,
        json!({"name": "x", "path": "x", "parent_id": parent}),
        r#"{:parent_id=>["has too deep level of nesting"]}"#,
    );
}

#[both_databases]
fn siblings_may_share_a_name_and_cousins_a_path(server: &TestServer) {
    let alice = server.user("alice");
    let (one, two) = (group(&alice, "one", "public"), group(&alice, "two", "public"));
    subgroup(&alice, one, "same", "public");
    subgroup(&alice, two, "same", "public");
    made(&alice, "/groups", json!({"name": "same", "path": "other", "parent_id": one, "visibility": "public"}));
}

#[both_databases]
fn an_edit_changes_only_what_is_sent(server: &TestServer) {
    let alice = server.user("alice");
    let team = id(&made(
        &alice,
        "/groups",
        json!({"name": "Team", "path": "team", "visibility": "public", "description": "d", "request_access_enabled": true}),
    ));
    let edited = alice.put(&format!("/groups/{team}"), json!({"name": "Crew"})).assert_status(200).json();
    assert_eq!(
        (
            &edited["name"],
            &edited["visibility"],
            &edited["description"],
            &edited["request_access_enabled"],
            &edited["path"]
        ),
        (&json!("Crew"), &json!("public"), &json!("d"), &json!(true), &json!("team"))
    );
    assert_has(&edited, &["projects", "shared_projects"]);
}

#[both_databases]
fn every_rule_of_an_edit_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let (team, _) = (group(&alice, "team", "public"), group(&alice, "other", "public"));
    let path = format!("/groups/{team}");
    alice.put(&path, json!({"path": "other"})).assert(400, field("path", "has already been taken"));
    alice.put(&path, json!({"path": "a b"})).assert(400, field("path", "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."));
    project_in(&alice, team, "tool", "public");
    alice.put(&path, json!({"visibility": "private"})).assert(
        400,
        field("visibility_level", "private is not allowed since this group contains projects with higher visibility."),
    );
    let parent = group(&alice, "parent", "public");
    let child = subgroup(&alice, parent, "child", "public");
    alice.put(&format!("/groups/{parent}"), json!({"visibility": "internal"})).assert(
        400,
        field("visibility_level", "internal is not allowed since there are sub-groups with higher visibility."),
    );
    let _ = alice.put(&format!("/groups/{child}"), json!({"visibility": "private"})).assert_status(200);
    let _ = alice.put(&format!("/groups/{parent}"), json!({"visibility": "private"})).assert_status(200);
    alice.put(&format!("/groups/{child}"), json!({"visibility": "public"})).assert(
        400,
        field("visibility_level", "public is not allowed since the parent group has a private visibility."),
    );
    alice.put("/groups/999999", json!({"name": "x"})).assert(404, missing("Group"));
    server.anonymous().put(&path, json!({"name": "x"})).assert(401, unauthorized());
}

#[both_databases]
fn a_group_has_a_picture(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "private");
    let form = Multipart::default().file("avatar", "team.png", PIXEL);
    let set = alice.multipart("PUT", &format!("/groups/{team}"), &form).assert_status(200).json();
    assert_eq!(set["avatar_url"], format!("{}/uploads/-/system/group/avatar/{team}/team.png", server.base()));
    let file = format!("//uploads/-/system/group/avatar/{team}/team.png");
    assert_eq!(alice.get(&file).assert_status(200).bytes(), PIXEL);
    let _ = server.anonymous().get(&file).assert_status(404);
    let gone = alice.put(&format!("/groups/{team}"), json!({"avatar": ""})).assert_status(200).json();
    assert_eq!(gone["avatar_url"], Value::Null);
}
