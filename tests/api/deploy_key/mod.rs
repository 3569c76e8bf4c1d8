//! Deploy keys.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases, keys};

use crate::support::*;

const FIELDS: [&str; 5] = ["id", "title", "key", "created_at", "can_push"];

fn new(title: &str, key: &str) -> Value {
    json!({"title": title, "key": key})
}

fn path(project: i64) -> String {
    format!("/projects/{project}/deploy_keys")
}

fn refusals(key: &Value) -> Value {
    json!({"message": key})
}

#[both_databases]
fn keys_are_added_listed_and_shown(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "p", "private");
    let made = made(&alice, &path(project), json!({"title": "ci", "key": keys::ED25519, "can_push": true}));
    assert_eq!(crate::support::keys(&made), FIELDS.map(str::to_owned).into_iter().collect::<BTreeSet<_>>());
    assert_eq!((&made["title"], &made["can_push"]), (&json!("ci"), &json!(true)));
    assert_eq!(made["key"], keys::stored(keys::ED25519));
    let other = alice.post(&path(project), new("other", keys::RSA_2048)).assert_status(201).json();
    assert_eq!(other["can_push"], false);
    let listed = alice.get(&path(project)).assert_status(200);
    assert_eq!((listed.json(), &*listed.header("x-total")), (json!([made, other]), "2"));
    assert_eq!(alice.get(&format!("{}/{}", path(project), id(&made))).assert_status(200).json(), made);
    alice.get(&format!("{}/9999", path(project))).assert(404, json!({"message": "404 Not found"}));
    let all = server.root().get("/deploy_keys").assert_status(200).json();
    assert_eq!(all[0], json!({"id": made["id"], "title": "ci", "key": made["key"], "created_at": made["created_at"]}));
    assert_eq!(all.as_array().map(Vec::len), Some(2));
}

#[both_databases]
fn only_maintainers_see_and_change_them(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "p", "public");
    let made = made(&alice, &path(project), new("ci", keys::ED25519));
    let one = format!("{}/{}", path(project), id(&made));
    let developer = server.user("developer");
    member(&alice, &format!("/projects/{project}"), developer.id, 30);
    for client in [&*developer, &*server.user("stranger")] {
        client.get(&path(project)).assert(403, forbidden());
        client.get(&one).assert(403, forbidden());
        client.post(&path(project), json!({})).assert(403, forbidden());
        client.put(&one, json!({})).assert(403, forbidden());
        client.post(&format!("{one}/enable"), json!({})).assert(403, forbidden());
        client.delete(&one).assert(403, forbidden());
    }
    server.anonymous().get(&path(project)).assert(401, unauthorized());
    alice.get("/deploy_keys").assert(403, forbidden());
    server.anonymous().get("/deploy_keys").assert(401, unauthorized());
    let maintainer = server.user("maintainer");
    member(&alice, &format!("/projects/{project}"), maintainer.id, 40);
    let _ = maintainer.get(&one).assert_status(200);
}

#[both_databases]
fn every_rule_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "p", "private");
    let refused = |body, want| alice.post(&path(project), body).assert(400, want);
    refused(json!({}), parameter("key is missing, title is missing"));
    refused(new("", keys::ED25519), refusals(&json!({"deploy_key.title": ["can't be blank"]})));
    let no_key = json!({
        "deploy_key.key": ["is invalid", "type is forbidden. Must be RSA, DSA, ECDSA, or ED25519"],
        "deploy_key.fingerprint": ["cannot be generated"],
    });
    refused(new("t", "nonsense"), refusals(&no_key));
    server.set("ed25519_key_restriction", &json!(-1));
    let forbidden = json!({"deploy_key.key": ["type is forbidden. Must be RSA, DSA, or ECDSA"]});
    refused(new("t", keys::ED25519), refusals(&forbidden));
    let one = format!("{}/{}", path(project), id(&made(&alice, &path(project), new("ci", keys::RSA_2048))));
    let nothing = "title, can_push are missing, at least one parameter must be provided";
    alice.put(&one, json!({})).assert(400, parameter(nothing));
    alice.put(&one, json!({"title": " "})).assert(400, refusals(&json!({"deploy_key.title": ["can't be blank"]})));
}

#[both_databases]
fn a_key_is_an_accounts_or_a_projects(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "p", "private");
    made(&alice, "/user/keys", new("t", keys::ED25519));
    let taken = json!({"deploy_key.fingerprint": ["has already been taken"]});
    alice.post(&path(project), new("t", keys::ED25519)).assert(400, refusals(&taken));
    made(&alice, &path(project), new("t", keys::RSA_2048));
    let taken = json!({"fingerprint": ["has already been taken"]});
    alice.post("/user/keys", new("t", keys::RSA_2048)).assert(400, refusals(&taken));
}

#[both_databases]
fn the_same_key_again_changes_nothing_here_and_opens_other_projects_of_the_caller(server: &TestServer) {
    let alice = server.user("alice");
    let first = project(&alice, "first", "private");
    let second = project(&alice, "second", "private");
    let made = made(&alice, &path(first), new("ci", keys::ED25519));
    let mut again = new("other", keys::ED25519);
    again["can_push"] = json!(true);
    assert_eq!(alice.post(&path(first), again.clone()).assert_status(201).json(), made);
    let there = alice.post(&path(second), again).assert_status(201).json();
    assert_eq!((&there["id"], &there["title"], &there["can_push"]), (&made["id"], &json!("ci"), &json!(true)));
    // Another's project, which the caller does not belong to.
    let bob = server.user("bob");
    let third = project(&bob, "third", "private");
    let taken = json!({"deploy_key.fingerprint": ["has already been taken"]});
    bob.post(&path(third), new("t", keys::ED25519)).assert(400, refusals(&taken));
    let enable = format!("{}/{}/enable", path(third), made["id"]);
    bob.post(&enable, json!({})).assert(404, missing("Deploy Key"));
    assert_eq!(bob.get(&path(third)).json(), json!([]));
    member(&alice, &format!("/projects/{first}"), bob.id, 10);
    let enabled = bob.post(&enable, json!({})).assert_status(201).json();
    assert_eq!(enabled, json!({"id": made["id"], "title": "ci", "key": made["key"], "created_at": made["created_at"]}));
    assert_eq!(bob.post(&enable, json!({})).assert_status(201).json(), enabled);
    assert_eq!(bob.get(&path(third)).json()[0]["can_push"], false);
    // Administrators reach every key.
    let fourth = project(&server.root(), "fourth", "private");
    let _ = server.root().post(&format!("{}/{}/enable", path(fourth), made["id"]), json!({})).assert_status(201);
    let unknown = format!("{}/9999/enable", path(fourth));
    server.root().post(&unknown, json!({})).assert(404, missing("Deploy Key"));
}

#[both_databases]
fn a_title_changes_everywhere_and_the_right_to_push_here(server: &TestServer) {
    let alice = server.user("alice");
    let first = project(&alice, "first", "private");
    let second = project(&alice, "second", "private");
    let made = made(&alice, &path(first), new("ci", keys::ED25519));
    let _ = alice.post(&format!("{}/{}/enable", path(second), made["id"]), json!({})).assert_status(201);
    let changed = alice.put(&format!("{}/{}", path(first), made["id"]), json!({"title": "new", "can_push": true}));
    let changed = changed.assert_status(200).json();
    assert_eq!((&changed["title"], &changed["can_push"]), (&json!("new"), &json!(true)));
    let there = alice.get(&format!("{}/{}", path(second), made["id"])).assert_status(200).json();
    assert_eq!((&there["title"], &there["can_push"]), (&json!("new"), &json!(false)));
    alice.put(&format!("{}/9999", path(first)), json!({"title": "t"})).assert(404, json!({"message": "404 Not found"}));
}

#[both_databases]
fn a_key_that_opens_nothing_any_more_is_removed(server: &TestServer) {
    let alice = server.user("alice");
    let first = project(&alice, "first", "private");
    let second = project(&alice, "second", "private");
    let made = made(&alice, &path(first), new("ci", keys::ED25519));
    let [here, there] = [first, second].map(|project| format!("{}/{}", path(project), made["id"]));
    let _ = alice.post(&format!("{there}/enable"), json!({})).assert_status(201);
    let _ = alice.delete(&here).assert_status(204);
    alice.delete(&here).assert(404, missing("Deploy Key"));
    let _ = alice.get(&there).assert_status(200);
    let _ = alice.delete(&format!("/projects/{second}")).assert_status(202);
    server.run_jobs();
    assert_eq!(server.root().get("/deploy_keys").json(), json!([]));
    let _ = alice.post("/user/keys", new("t", keys::ED25519)).assert_status(201);
}

#[both_databases]
fn a_key_outlives_the_account_that_added_it(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let project = project(&alice, "p", "private");
    member(&alice, &format!("/projects/{project}"), bob.id, 40);
    let made = made(&bob, &path(project), new("ci", keys::ED25519));
    let _ = server.root().delete(&format!("/users/{}", bob.id)).assert_status(204);
    server.run_jobs();
    assert_eq!(alice.get(&format!("{}/{}", path(project), made["id"])).assert_status(200).json(), made);
}
