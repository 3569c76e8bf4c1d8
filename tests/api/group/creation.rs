//! The callers who may put something into a group.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, User, both_databases};

use crate::support::*;

/// A group with a member of each level, from developers to owners.
fn scene(server: &TestServer) -> (i64, [User; 3]) {
    let owner = server.user("owner");
    let (maintainer, developer) = (server.user("maintainer"), server.user("developer"));
    let team = group(&owner, "team", "private");
    member(&owner, &format!("/groups/{team}"), maintainer.id, 40);
    member(&owner, &format!("/groups/{team}"), developer.id, 30);
    (team, [developer, maintainer, owner])
}

fn create(client: &Client, team: i64, name: &str) -> u16 {
    client.post("/projects", json!({"name": name, "namespace_id": team})).status()
}

#[both_databases]
fn a_group_says_who_may_put_projects_into_it(server: &TestServer) {
    let (team, people) = scene(server);
    let path = format!("/groups/{team}");
    for (level, want) in [
        (None, [400, 201, 201, 201]),
        (Some("noone"), [400, 400, 400, 400]),
        (Some("owner"), [400, 400, 201, 201]),
        (Some("maintainer"), [400, 201, 201, 201]),
        (Some("developer"), [201, 201, 201, 201]),
    ] {
        if let Some(level) = level {
            let answer = changed(&people[2], &path, json!({"project_creation_level": level}));
            assert_eq!(answer["project_creation_level"], level);
            assert_eq!(people[0].get(&path).json()["project_creation_level"], level);
        }
        let word = level.unwrap_or("default");
        let root = server.root();
        let callers: [(&str, &Client); 4] = [("d", &people[0]), ("m", &people[1]), ("o", &people[2]), ("r", &root)];
        assert_eq!(callers.map(|(name, client)| create(client, team, &format!("{name}-{word}"))), want, "{word}");
    }
    let odd = people[2].put(&path, json!({"project_creation_level": "guest"}));
    odd.assert(400, parameter("project_creation_level does not have a valid value"));
}

#[both_databases]
fn every_group_has_a_level_of_its_own(server: &TestServer) {
    let (team, [developer, _, owner]) = scene(server);
    changed(&owner, &format!("/groups/{team}"), json!({"project_creation_level": "developer"}));
    let below = subgroup(&owner, team, "below", "private");
    assert_eq!(create(&developer, below, "tool"), 400);
    changed(&owner, &format!("/groups/{below}"), json!({"project_creation_level": "developer"}));
    assert_eq!(create(&developer, below, "tool"), 201);
    // Forking and moving put a project there as well.
    changed(&owner, &format!("/groups/{team}"), json!({"project_creation_level": "noone"}));
    let own = project(&owner, "own", "private");
    let moved = owner.put(&format!("/projects/{own}/transfer"), json!({"namespace": team}));
    assert_ne!(moved.status(), 200);
}

#[both_databases]
fn a_group_says_who_may_put_groups_into_it(server: &TestServer) {
    let (team, [developer, maintainer, owner]) = scene(server);
    let create = |client: &Client, path: &str| {
        client.post("/groups", json!({"name": path, "path": path, "parent_id": team})).status()
    };
    assert_eq!([create(&developer, "a"), create(&maintainer, "b"), create(&owner, "c")], [403, 403, 201]);
    let answer = changed(&owner, &format!("/groups/{team}"), json!({"subgroup_creation_level": "maintainer"}));
    assert_eq!(answer["subgroup_creation_level"], "maintainer");
    assert_eq!([create(&developer, "d"), create(&maintainer, "e"), create(&owner, "f")], [403, 201, 201]);
}

#[both_databases]
fn settings_of_the_second_factor_are_kept(server: &TestServer) {
    let alice = server.user("alice");
    let fields = [
        "require_two_factor_authentication",
        "two_factor_grace_period",
        "project_creation_level",
        "subgroup_creation_level",
    ];
    let some = |group: &Value| fields.map(|field| group[field].clone());
    let plain = made(&alice, "/groups", json!({"name": "a", "path": "a"}));
    assert_eq!(some(&plain), [json!(false), json!(48), json!("maintainer"), json!("owner")]);
    let body = json!({
        "name": "b", "path": "b", "require_two_factor_authentication": true, "two_factor_grace_period": 12,
        "project_creation_level": "developer", "subgroup_creation_level": "maintainer",
    });
    let strict = made(&alice, "/groups", body);
    assert_eq!(some(&strict), [json!(true), json!(12), json!("developer"), json!("maintainer")]);
    let path = format!("/groups/{}", id(&strict));
    let edited = changed(&alice, &path, json!({"require_two_factor_authentication": false, "description": "d"}));
    assert_eq!(some(&edited), [json!(false), json!(12), json!("developer"), json!("maintainer")]);
    assert_has(&alice.get("/groups").json()[0], &fields);
    let odd = alice.put(&path, json!({"two_factor_grace_period": -1}));
    odd.assert(400, field("two_factor_grace_period", "must be greater than or equal to 0"));
}
