//! Feature flags of projects, and lists of users for their strategies.

use serde_json::{Value, json};
use tenon_app::Limits;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

fn row_missing() -> Value {
    json!({"message": "404 Not found"})
}

#[both_databases]
fn a_flag_is_made_changed_and_removed(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let all = format!("/projects/{}/feature_flags", cast.project);
    assert_eq!(cast.developer.get(&all).assert_status(200).json(), json!([]));
    let body = json!({
        "name": "new_colors", "version": "new_version_flag", "description": "Bright.",
        "strategies": [
            {"name": "default", "parameters": {}, "scopes": [{"environment_scope": "production"}, {"environment_scope": "review/*"}]},
            {"name": "gradualRolloutUserId", "parameters": {"groupId": "default", "percentage": "50"}},
        ],
    });
    let new = made(&cast.developer, &all, body);
    for (field, want) in [
        ("name", json!("new_colors")),
        ("description", json!("Bright.")),
        ("active", json!(true)),
        ("version", json!("new_version_flag")),
        ("scopes", json!([])),
    ] {
        assert_eq!(new[field], want, "{field}");
    }
    let [first, second] = [&new["strategies"][0], &new["strategies"][1]];
    assert_eq!(
        (&first["name"], &first["parameters"], &first["user_list"]),
        (&json!("default"), &json!({}), &Value::Null)
    );
    let scopes: Vec<&Value> =
        first["scopes"].as_array().expect("scopes").iter().map(|scope| &scope["environment_scope"]).collect();
    assert_eq!(scopes, [&json!("production"), &json!("review/*")]);
    assert_eq!(
        (&second["parameters"], &second["scopes"]),
        (&json!({"groupId": "default", "percentage": "50"}), &json!([]))
    );
    let one = format!("{all}/new_colors");
    assert_eq!(cast.developer.get(&one).assert_status(200).json(), new);
    assert_eq!(cast.developer.get(&all).assert_status(200).json(), json!([new]));
    let change = json!({
        "active": false, "description": null,
        "strategies": [
            {"id": first["id"], "scopes": [
                {"id": first["scopes"][0]["id"], "_destroy": true},
                {"id": first["scopes"][1]["id"], "environment_scope": "staging"},
                {"environment_scope": "*"},
            ]},
            {"id": second["id"], "_destroy": true},
            {"name": "userWithId", "parameters": {"userIds": "ada,bob"}},
        ],
    });
    let edited = changed(&cast.developer, &one, change);
    assert_eq!((&edited["active"], &edited["description"]), (&json!(false), &Value::Null));
    let names: Vec<&Value> =
        edited["strategies"].as_array().expect("strategies").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, [&json!("default"), &json!("userWithId")]);
    assert_eq!(edited["strategies"][0]["id"], first["id"]);
    let scopes: Vec<&Value> = edited["strategies"][0]["scopes"]
        .as_array()
        .expect("scopes")
        .iter()
        .map(|one| &one["environment_scope"])
        .collect();
    assert_eq!(scopes, [&json!("staging"), &json!("*")]);
    let other = json!({"strategies": [{"id": first["id"], "name": "userWithId", "parameters": {"userIds": "eve"}}]});
    assert_eq!(changed(&cast.developer, &one, other)["strategies"][0]["parameters"], json!({"userIds": "eve"}));
    let _ = changed(&cast.developer, &one, json!({"name": "colors"}));
    cast.developer.get(&one).assert(404, row_missing());
    let one = format!("{all}/colors");
    let early = cast.developer.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    early.delete(&one).assert(412, json!({"message": "412 Precondition Failed"}));
    let _ = cast.developer.delete(&one).assert_status(204);
    for reply in [cast.developer.get(&one), cast.developer.put(&one, json!({})), cast.developer.delete(&one)] {
        reply.assert(404, row_missing());
    }
}

#[both_databases]
fn flags_are_listed_by_name_and_state(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let all = format!("/projects/{}/feature_flags", cast.project);
    for (name, active) in [("b", true), ("c", false), ("a", true)] {
        made(&cast.owner, &all, json!({"name": name, "active": active}));
    }
    for (query, want) in [
        ("", vec!["a", "b", "c"]),
        ("?scope=enabled", vec!["a", "b"]),
        ("?scope=disabled", vec!["c"]),
        ("?per_page=1&page=2", vec!["b"]),
    ] {
        assert_eq!(names(&cast.owner.get(&format!("{all}{query}")).assert_status(200)), want, "{query}");
    }
    cast.owner.get(&format!("{all}?scope=x")).assert(400, parameter("scope does not have a valid value"));
}

#[both_databases]
fn every_rule_of_a_flag_has_its_text(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let all = format!("/projects/{}/feature_flags", cast.project);
    let plain = "can contain only lowercase letters, digits, '_' and '-'. Must start with a letter, and cannot end with '-' or '_'";
    cast.owner.post(&all, json!({})).assert(400, parameter("name is missing"));
    for name in ["A", "1a", "a-", "..", "a/b", "a b", "é", "a\u{202e}"] {
        cast.owner.post(&all, json!({"name": name})).assert(400, field("name", plain));
    }
    let long = field("name", "is too long (maximum is 63 characters)");
    cast.owner.post(&all, json!({"name": "a".repeat(64)})).assert(400, long);
    assert_eq!(cast.owner.post(&all, json!({"name": "a\u{0}"})).status(), 400);
    let text = field("description", "is too long (maximum is 255 characters)");
    cast.owner.post(&all, json!({"name": "a", "description": "d".repeat(256)})).assert(400, text);
    let version = parameter("version does not have a valid value");
    cast.owner.post(&all, json!({"name": "a", "version": "legacy_flag"})).assert(400, version);
    let with = |strategy: Value| cast.owner.post(&all, json!({"name": "a", "strategies": [strategy]}));
    let parameters = |text: &str| field("strategies.parameters", text);
    with(json!({"name": "default", "parameters": {"a": "b"}})).assert(400, parameters("parameters are invalid"));
    with(json!({"name": "userWithId", "parameters": {"userIds": "a,a"}})).assert(
        400,
        parameters("userIds must be a string of unique comma separated values each 256 characters or less"),
    );
    with(json!({"name": "flexibleRollout", "parameters": {"groupId": "a", "rollout": "101", "stickiness": "random"}}))
        .assert(400, parameters("rollout must be a string between 0 and 100 inclusive"));
    with(json!({})).assert(400, field("strategies.name", "is invalid"));
    with(json!({"name": "none"})).assert(400, parameter("strategies[0][name] does not have a valid value"));
    with(json!({"name": "gitlabUserList"})).assert(400, field("strategies.user_list", "can't be blank"));
    let foreign = field("strategies.user_list", "must belong to the same project");
    with(json!({"name": "gitlabUserList", "user_list_id": 99})).assert(400, foreign.clone());
    with(json!({"id": 99, "name": "default"})).assert(404, row_missing());
    with(json!({"name": "default", "scopes": [{}]}))
        .assert(400, field("strategies.scopes.environment_scope", "can't be blank"));
    let scopes: Vec<Value> = (0..11).map(|number| json!({"environment_scope": number.to_string()})).collect();
    with(json!({"name": "default", "scopes": scopes}))
        .assert(400, field("strategies.scopes", "are too many (maximum is 10)"));
    let many: Vec<Value> = (0..11).map(|_| json!({"name": "default"})).collect();
    cast.owner
        .post(&all, json!({"name": "a", "strategies": many}))
        .assert(400, field("strategies", "are too many (maximum is 10)"));
    let other = project(&cast.owner, "other", "private");
    let list = made(
        &cast.owner,
        &format!("/projects/{other}/feature_flags_user_lists"),
        json!({"name": "l", "user_xids": "a"}),
    );
    with(json!({"name": "gitlabUserList", "user_list_id": list["id"]})).assert(400, foreign);
    made(&cast.owner, &all, json!({"name": "a"}));
    let taken = field("name", "has already been taken");
    cast.owner.post(&all, json!({"name": "a"})).assert(400, taken.clone());
    made(&cast.owner, &all, json!({"name": "b"}));
    cast.owner.put(&format!("{all}/b"), json!({"name": "a"})).assert(400, taken);
    for name in ["..%2Fx", "%00", "a%2Fb", "%E2%80%AE"] {
        assert!([400, 404].contains(&cast.owner.get(&format!("{all}/{name}")).status()), "{name}");
    }
}

#[both_databases]
fn a_list_of_users_is_made_changed_used_and_removed(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let home = format!("/projects/{}", cast.project);
    let all = format!("{home}/feature_flags_user_lists");
    assert_eq!(cast.developer.get(&all).assert_status(200).json(), json!([]));
    let new = made(&cast.developer, &all, json!({"name": "Friends", "user_xids": "ada,bob"}));
    for (field, want) in [
        ("iid", json!(1)),
        ("name", json!("Friends")),
        ("user_xids", json!("ada,bob")),
        ("project_id", json!(cast.project)),
    ] {
        assert_eq!(new[field], want, "{field}");
    }
    let one = format!("{all}/1");
    assert_eq!(cast.developer.get(&one).assert_status(200).json(), new);
    let edited = changed(&cast.developer, &one, json!({"user_xids": "eve"}));
    assert_eq!((&edited["name"], &edited["user_xids"]), (&json!("Friends"), &json!("eve")));
    made(&cast.developer, &all, json!({"name": "others", "user_xids": ""}));
    assert_eq!(names(&cast.developer.get(&format!("{all}?search=FRIEND"))), ["Friends"]);
    assert_eq!(names(&cast.developer.get(&format!("{all}?per_page=1&page=2"))), ["others"]);
    let strategy = json!({"name": "gitlabUserList", "parameters": {}, "user_list_id": new["id"]});
    let flag = made(&cast.developer, &format!("{home}/feature_flags"), json!({"name": "a", "strategies": [strategy]}));
    let want = json!({"id": new["id"], "iid": 1, "name": "Friends", "user_xids": "eve"});
    assert_eq!(flag["strategies"][0]["user_list"], want);
    let used = json!({"message": ["User list is associated with a strategy"]});
    cast.developer.delete(&one).assert(409, used);
    let _ = cast.developer.delete(&format!("{home}/feature_flags/a")).assert_status(204);
    let _ = cast.developer.delete(&one).assert_status(204);
    cast.developer.get(&one).assert(404, row_missing());
    assert_eq!(made(&cast.developer, &all, json!({"name": "n", "user_xids": "a"}))["iid"], 3, "not given out twice");
    cast.developer.post(&all, json!({})).assert(400, parameter("name is missing, user_xids is missing"));
    cast.developer.post(&all, json!({"name": " ", "user_xids": "a"})).assert(400, field("name", "can't be blank"));
    let taken = field("name", "has already been taken");
    cast.developer.post(&all, json!({"name": "n", "user_xids": "a"})).assert(400, taken);
    let text = "user_xids must be a string of unique comma separated values each 256 characters or less";
    for users in ["a,a".to_owned(), ",".to_owned(), "u".repeat(257), "u,".repeat(6_000)] {
        cast.developer.post(&all, json!({"name": "x", "user_xids": users})).assert(400, field("user_xids", text));
    }
    let _ = cast.developer.get(&format!("{all}/x")).assert_status(404);
}

#[both_databases]
fn developers_read_and_change_flags(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let home = format!("/projects/{}", cast.project);
    let (flags, lists) = (format!("{home}/feature_flags"), format!("{home}/feature_flags_user_lists"));
    made(&cast.owner, &flags, json!({"name": "a"}));
    made(&cast.owner, &lists, json!({"name": "a", "user_xids": "a"}));
    server.anonymous().get(&flags).assert(401, unauthorized());
    for (user, may) in [
        (&cast.stranger, false),
        (&cast.guest, false),
        (&cast.reporter, false),
        (&cast.developer, true),
        (&cast.maintainer, true),
    ] {
        let status = |right: u16| if may { right } else { 403 };
        for path in [&flags, &format!("{flags}/a"), &lists, &format!("{lists}/1")] {
            let _ = user.get(path).assert_status(status(200));
        }
        let name = format!("n{}", user.id);
        let _ = user.post(&flags, json!({"name": name})).assert_status(status(201));
        let _ = user.put(&format!("{flags}/a"), json!({"active": true})).assert_status(status(200));
        let _ = user.post(&lists, json!({"name": name, "user_xids": "a"})).assert_status(status(201));
        let _ = user.put(&format!("{lists}/1"), json!({"user_xids": "b"})).assert_status(status(200));
    }
    let _ = cast.reporter.delete(&format!("{flags}/a")).assert_status(403);
    let _ = cast.reporter.delete(&format!("{lists}/1")).assert_status(403);
    let _ = cast.owner.put(&home, json!({"feature_flags_access_level": "disabled"})).assert_status(200);
    for client in [&*cast.owner, &cast.admin] {
        client.get(&flags).assert(403, forbidden());
        client.get(&lists).assert(403, forbidden());
    }
    let _ = cast.owner.put(&home, json!({"feature_flags_access_level": "enabled"})).assert_status(200);
    let _ = cast.owner.post(&format!("{home}/archive"), json!({})).assert_status(200);
    let _ = cast.owner.get(&flags).assert_status(200);
    cast.owner.post(&flags, json!({"name": "z"})).assert(403, forbidden());
    cast.owner.delete(&format!("{lists}/1")).assert(403, forbidden());
}

#[both_databases]
fn flags_go_with_their_project_and_have_a_bounded_number(server: &TestServer) {
    let mut limits = Limits::without_rates();
    limits.contents.feature_flags = 1;
    limits.contents.user_lists = 1;
    let server = &TestServer::beside_with(server, limits);
    let cast = Cast::of(server, "private");
    let home = format!("/projects/{}", cast.project);
    let (flags, lists) = (format!("{home}/feature_flags"), format!("{home}/feature_flags_user_lists"));
    let list = made(&cast.owner, &lists, json!({"name": "a", "user_xids": "a"}));
    let strategy =
        json!({"name": "gitlabUserList", "user_list_id": list["id"], "scopes": [{"environment_scope": "*"}]});
    made(&cast.owner, &flags, json!({"name": "a", "strategies": [strategy]}));
    let full = field("base", "A project has at most 1 feature flags");
    cast.owner.post(&flags, json!({"name": "b"})).assert(400, full);
    let full = field("base", "A project has at most 1 lists of users");
    cast.owner.post(&lists, json!({"name": "b", "user_xids": "a"})).assert(400, full);
    let _ = cast.owner.delete(&home);
    server.run_jobs();
    for table in ["feature_flags", "feature_flag_strategies", "feature_flag_scopes", "feature_flag_user_lists"] {
        assert_eq!(server.database().count(&format!("SELECT COUNT(*) FROM {table}")), 0, "{table}");
    }
}
