//! Protected branches and tags.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use super::*;

/// A rule for branches as answers show it, without ids.
fn rule(name: &str, push: &Value, merge: &Value) -> Value {
    json!({
        "name": name, "push_access_levels": [push], "merge_access_levels": [merge],
        "unprotect_access_levels": [maintainers()], "allow_force_push": false, "code_owner_approval_required": false,
    })
}

fn level(level: i64, words: &str) -> Value {
    json!({
        "access_level": level, "access_level_description": words,
        "user_id": null, "group_id": null, "deploy_key_id": null,
    })
}

fn no_one() -> Value {
    level(0, "No one")
}

fn developers() -> Value {
    level(30, "Developers + Maintainers")
}

fn maintainers() -> Value {
    level(40, "Maintainers")
}

/// The same without the ids of the rule and of its entries.
fn without_ids(mut rule: Value) -> Value {
    let object = rule.as_object_mut().expect("a value");
    object.remove("id");
    for entries in object.values_mut().filter_map(Value::as_array_mut) {
        for entry in entries {
            assert!(
                entry.as_object_mut().expect("a value").remove("id").expect("a value").as_i64().expect("a value") > 0
            );
        }
    }
    rule
}

#[both_databases]
fn a_branch_is_protected_step_by_step(server: &TestServer) {
    let cast = cast(server, "public");
    branch(&cast.owner, cast.project, "topic", "main");
    let path = format!("{}/branches/topic", at(cast.project));
    let fields = ["name", "protected", "developers_can_push", "developers_can_merge"];
    let protect = |body| some(&changed(&cast.maintainer, &format!("{path}/protect"), body), &fields);
    assert_eq!(protect(json!({})), json!(["topic", true, false, false]));
    assert_eq!(protect(json!({"developers_can_push": true})), json!(["topic", true, true, false]));
    assert_eq!(protect(json!({"developers_can_merge": true})), json!(["topic", true, true, true]));
    assert_eq!(protect(json!({})), json!(["topic", true, true, true]));
    assert_eq!(protect(json!({"developers_can_push": false})), json!(["topic", true, false, true]));
    let rules = format!("{}/protected_branches", cast.path());
    assert_eq!(
        without_ids(cast.owner.get(&format!("{rules}/topic")).json()),
        rule("topic", &maintainers(), &developers())
    );
    for _ in 0..2 {
        let branch = changed(&cast.maintainer, &format!("{path}/unprotect"), json!({}));
        assert_eq!(some(&branch, &fields), json!(["topic", false, false, false]));
        assert_eq!(branch, cast.maintainer.get(&path).json());
    }
    cast.owner.get(&format!("{rules}/topic")).assert(404, not_found());
}

#[both_databases]
fn a_rule_with_a_star_outlives_unprotecting(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "topic", "main");
    made(&alice, &format!("/projects/{tool}/protected_branches"), json!({"name": "to*"}));
    let path = format!("{}/branches/topic", at(tool));
    changed(&alice, &format!("{path}/protect"), json!({"developers_can_push": true}));
    let branch = changed(&alice, &format!("{path}/unprotect"), json!({}));
    assert_eq!(some(&branch, &["protected", "developers_can_push"]), json!([true, false]));
}

#[both_databases]
fn only_maintainers_protect_and_only_what_is_there(server: &TestServer) {
    let cast = cast(server, "private");
    for verb in ["protect", "unprotect"] {
        let of = |name: &str| format!("{}/branches/{name}/{verb}", at(cast.project));
        assert_eq!(cast.statuses(|client| client.put(&of("main"), json!({}))), [404, 403, 403, 403, 200, 200, 200]);
        cast.owner.put(&of("nowhere"), json!({})).assert(404, missing("Branch"));
        server.anonymous().put(&of("main"), json!({})).assert(401, unauthorized());
    }
    let path = format!("{}/branches/main/protect", at(cast.project));
    let text = "developers_can_push is invalid";
    cast.owner.put(&path, json!({"developers_can_push": "perhaps"})).assert(400, parameter(text));
}

#[both_databases]
fn rules_for_branches_are_made_shown_and_removed(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = format!("/projects/{tool}/protected_branches");
    let main = rule("main", &maintainers(), &maintainers());
    let body = json!({"name": "release/*", "push_access_level": 0, "merge_access_level": 30});
    let release = rule("release/*", &no_one(), &developers());
    assert_eq!(without_ids(made(&alice, &path, body.clone())), release);
    assert_eq!(
        without_ids(made(&alice, &path, json!({"name": "nowhere yet"}))),
        rule("nowhere yet", &maintainers(), &maintainers())
    );
    assert_eq!(without_ids(alice.get(&format!("{path}/release%2F*")).assert_status(200).json()), release);
    assert_eq!(without_ids(alice.get(&format!("{path}/main")).assert_status(200).json()), main);
    let list = alice.get(&path).assert_status(200);
    assert_eq!((without_ids(list.json()[0].clone()), list.header("x-total")), (main, "3".to_owned()));
    alice.post(&path, body).assert(409, message("Protected branch 'release/*' already exists"));
    let _ = alice.delete(&format!("{path}/release%2F*")).assert_status(204);
    for reply in [
        alice.delete(&format!("{path}/release%2F*")),
        alice.get(&format!("{path}/release%2F*")),
        alice.get(&format!("{path}/release%2F1")),
    ] {
        reply.assert(404, not_found());
    }
    assert_eq!(alice.get(&path).each("name"), ["main", "nowhere yet"]);
}

#[both_databases]
fn a_rule_needs_a_name_and_a_level_that_there_is(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for kind in ["protected_branches", "protected_tags"] {
        let path = format!("/projects/{tool}/{kind}");
        let before = alice.get(&path).header("x-total");
        alice.post(&path, json!({})).assert(400, parameter("name is missing"));
        let level = if kind == "protected_tags" { "create_access_level" } else { "merge_access_level" };
        for wrong in [10, 20, 50, -1] {
            let text = format!("{level} does not have a valid value");
            alice.post(&path, json!({"name": "x", level: wrong})).assert(400, parameter(&text));
        }
        alice.post(&path, json!({"name": "x", level: "high"})).assert(400, parameter(&format!("{level} is invalid")));
        assert_eq!(alice.get(&path).header("x-total"), before);
    }
    let path = format!("/projects/{tool}/protected_branches");
    let wrong = json!({"name": "x", "push_access_level": 7, "merge_access_level": 30});
    alice.post(&path, wrong).assert(400, parameter("push_access_level does not have a valid value"));
}

#[both_databases]
fn a_rule_that_has_changed_since_stays(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "topic", "main");
    for kind in ["protected_branches", "protected_tags"] {
        made(&alice, &format!("/projects/{tool}/{kind}"), json!({"name": "topic"}));
    }
    let stale = message("412 Precondition Failed");
    let since = |moment: &str| alice.header("If-Unmodified-Since", &format!("Mon, 02 Mar 2026 {moment}:00 GMT"));
    for kind in ["protected_branches", "protected_tags"] {
        since("11:59").delete(&format!("/projects/{tool}/{kind}/topic")).assert(412, stale.clone());
        since("11:59").delete(&format!("/projects/{tool}/{kind}/other")).assert(404, not_found());
    }
    server.advance(TimeDelta::hours(1));
    changed(&alice, &format!("{}/branches/topic/protect", at(tool)), json!({"developers_can_push": true}));
    since("12:30").delete(&format!("/projects/{tool}/protected_branches/topic")).assert(412, stale);
    let _ = since("13:00").delete(&format!("/projects/{tool}/protected_branches/topic")).assert_status(204);
    let _ = since("12:30").delete(&format!("/projects/{tool}/protected_tags/topic")).assert_status(204);
}

#[both_databases]
fn the_most_permissive_rule_decides(server: &TestServer) {
    let cast = cast(server, "public");
    let rules = format!("{}/protected_branches", cast.path());
    for name in ["release/1", "release/2", "deep/release/x"] {
        branch(&cast.owner, cast.project, name, "main");
    }
    made(&cast.owner, &rules, json!({"name": "release/*", "push_access_level": 40}));
    let write = |client: &Client, branch: &str| {
        try_commit(client, cast.project, branch, &json!([new_file(&file_of(branch), "x")]))
    };
    write(&cast.developer, "release/1").assert(403, protected());
    // The pattern is bound to both ends.
    let _ = write(&cast.developer, "deep/release/x").assert_status(201);
    made(&cast.owner, &rules, json!({"name": "*/1", "push_access_level": 30}));
    let _ = write(&cast.developer, "release/1").assert_status(201);
    write(&cast.developer, "release/2").assert(403, protected());
    let _ = write(&cast.maintainer, "release/2").assert_status(201);
}

#[both_databases]
fn a_rule_for_no_one_stops_everybody(server: &TestServer) {
    let cast = cast(server, "public");
    branch(&cast.owner, cast.project, "frozen", "main");
    made(
        &cast.owner,
        &format!("{}/protected_branches", cast.path()),
        json!({"name": "frozen*", "push_access_level": 0, "merge_access_level": 0}),
    );
    for client in [&*cast.developer, &cast.maintainer, &cast.owner, &cast.admin] {
        try_commit(client, cast.project, "frozen", &json!([new_file("x", "x")])).assert(403, protected());
        let text = "You are not allowed to push code to protected branches on this project.";
        client
            .post(&format!("{}/branches", at(cast.project)), json!({"branch": "frozen2", "ref": "main"}))
            .assert(400, message(text));
        assert_eq!(client.get(&format!("{}/branches/frozen", at(cast.project))).json()["can_push"], false);
    }
}

#[both_databases]
fn rules_for_tags_are_made_shown_and_removed(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = format!("/projects/{tool}/protected_tags");
    let rule = |name: &str, level: Value| json!({"name": name, "create_access_levels": [level]});
    assert_eq!(alice.get(&path).assert_status(200).json(), json!([]));
    assert_eq!(
        without_ids(made(&alice, &path, json!({"name": "v*", "create_access_level": 30}))),
        rule("v*", developers())
    );
    assert_eq!(without_ids(made(&alice, &path, json!({"name": "a/b"}))), rule("a/b", maintainers()));
    assert_eq!(without_ids(made(&alice, &path, json!({"name": "c", "create_access_level": 0}))), rule("c", no_one()));
    assert_eq!(without_ids(alice.get(&format!("{path}/v*")).assert_status(200).json()), rule("v*", developers()));
    assert_eq!(alice.get(&path).header("x-total"), "3");
    alice.post(&path, json!({"name": "v*"})).assert(422, json!({"message": ["Name has already been taken"]}));
    let _ = alice.delete(&format!("{path}/a%2Fb")).assert_status(204);
    alice.delete(&format!("{path}/a%2Fb")).assert(404, not_found());
    alice.get(&format!("{path}/v1")).assert(404, not_found());
    // A rule for tags is none for branches.
    alice.get(&format!("/projects/{tool}/protected_branches/v*")).assert(404, not_found());
}

#[both_databases]
fn a_protected_tag_is_made_by_whom_the_rule_names_and_goes_by_no_one(server: &TestServer) {
    let cast = cast(server, "public");
    let rules = format!("{}/protected_tags", cast.path());
    for (name, level) in [("v*", 40), ("d*", 30), ("n*", 0)] {
        made(&cast.owner, &rules, json!({"name": name, "create_access_level": level}));
    }
    let path = format!("{}/tags", at(cast.project));
    let make = |client: &Client, name: &str| client.post(&path, json!({"tag_name": name, "ref": "main"}));
    let refused = message("You are not allowed to create this tag as it is protected.");
    make(&cast.developer, "v1").assert(400, refused.clone());
    assert_eq!(make(&cast.maintainer, "v1").assert_status(201).json()["protected"], true);
    let _ = make(&cast.developer, "d1").assert_status(201);
    for client in [&*cast.owner, &cast.admin] {
        make(client, "n1").assert(400, refused.clone());
        client.delete(&format!("{path}/v1")).assert(400, message("Protected tags cannot be deleted."));
    }
    assert_eq!(cast.owner.get(&path).header("x-total"), "2");
}

#[both_databases]
fn rules_are_for_maintainers(server: &TestServer) {
    let cast = cast(server, "private");
    for kind in ["protected_branches", "protected_tags"] {
        let path = format!("{}/{kind}", cast.path());
        assert_eq!(cast.statuses(|client| client.get(&path)), [404, 403, 403, 403, 200, 200, 200], "{kind}");
        assert_eq!(cast.statuses(|client| client.get(&format!("{path}/x"))), [404, 403, 403, 403, 404, 404, 404]);
        let taken = if kind == "protected_tags" { 422 } else { 409 };
        made(&cast.owner, &path, json!({"name": "x"}));
        assert_eq!(
            cast.statuses(|client| client.post(&path, json!({"name": "x"}))),
            [404, 403, 403, 403, taken, taken, taken]
        );
        assert_eq!(cast.statuses(|client| client.delete(&format!("{path}/x"))), [404, 403, 403, 403, 204, 404, 404]);
        server.anonymous().get(&path).assert(401, unauthorized());
        server.anonymous().post(&path, json!({"name": "x"})).assert(401, unauthorized());
    }
}

/// A file that no other branch of a test has.
fn file_of(branch: &str) -> String {
    format!("{}.txt", branch.replace('/', "-"))
}
