//! Lists of users: the users that each caller sees, filters and orders.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

fn found(server: &TestServer, query: &str) -> Vec<String> {
    texts(&server.root().get(&format!("/users?{query}")).assert_status(200), "username")
}

#[both_databases]
fn each_caller_has_a_view_of_the_list(server: &TestServer) {
    let alice = server.user("alice");
    server.user_with("outsider", &json!({"external": true}));
    let listed = alice.get("/users").assert_status(200);
    assert_eq!(keys(&listed.json()[0]), BASIC_USER.map(str::to_owned).into());
    assert_eq!(texts(&listed, "username"), ["alice", "root"]);
    let all = server.root().get("/users").assert_status(200);
    assert_has(&all.json()[0], &["email", "is_admin", "identities"]);
    assert_eq!(texts(&all, "username"), ["outsider", "alice", "root"]);
}

#[both_databases]
fn every_filter_works_alone(server: &TestServer) {
    for name in ["anna", "bert", "carl"] {
        server.user_with(name, &json!({"name": format!("{name} Example")}));
    }
    server.user_with("outsider", &json!({"external": true, "extern_uid": "UID=7", "provider": "ldap"}));
    let blocked = server.user("blocked");
    let _ = server.root().post(&format!("/users/{}/block", blocked.id), json!({})).assert_status(201);
    let _ = server
        .root()
        .put(&format!("/users/{}/custom_attributes/team", blocked.id), json!({"value": "x"}))
        .assert_status(200);
    for (query, want) in [
        ("username=ANNA", vec!["anna"]),
        ("username=no-one", vec![]),
        ("blocked=true", vec!["blocked"]),
        ("active=true", vec!["outsider", "carl", "bert", "anna", "root"]),
        ("blocked=false&active=false", vec!["blocked", "outsider", "carl", "bert", "anna", "root"]),
        ("external=true", vec!["outsider"]),
        ("extern_uid=uid=7&provider=ldap", vec!["outsider"]),
        ("extern_uid=uid=7&provider=other", vec![]),
        ("custom_attributes[team]=x", vec!["blocked"]),
        ("custom_attributes[team]=x&custom_attributes[other]=y", vec![]),
        ("search=nna", vec!["anna"]),
        ("search=ber%20mple", vec!["bert"]),
        ("search=an", vec![]),
        ("search=carl@example.org", vec!["carl"]),
        ("search=", vec!["blocked", "outsider", "carl", "bert", "anna", "root"]),
        ("two_factor=disabled", vec!["blocked", "outsider", "carl", "bert", "anna", "root"]),
        ("two_factor=enabled", vec![]),
        ("created_before=2026-03-01", vec![]),
        ("created_after=2026-03-01T00:00:00Z&username=anna", vec!["anna"]),
        ("search=example&blocked=true", vec![]),
    ] {
        assert_eq!(found(server, query), want, "{query}");
    }
}

#[both_databases]
fn every_order_works_both_ways(server: &TestServer) {
    for (username, name) in [("anna", "Zoe"), ("bert", "yann")] {
        server.user_with(username, &json!({"name": name}));
    }
    assert_eq!(found(server, "order_by=id&sort=asc"), ["root", "anna", "bert"]);
    assert_eq!(found(server, "order_by=id"), ["bert", "anna", "root"]);
    assert_eq!(found(server, "order_by=username&sort=asc"), ["anna", "bert", "root"]);
    assert_eq!(found(server, "order_by=username&sort=desc"), ["root", "bert", "anna"]);
    assert_eq!(found(server, "order_by=created_at&sort=asc"), ["root", "anna", "bert"]);
    assert_eq!(found(server, "order_by=name&sort=asc").len(), 3);
    let _ = server.root().put("/users/2", json!({"bio": "x"})).assert_status(200);
    assert_eq!(found(server, "order_by=updated_at&sort=desc")[0], "anna");
}

#[both_databases]
fn filters_for_administrators_are_refused_or_ignored_for_others(server: &TestServer) {
    let alice = server.user("alice");
    alice.get("/users?external=true").assert(403, forbidden());
    alice.get("/users?extern_uid=1&provider=x").assert(403, forbidden());
    server.anonymous().get("/users?external=true&username=alice").assert(401, unauthorized());
    server.anonymous().get("/users?extern_uid=1&provider=x&username=alice").assert(401, unauthorized());
    let pair = parameter("extern_uid, provider provide all or none of parameters");
    server.root().get("/users?extern_uid=1").assert(400, pair.clone());
    server.root().get("/users?provider=x").assert(400, pair);
    for ignored in [
        "created_after=2030-01-01",
        "created_before=2000-01-01",
        "two_factor=enabled",
        "order_by=id&sort=asc",
        "custom_attributes[x]=y",
    ] {
        assert_eq!(
            texts(&alice.get(&format!("/users?{ignored}")).assert_status(200), "username"),
            ["alice", "root"],
            "{ignored}"
        );
    }
    alice.get("/users?order_by=bad").assert(400, parameter("order_by does not have a valid value"));
    server.root().get("/users?custom_attributes=x").assert(400, parameter("custom_attributes is invalid"));
}

#[both_databases]
fn by_what_an_account_is(server: &TestServer) {
    let (anna, bert) = (server.user("anna"), server.user("bert"));
    server.user_with("outsider", &json!({"external": true}));
    let blocked = server.user("blocked");
    let _ = server.root().post(&format!("/users/{}/block", blocked.id), json!({})).assert_status(201);
    changed(&server.root(), &format!("/users/{}", anna.id), json!({"public_email": "anna@example.org"}));
    let team = group(&anna, "team", "public");
    member(&anna, &format!("/groups/{team}"), bert.id, 10);
    let all = vec!["blocked", "outsider", "bert", "anna", "root"];
    let nobody_in_projects = all.clone();
    for (query, want) in [
        ("admins=true", vec!["root"]),
        ("admins=false", all.clone()),
        ("exclude_active=true", vec!["blocked"]),
        ("exclude_external=true", vec!["blocked", "bert", "anna", "root"]),
        ("exclude_humans=true", vec![]),
        ("humans=true", all.clone()),
        ("exclude_internal=true", all.clone()),
        ("without_project_bots=true", all),
        ("public_email=anna@example.org", vec!["anna"]),
        ("public_email=bert@example.org", vec![]),
        ("without_projects=true", nobody_in_projects),
    ] {
        assert_eq!(found(server, query), want, "{query}");
    }
    // A ghost is an account, and no person.
    let ghost_of = server.user("author");
    let open = project(&anna, "open", "public");
    titled(&ghost_of, open, "stays");
    let _ = server.root().delete(&format!("/users/{}", ghost_of.id)).assert_status(204);
    server.run_jobs();
    assert_eq!(found(server, "exclude_humans=true"), ["ghost"]);
    assert!(!found(server, "humans=true").contains(&"ghost".to_owned()));
    assert!(!found(server, "exclude_internal=true").contains(&"ghost".to_owned()));
    // Of her own; then of a group below one of which bert is a member.
    assert!(!found(server, "without_projects=true").contains(&"anna".to_owned()));
    assert!(found(server, "without_projects=true").contains(&"bert".to_owned()));
    let below = subgroup(&anna, team, "below", "public");
    project_in(&anna, below, "tool", "public");
    assert_eq!(found(server, "without_projects=true&humans=true"), ["blocked", "outsider", "root"]);
    // Asked by others, the filters for administrators are passed over.
    let names = texts(&bert.get("/users?admins=true&without_projects=true&humans=true").assert_status(200), "username");
    assert_eq!(names, ["blocked", "bert", "anna", "root"]);
}
