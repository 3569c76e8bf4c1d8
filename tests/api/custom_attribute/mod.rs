//! Custom attributes of users, groups and projects.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

/// One of each kind, with the name that its 404 uses.
fn holders(server: &TestServer) -> [(String, &'static str, String); 3] {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    let tool = project(&alice, "tool", "public");
    [
        (format!("/users/{}", alice.id), "User", "/users/999999".to_owned()),
        (format!("/groups/{team}"), "Group", "/groups/999999".to_owned()),
        (format!("/projects/{tool}"), "Project", "/projects/999999".to_owned()),
    ]
}

#[both_databases]
fn an_attribute_is_set_read_replaced_and_removed(server: &TestServer) {
    let root = server.root();
    for (holder, _, _) in holders(server) {
        let all = format!("{holder}/custom_attributes");
        let one = format!("{all}/colour");
        assert_eq!(root.get(&all).assert_status(200).json(), json!([]));
        root.get(&one).assert(404, json!({"message": "404 Not found"}));
        root.put(&one, json!({"value": "green"})).assert(200, json!({"key": "colour", "value": "green"}));
        root.put(&one, json!({"value": "blue"})).assert(200, json!({"key": "colour", "value": "blue"}));
        root.get(&one).assert(200, json!({"key": "colour", "value": "blue"}));
        root.get(&all).assert(200, json!([{"key": "colour", "value": "blue"}]));
        let _ = root.delete(&one).assert_status(204);
        root.delete(&one).assert(404, json!({"message": "404 Not found"}));
    }
}

#[both_databases]
fn every_rule_has_its_text(server: &TestServer) {
    let root = server.root();
    for (holder, name, absent) in holders(server) {
        let one = format!("{holder}/custom_attributes/colour");
        root.put(&one, json!({})).assert(400, parameter("value is missing"));
        root.put(&one, json!({"value": ""})).assert(400, field("value", "can't be blank"));
        root.get(&format!("{absent}/custom_attributes")).assert(404, missing(name));
        root.put(&format!("{absent}/custom_attributes/x"), json!({"value": "x"})).assert(404, missing(name));
    }
}

#[both_databases]
fn attributes_are_for_administrators(server: &TestServer) {
    let stranger = server.user("stranger");
    for (holder, _, _) in holders(server) {
        let one = format!("{holder}/custom_attributes/colour");
        for path in [format!("{holder}/custom_attributes"), one.clone()] {
            stranger.get(&path).assert(403, forbidden());
            server.anonymous().get(&path).assert(403, forbidden());
        }
        stranger.put(&one, json!({"value": "x"})).assert(403, forbidden());
        stranger.delete(&one).assert(403, forbidden());
        server.anonymous().put(&one, json!({"value": "x"})).assert(401, unauthorized());
        server.anonymous().delete(&one).assert(401, unauthorized());
    }
}

#[both_databases]
fn lists_are_filtered_by_all_pairs_for_administrators(server: &TestServer) {
    let root = server.root();
    for (holder, _, _) in holders(server) {
        for (key, value) in [("a", "1"), ("b", "2")] {
            let _ = root.put(&format!("{holder}/custom_attributes/{key}"), json!({"value": value})).assert_status(200);
        }
    }
    let stranger = server.user("stranger");
    for list in ["/users", "/groups", "/projects"] {
        let count = |query: &str| root.get(&format!("{list}?{query}")).assert_status(200).header("x-total");
        assert_eq!(count("custom_attributes[a]=1"), "1", "{list}");
        assert_eq!(count("custom_attributes%5Ba%5D=1&custom_attributes%5Bb%5D=2"), "1", "{list}");
        assert_eq!(count("custom_attributes[a]=1&custom_attributes[b]=3"), "0", "{list}");
        let all = stranger.get(&format!("{list}?all_available=true")).header("x-total");
        assert_eq!(
            stranger.get(&format!("{list}?all_available=true&custom_attributes[a]=9")).header("x-total"),
            all,
            "{list}"
        );
    }
}

#[both_databases]
fn a_removed_holder_takes_its_attributes_along(server: &TestServer) {
    let root = server.root();
    let tool = project(&root, "tool", "public");
    let _ = root.put(&format!("/projects/{tool}/custom_attributes/a"), json!({"value": "1"})).assert_status(200);
    let _ = root.delete(&format!("/projects/{tool}")).assert_status(202);
    server.run_jobs();
    root.get(&format!("/projects/{tool}/custom_attributes")).assert(404, missing("Project"));
    assert_eq!(root.get("/projects?custom_attributes[a]=1").header("x-total"), "0");
}
