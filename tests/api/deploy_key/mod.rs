//! Deploy keys.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases, keys};

use crate::support::*;

const FIELDS: [&str; 8] =
    ["id", "title", "key", "fingerprint", "fingerprint_sha256", "created_at", "expires_at", "can_push"];

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
    for (name, value) in made.as_object().into_iter().flatten().filter(|(name, _)| *name != "can_push") {
        assert_eq!(&all[0][name], value, "{name}");
    }
    let shown = alice.get(&format!("/projects/{project}")).json();
    let opened = ["id", "description", "name", "name_with_namespace", "path", "path_with_namespace", "created_at"]
        .map(|name| (name.to_owned(), shown[name].clone()));
    let opened = Value::Object(opened.into_iter().collect());
    for (key, writable, readonly) in [(&all[0], json!([opened]), json!([])), (&all[1], json!([]), json!([opened]))] {
        assert_eq!(
            (&key["projects_with_write_access"], &key["projects_with_readonly_access"]),
            (&writable, &readonly)
        );
        assert_lacks(key, &["can_push"]);
    }
    assert_eq!(all.as_array().map(Vec::len), Some(2));
}

/// What a client sends that compares what it has set with what it reads.
#[both_databases]
fn a_key_reads_as_it_was_written(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "p", "private");
    let mut wanted =
        json!({"title": "ci", "key": keys::stored(keys::ED25519), "can_push": true, "expires_at": "2026-12-31T09:00:00.000Z"});
    let one = format!("{}/{}", path(project), id(&made(&alice, &path(project), wanted.clone())));
    let assert_reads = |wanted: &Value| {
        let read = alice.get(&one).assert_status(200).json();
        for (name, value) in wanted.as_object().into_iter().flatten() {
            assert_eq!(&read[name], value, "{name}");
        }
        assert!(read["fingerprint_sha256"].as_str().is_some_and(|text| text.starts_with("SHA256:")), "{read}");
        assert_eq!(read["fingerprint"].as_str().map(str::len), Some(47), "{read}");
    };
    assert_reads(&wanted);
    for (name, value) in [("title", json!("deploy")), ("can_push", json!(false))] {
        wanted[name] = value.clone();
        let _ = alice.put(&one, json!({name: value})).assert_status(200);
        assert_reads(&wanted);
    }
}

#[both_databases]
fn a_key_opens_nothing_once_it_has_expired(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "p", "private");
    let with = |key: &str, end: &str| json!({"title": "ci", "key": key, "expires_at": end});
    let passed = json!({"deploy_key.expires_at": ["must be in the future"]});
    alice.post(&path(project), with(keys::ED25519, "2026-03-02T12:00:00Z")).assert(400, refusals(&passed));
    alice.post(&path(project), with(keys::ED25519, "soon")).assert(400, parameter("expires_at is invalid"));
    let key = made(&alice, &path(project), with(keys::ED25519, "2026-03-02T13:00:00Z"));
    let sha256 = key["fingerprint_sha256"].as_str().unwrap_or_default().trim_start_matches("SHA256:").to_owned();
    let opens = || {
        let network = tenon_app::Network::of(None);
        server.wait_for(server.app().ssh_caller(sha256.clone(), network)).expect("an answer").is_some()
    };
    assert!(opens());
    server.advance(TimeDelta::hours(1));
    assert!(!opens());
    assert_eq!(alice.get(&path(project)).json(), json!([key]), "it stays in the list");
}

#[both_databases]
fn the_list_of_all_keys_costs_the_same_however_many_projects_they_open(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let first = project(&alice, "first", "private");
    made(&alice, &path(first), new("ci", keys::ED25519));
    let count = || server.count_statements(|| drop(root.get("/deploy_keys").assert_status(200)));
    let _known = count();
    let few = count();
    for name in ["second", "third"] {
        made(&alice, &path(project(&alice, name, "private")), new("ci", keys::ED25519));
    }
    made(&alice, &path(first), new("other", keys::RSA_2048));
    assert_eq!(count(), few);
    let all = root.get("/deploy_keys").json();
    assert_eq!(all[0]["projects_with_readonly_access"].as_array().map(Vec::len), Some(3));
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
    for (name, value) in made.as_object().into_iter().flatten().filter(|(name, _)| *name != "can_push") {
        assert_eq!(&enabled[name], value, "{name}");
    }
    assert_lacks(&enabled, &["can_push"]);
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
