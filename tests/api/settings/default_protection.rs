//! How the default branches of new projects are protected, as the server and groups say.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, User, both_databases};

use crate::support::*;

const SETTINGS: &str = "/application/settings";

/// The parts of a protection.
fn parts(push: &[i64], merge: &[i64], force: bool, first: bool) -> Value {
    let levels = |levels: &[i64]| levels.iter().map(|level| json!({"access_level": level})).collect::<Vec<_>>();
    json!({
        "allowed_to_push": levels(push), "allowed_to_merge": levels(merge),
        "allow_force_push": force, "developer_can_initial_push": first,
    })
}

/// The number and the parts of an answer.
fn shown(answer: &Value) -> (i64, Value) {
    let level = answer["default_branch_protection"].as_i64().expect("a number");
    (level, answer["default_branch_protection_defaults"].clone())
}

fn usual(level: i64) -> Value {
    match level {
        0 => parts(&[30], &[30], true, false),
        1 => parts(&[30], &[40], false, false),
        2 => parts(&[40], &[40], false, false),
        3 => parts(&[40], &[30], false, false),
        _ => parts(&[40], &[40], false, true),
    }
}

#[both_databases]
fn a_protection_has_a_number_and_parts(server: &TestServer) {
    let alice = server.user("alice");
    let group = made(&alice, "/groups", json!({"name": "g", "path": "g"}));
    assert_eq!(shown(&group), (2, usual(2)));
    let path = format!("/groups/{}", id(&group));
    let root = server.root();
    assert_eq!(shown(&root.get(SETTINGS).json()), (2, usual(2)));
    let places: [(&Client, &str); 2] = [(&alice, &path), (&root, SETTINGS)];
    for (client, path) in places {
        for level in [0, 1, 3, 4, 2] {
            let after = changed(client, path, json!({"default_branch_protection": level}));
            assert_eq!(shown(&after), (level, usual(level)));
            assert_eq!(shown(&client.get(path).json()), (level, usual(level)));
            // The parts alone, and both if they agree.
            let after = changed(client, path, json!({"default_branch_protection_defaults": usual(level)}));
            assert_eq!(shown(&after), (level, usual(level)));
            let body = json!({"default_branch_protection": level, "default_branch_protection_defaults": usual(level)});
            assert_eq!(shown(&changed(client, path, body)), (level, usual(level)));
        }
        let own = parts(&[40, 30], &[0], true, true);
        let after = changed(client, path, json!({"default_branch_protection_defaults": own}));
        assert_eq!(shown(&after), (1, own.clone()));
        // A part that is not named is as for 2.
        let after = changed(client, path, json!({"default_branch_protection_defaults": {"allow_force_push": true}}));
        assert_eq!(shown(&after), (2, parts(&[40], &[40], true, false)));
        let form = "default_branch_protection_defaults[allowed_to_push][][access_level]=30\
                    &default_branch_protection_defaults[developer_can_initial_push]=true";
        let after = client.form("PUT", path, form).assert_status(200).json();
        assert_eq!(shown(&after), (1, parts(&[30], &[40], false, true)));
        for (body, text) in [
            (json!({"default_branch_protection": 5}), "default_branch_protection does not have a valid value"),
            (json!({"default_branch_protection": "x"}), "default_branch_protection is invalid"),
            (
                json!({"default_branch_protection": 2, "default_branch_protection_defaults": usual(1)}),
                "default_branch_protection, default_branch_protection_defaults are mutually exclusive",
            ),
            (
                json!({"default_branch_protection_defaults": {"allowed_to_push": [{"access_level": 20}]}}),
                "default_branch_protection_defaults does not have a valid value",
            ),
            (
                json!({"default_branch_protection_defaults": {"allowed_to_push": [{}]}}),
                "default_branch_protection_defaults[allowed_to_push][0][access_level] is missing",
            ),
            (json!({"default_branch_protection_defaults": "x"}), "default_branch_protection_defaults is invalid"),
        ] {
            client.put(path, body).assert(400, parameter(text));
        }
        assert_eq!(shown(&client.get(path).json()), (1, parts(&[30], &[40], false, true)));
    }
    let body = json!({"name": "h", "path": "h", "default_branch_protection": 4});
    assert_eq!(shown(&made(&alice, "/groups", body)), (4, usual(4)));
    // A group that says nothing is as the server.
    let plain = made(&alice, "/groups", json!({"name": "i", "path": "i"}));
    assert_eq!(shown(&plain), (1, parts(&[30], &[40], false, true)));
}

/// Commits to `main`.
fn first_push(client: &User, project: i64) -> u16 {
    let actions = json!([{"action": "create", "file_path": client.username, "content": "x"}]);
    let body = json!({"branch": "main", "commit_message": "m", "actions": actions});
    client.post(&format!("/projects/{project}/repository/commits"), body).status()
}

#[both_databases]
fn the_default_branch_of_a_new_project_gets_what_the_group_says(server: &TestServer) {
    let (alice, dev) = (server.user("alice"), server.user("dev"));
    let levels = |rule: &Value, field: &str| -> Vec<i64> {
        rule[field]
            .as_array()
            .expect("a value")
            .iter()
            .map(|entry| entry["access_level"].as_i64().expect("a value"))
            .collect()
    };
    for (name, protection, admitted, rule) in [
        ("none", json!({"default_branch_protection": 0}), true, None),
        ("partly", json!({"default_branch_protection": 1}), true, Some((vec![30], vec![40], false))),
        ("fully", json!({"default_branch_protection": 2}), false, Some((vec![40], vec![40], false))),
        ("merging", json!({"default_branch_protection": 3}), false, Some((vec![40], vec![30], false))),
        ("after", json!({"default_branch_protection": 4}), true, Some((vec![40], vec![40], false))),
        (
            "own",
            json!({"default_branch_protection_defaults": parts(&[0], &[30, 40], true, true)}),
            true,
            Some((vec![0], vec![30, 40], true)),
        ),
    ] {
        let group = group(&alice, name, "private");
        changed(&alice, &format!("/groups/{group}"), protection);
        member(&alice, &format!("/groups/{group}"), dev.id, 30);
        let project = project_in(&alice, group, "tool", "private");
        assert_eq!(first_push(&dev, project) == 201, admitted, "{name}");
        if !admitted {
            assert_eq!(first_push(&alice, project), 201, "{name}");
        }
        let rules = alice.get(&format!("/projects/{project}/protected_branches")).json();
        let found = rules.get(0).map(|rule| {
            let force = rule["allow_force_push"].as_bool().expect("a value");
            (levels(rule, "push_access_levels"), levels(rule, "merge_access_levels"), force)
        });
        assert_eq!(found, rule, "{name}");
        // The second push is judged by the rule. The file of a developer's first push is there already.
        let other = json!([{"action": "create", "file_path": "second", "content": "x"}]);
        let body = json!({"branch": "main", "commit_message": "m", "actions": other});
        let second = dev.post(&format!("/projects/{project}/repository/commits"), body).status();
        let may_push = rule.is_none_or(|(push, ..)| push.contains(&30));
        assert_eq!(second == 201, may_push, "{name}");
    }
    // Below a group, the group itself counts, and elsewhere the server.
    server.set("default_branch_protection", &json!(1));
    let own = id(&made(&alice, "/projects", json!({"name": "own", "initialize_with_readme": true})));
    let rule = alice.get(&format!("/projects/{own}/protected_branches/main")).assert_status(200).json();
    assert_eq!((levels(&rule, "push_access_levels"), levels(&rule, "unprotect_access_levels")), (vec![30], vec![40]));
}

#[both_databases]
fn owners_of_groups_decide_only_if_the_server_lets_them(server: &TestServer) {
    let alice = server.user("alice");
    server.set("group_owners_can_manage_default_branch_protection", &json!(false));
    // The parameter of an owner is passed over, and the others are obeyed.
    let body = json!({"name": "g", "path": "g", "description": "G", "default_branch_protection": 0});
    let group = made(&alice, "/groups", body);
    assert_eq!((shown(&group), &group["description"]), ((2, usual(2)), &json!("G")));
    let path = format!("/groups/{}", id(&group));
    let body = json!({"description": "H", "default_branch_protection_defaults": usual(1)});
    let after = changed(&alice, &path, body);
    assert_eq!((shown(&after), &after["description"]), ((2, usual(2)), &json!("H")));
    let after = changed(&server.root(), &path, json!({"default_branch_protection": 3}));
    assert_eq!(shown(&after), (3, usual(3)));
    server.set("group_owners_can_manage_default_branch_protection", &json!(true));
    assert_eq!(shown(&changed(&alice, &path, json!({"default_branch_protection": 1}))), (1, usual(1)));
}
