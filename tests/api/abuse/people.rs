//! The data that people may see of each other.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

/// The fields that only the person and administrators see.
const PRIVATE: [&str; 14] = [
    "email",
    "is_admin",
    "last_sign_in_at",
    "current_sign_in_at",
    "confirmed_at",
    "identities",
    "projects_limit",
    "can_create_group",
    "can_create_project",
    "two_factor_enabled",
    "external",
    "private_profile",
    "theme_id",
    "last_activity_on",
];

#[both_databases]
fn no_one_lists_users_without_signing_in(server: &TestServer) {
    server.user("alice");
    let refusal = json!({"message": "403 Forbidden - Not authorized to access /api/v4/users"});
    for query in ["", "?search=alice", "?username=", "?active=true"] {
        server.anonymous().get(&format!("/users{query}")).assert(403, refusal.clone());
    }
    let reply = server.anonymous().get("/users?username=ALICE").assert_status(200);
    assert_eq!(keys(&reply.json()[0]), BASIC_USER.map(str::to_owned).into());
    assert_eq!(server.anonymous().get("/users?username=no-one").json(), json!([]));
}

#[both_databases]
fn what_is_private_about_a_person_stays_so(server: &TestServer) {
    let alice = server.user_with("alice", &json!({"extern_uid": "u1", "provider": "ldap"}));
    for caller in [server.anonymous(), server.user("bob").clone(), alice.clone()] {
        let shown = caller.get(&format!("/users/{}", alice.id)).assert_status(200);
        assert_lacks(&shown.json(), &PRIVATE);
        assert!(!shown.text().contains("alice@example.org"), "{}", shown.text());
    }
    let bob = server.user("rob");
    let listed = bob.get("/users").assert_status(200);
    assert!(!listed.text().contains("@example.org"), "{}", listed.text());
    assert_lacks(&listed.json()[0], &PRIVATE);
    let own = alice.get("/user").json();
    assert_has(&own, &["email", "identities"]);
    assert_lacks(&own, &["is_admin"]);
}

#[both_databases]
fn a_private_profile_hides_when_it_began_and_its_projects(server: &TestServer) {
    let alice = server.user_with("alice", &json!({"private_profile": true}));
    project(&alice, "open", "public");
    let path = format!("/users/{}", alice.id);
    for caller in [server.anonymous(), server.user("bob").clone()] {
        assert_lacks(&caller.get(&path).assert_status(200).json(), &["created_at"]);
        assert_eq!(caller.get(&format!("{path}/projects")).assert_status(200).json(), json!([]));
    }
    for caller in [server.root(), alice.clone()] {
        assert_has(&caller.get(&path).json(), &["created_at"]);
        assert_eq!(names(&caller.get(&format!("{path}/projects"))), ["open"]);
    }
}

#[both_databases]
fn a_search_finds_no_one_by_a_private_address(server: &TestServer) {
    let alice = server.user("alice");
    server.user_with("carol", &json!({"public_email": "carol@example.org"}));
    let bob = server.user("bob");
    let found = |address: &str| texts(&bob.get(&format!("/users?search={address}")).assert_status(200), "username");
    assert_eq!(found("alice@example.org"), [""; 0]);
    assert_eq!(found("ALICE%40example.org"), [""; 0]);
    assert_eq!(found("bob@example.org"), ["bob"]);
    assert_eq!(found("carol@example.org"), ["carol"]);
    assert_eq!(texts(&alice.get("/users?search=alice@example.org"), "username"), ["alice"]);
    assert_eq!(texts(&server.root().get("/users?search=alice@example.org"), "username"), ["alice"]);
}

/// Members are found by the same rule.
#[both_databases]
fn members_are_not_found_by_a_private_address_either(server: &TestServer) {
    let owner = server.user("owner");
    let team = group(&owner, "team", "public");
    let alice = server.user("alice");
    member(&owner, &format!("/groups/{team}"), alice.id, 30);
    for path in ["members", "members/all"] {
        let reply = server
            .user(&format!("stranger{}", path.len()))
            .get(&format!("/groups/{team}/{path}?query=alice@example.org"));
        assert_eq!(reply.assert_status(200).json(), json!([]), "{path}");
    }
}

#[both_databases]
fn no_one_shuts_themselves_or_the_last_administrator_out(server: &TestServer) {
    let root = server.root();
    let refused = |status: u16| [403, 409].contains(&status);
    assert!(refused(root.post("/users/1/block", json!({})).status()));
    assert!(refused(root.delete("/users/1").status()));
    assert!(refused(root.put("/users/1", json!({"admin": false})).status()));
    assert_eq!(root.get("/user").json()["is_admin"], true);

    // With a second one, the first may go; then the second is the last.
    let second = server.user_with("second", &json!({"admin": true}));
    assert!(refused(second.post(&format!("/users/{}/block", second.id), json!({})).status()));
    let _ = second.post("/users/1/block", json!({})).assert_status(201);
    assert!(refused(second.put(&format!("/users/{}", second.id), json!({"admin": false})).status()));
    assert!(refused(second.delete(&format!("/users/{}", second.id)).status()));
    assert_eq!(second.get("/user").json()["is_admin"], true);
}

#[both_databases]
fn the_sole_owner_of_a_group_is_not_deleted_without_it(server: &TestServer) {
    let owner = server.user("owner");
    let team = group(&owner, "team", "public");
    let refusal = json!({"message": "User cannot be removed while is the sole-owner of a group"});
    server.root().delete(&format!("/users/{}", owner.id)).assert(409, refusal);
    let _ = owner.get("/user").assert_status(200);
    let _ = server.root().delete(&format!("/users/{}?hard_delete=true", owner.id)).assert_status(204);
    server.run_jobs();
    server.root().get(&format!("/groups/{team}")).assert(404, missing("Group"));
    server.root().get(&format!("/users/{}", owner.id)).assert(404, missing("User"));
}
