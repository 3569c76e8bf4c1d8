//! Who may do what with protected branches and tags: users, groups, deploy keys and levels.

use serde_json::json;
use tenon_domain::limits::{Limits, PeopleLimits};
use tenon_testkit::{TestServer, both_databases, keys};

use super::*;

const NOT_ALLOWED: &str = "You are not allowed to push code to protected branches on this project.";

#[track_caller]
fn patch(client: &Client, path: &str, body: &Value) -> Reply {
    client.send("PATCH", path, Some("application/json"), body.to_string().into_bytes())
}

#[track_caller]
fn patched(client: &Client, path: &str, body: &Value) -> Value {
    patch(client, path, body).assert_status(200).json()
}

/// Whom the entries of a rule name, in their order: a level, or `user 5`.
fn named(rule: &Value, field: &str) -> Vec<String> {
    let of_entry = |entry: &Value| {
        let kinds = [("user", &entry["user_id"]), ("group", &entry["group_id"]), ("key", &entry["deploy_key_id"])];
        let other = kinds.into_iter().find(|(_, id)| !id.is_null()).map(|(kind, id)| format!("{kind} {id}"));
        assert_eq!(other.is_some(), entry["access_level"].is_null(), "{entry}");
        other.unwrap_or_else(|| entry["access_level"].to_string())
    };
    rule[field].as_array().expect(field).iter().map(of_entry).collect()
}

fn entry_id(rule: &Value, field: &str, at: usize) -> i64 {
    rule[field][at]["id"].as_i64().expect("the id of an entry")
}

fn deploy_key(client: &Client, project: i64, key: &str, can_push: bool) -> i64 {
    let body = json!({"title": "deployer", "key": key, "can_push": can_push});
    id(&made(client, &format!("/projects/{project}/deploy_keys"), body))
}

fn share(client: &Client, project: i64, group: i64) {
    made(client, &format!("/projects/{project}/share"), json!({"group_id": group, "group_access": 30}));
}

fn refusal(field: &str, text: &str) -> Value {
    json!({"message": {field: [text]}})
}

/// Commits a file of this name.
fn push(client: &Client, project: i64, branch: &str, file: &str) -> u16 {
    try_commit(client, project, branch, &json!([new_file(file, "x")])).status()
}

#[both_databases]
fn a_rule_answers_what_was_sent_and_is_changed_by_ids(server: &TestServer) {
    let cast = cast(server, "private");
    let group = group(&cast.owner, "team", "private");
    share(&cast.owner, cast.project, group);
    let key = deploy_key(&cast.owner, cast.project, keys::ED25519, true);
    let rules = format!("{}/protected_branches", cast.path());
    let (developer, maintainer) = (cast.developer.id, cast.maintainer.id);
    let body = json!({
        "name": "release", "push_access_level": 0, "merge_access_level": 30, "unprotect_access_level": 40,
        "allow_force_push": true,
        "allowed_to_push": [{"user_id": developer}, {"deploy_key_id": key}, {"access_level": 40}],
        "allowed_to_merge": [{"group_id": group}, {"user_id": developer}],
        "allowed_to_unprotect": [{"user_id": maintainer}],
    });
    let rule = made(&cast.owner, &rules, body);
    let path = format!("{rules}/release");
    assert_eq!(cast.owner.get(&path).assert_status(200).json(), rule);
    assert_eq!(
        cast.owner.get(&rules).json().as_array().expect("a value").iter().find(|one| one["name"] == "release"),
        Some(&rule)
    );
    let (user, of_key) = (format!("user {developer}"), format!("key {key}"));
    assert_eq!(named(&rule, "push_access_levels"), ["0", "40", &user, &of_key]);
    assert_eq!(named(&rule, "merge_access_levels"), ["30", &format!("group {group}"), &user]);
    assert_eq!(named(&rule, "unprotect_access_levels"), ["40", &format!("user {maintainer}")]);
    assert_eq!(rule["allow_force_push"], true);
    let words = |field: &str| texts_of(&rule[field], "access_level_description");
    assert_eq!(words("push_access_levels"), ["No one", "Maintainers", "developer", "deployer"]);
    assert_eq!(words("merge_access_levels"), ["Developers + Maintainers", "team", "developer"]);

    // Entries that are not named stay. One is changed, one is removed, one is new, and one was there.
    let (none, level) = (entry_id(&rule, "push_access_levels", 0), entry_id(&rule, "push_access_levels", 1));
    let changed = json!({"name": "release", "allow_force_push": false, "allowed_to_push": [
        {"id": none, "_destroy": true}, {"id": level, "access_level": 30},
        {"user_id": maintainer}, {"user_id": developer},
    ]});
    let after = patched(&cast.maintainer, &path, &changed);
    assert_eq!(named(&after, "push_access_levels"), ["30", &user, &of_key, &format!("user {maintainer}")]);
    assert_eq!(entry_id(&after, "push_access_levels", 0), level);
    assert_eq!((&after["merge_access_levels"], &after["id"]), (&rule["merge_access_levels"], &rule["id"]));
    assert_eq!(after["allow_force_push"], false);
    assert_eq!(cast.owner.get(&path).json(), after);
    // A level takes the place of levels.
    let after = patched(&cast.owner, &path, &json!({"push_access_level": 40, "merge_access_level": 0}));
    assert_eq!(named(&after, "push_access_levels"), ["40", &user, &of_key, &format!("user {maintainer}")]);
    assert_eq!(named(&after, "merge_access_levels"), ["0", &format!("group {group}"), &user]);
    assert_eq!(patched(&cast.owner, &path, &json!({})), after);
    // The same by a form.
    let form = format!(
        "allowed_to_merge[][id]={}&allowed_to_merge[][_destroy]=true",
        entry_id(&after, "merge_access_levels", 1)
    );
    let reply = cast.owner.form("PATCH", &path, &form).assert_status(200).json();
    assert_eq!(named(&reply, "merge_access_levels"), ["0", &user]);
    let form = format!(
        "name=by-form&allowed_to_push[][user_id]={developer}&allowed_to_push[][access_level]=&unprotect_access_level=30"
    );
    let rule = cast.owner.form("POST", &rules, &form).assert_status(201).json();
    assert_eq!(named(&rule, "push_access_levels"), [user]);
    assert_eq!(
        (named(&rule, "merge_access_levels"), named(&rule, "unprotect_access_levels")),
        (vec!["40".to_owned()], vec!["30".to_owned()])
    );
}

fn texts_of(list: &Value, field: &str) -> Vec<String> {
    list.as_array().expect("a value").iter().map(|one| text(&one[field])).collect()
}

#[both_databases]
fn users_and_groups_that_are_named_push_and_merge(server: &TestServer) {
    let cast = cast(server, "private");
    let (bob, carol) = (server.user("bob"), server.user("carol"));
    let team = group(&carol, "team", "private");
    member(&cast.owner, &cast.path(), bob.id, 30);
    let rules = format!("{}/protected_branches", cast.path());
    made(&carol, &format!("/groups/{team}/members"), json!({"user_id": cast.owner.id, "access_level": 10}));
    share(&cast.owner, cast.project, team);
    branch(&cast.owner, cast.project, "ours", "main");
    let body = json!({
        "name": "ours", "push_access_level": 0, "merge_access_level": 0,
        "allowed_to_push": [{"user_id": bob.id}], "allowed_to_merge": [{"group_id": team}],
    });
    let rule = made(&cast.owner, &rules, body);
    assert_eq!(named(&rule, "push_access_levels"), ["0", &format!("user {}", bob.id)]);
    let can_push =
        |client: &Client| client.get(&format!("{}/branches/ours", at(cast.project))).json()["can_push"].clone();
    assert_eq!(push(&bob, cast.project, "ours", "bob.txt"), 201);
    assert_eq!(can_push(&bob), true);
    for client in [&*cast.developer, &cast.maintainer, &cast.owner, &cast.admin, &carol] {
        assert_eq!(push(client, cast.project, "ours", "other.txt"), 403);
        assert_eq!(can_push(client), false);
    }
    // Carol owns the group, and has the level of a developer by the share.
    work(&bob, cast.project, "topic");
    let request = offer(&bob, cast.project, "topic", "ours", &json!({}));
    server.run_jobs();
    for client in [&*cast.maintainer, &cast.admin] {
        client.put(&format!("{request}/merge"), json!({})).assert(401, unauthorized());
    }
    merge(&carol, &request, json!({}));
    // The file API and new branches of a protected name obey as well.
    let file = json!({"branch": "ours", "commit_message": "m", "content": "y"});
    let _ = cast.maintainer.post(&format!("{}/files/maintainer.txt", at(cast.project)), file).assert_status(400);
    let _ = cast.owner.delete(&format!("{}/branches/ours", at(cast.project))).assert_status(204);
    let again = json!({"branch": "ours", "ref": "main"});
    cast.owner.post(&format!("{}/branches", at(cast.project)), again.clone()).assert(400, message(NOT_ALLOWED));
    made(&bob, &format!("{}/branches", at(cast.project)), again);
    // Without a membership the entry says nothing, and without the account it is gone.
    let _ = cast.owner.delete(&format!("{}/members/{}", cast.path(), bob.id)).assert_status(204);
    assert_eq!(push(&bob, cast.project, "ours", "late.txt"), 404);
    let _ = server.root().delete(&format!("/users/{}?hard_delete=true", bob.id)).assert_status(204);
    server.run_jobs();
    let rule = cast.owner.get(&format!("{rules}/ours")).assert_status(200).json();
    assert_eq!(named(&rule, "push_access_levels"), ["0"]);
}

#[both_databases]
fn a_group_counts_while_the_project_is_open_to_it(server: &TestServer) {
    let cast = cast(server, "private");
    let team = group(&cast.developer, "team", "public");
    let rules = format!("{}/protected_branches", cast.path());
    let body = json!({"name": "main2", "push_access_level": 0, "allowed_to_push": [{"group_id": team}]});
    let text = format!("includes the group {team}, with which the project is not shared and which is not above it");
    cast.owner.post(&rules, body.clone()).assert(400, refusal("allowed_to_push", &text));
    share(&cast.owner, cast.project, team);
    made(&cast.owner, &rules, body);
    branch(&cast.developer, cast.project, "main2", "main");
    assert_eq!(push(&cast.developer, cast.project, "main2", "a.txt"), 201);
    // A developer by membership, whose group has lost its share.
    let _ = cast.owner.delete(&format!("{}/share/{team}", cast.path())).assert_status(204);
    assert_eq!(push(&cast.developer, cast.project, "main2", "b.txt"), 403);
    share(&cast.owner, cast.project, team);
    assert_eq!(push(&cast.developer, cast.project, "main2", "b.txt"), 201);
    // Direct members only, and only while they are.
    let _ = cast.developer.put(&format!("/groups/{team}/members/{}", cast.developer.id), json!({"access_level": 50}));
    made(
        &cast.developer,
        &format!("/groups/{team}/members"),
        json!({"user_id": cast.maintainer.id, "access_level": 50}),
    );
    assert_eq!(push(&cast.maintainer, cast.project, "main2", "c.txt"), 201);
    let _ = cast.developer.delete(&format!("/groups/{team}/members/{}", cast.maintainer.id)).assert_status(204);
    assert_eq!(push(&cast.maintainer, cast.project, "main2", "d.txt"), 403);
    // A group above the project needs no share.
    let home = group(&cast.owner, "home", "private");
    let inner = project_in(&cast.owner, home, "inner", "private");
    let own = json!({"name": "x", "allowed_to_push": [{"group_id": home}]});
    made(&cast.owner, &format!("/projects/{inner}/protected_branches"), own);
}

#[both_databases]
fn a_rule_is_changed_and_removed_by_those_whom_it_names(server: &TestServer) {
    let cast = cast(server, "private");
    let rules = format!("{}/protected_branches", cast.path());
    branch(&cast.owner, cast.project, "kept", "main");
    let body = json!({"name": "kept", "allowed_to_unprotect": [{"user_id": cast.maintainer.id}, {"user_id": cast.developer.id}]});
    let rule = made(&cast.owner, &rules, body);
    assert_eq!(named(&rule, "unprotect_access_levels").len(), 2);
    let (path, legacy) = (format!("{rules}/kept"), format!("{}/branches/kept", at(cast.project)));
    for client in [&*cast.owner, &cast.developer] {
        client.delete(&path).assert(403, forbidden());
        patch(client, &path, &json!({"allow_force_push": true})).assert(403, forbidden());
        client.put(&format!("{legacy}/unprotect"), json!({})).assert(403, forbidden());
        client.put(&format!("{legacy}/protect"), json!({"developers_can_push": true})).assert(403, forbidden());
    }
    assert_eq!(cast.owner.get(&path).json(), rule);
    patched(&cast.maintainer, &path, &json!({"allow_force_push": true}));
    patched(&cast.admin, &path, &json!({"allow_force_push": false}));
    // If no one is left who is named, every maintainer is.
    let ids = [0, 1].map(|at| json!({"id": entry_id(&rule, "unprotect_access_levels", at), "_destroy": true}));
    let open = patched(&cast.maintainer, &path, &json!({"allowed_to_unprotect": ids}));
    assert_eq!(open["unprotect_access_levels"], json!([]));
    let _ = cast.owner.delete(&path).assert_status(204);
    patch(&cast.owner, &path, &json!({})).assert(404, not_found());
}

#[both_databases]
fn what_a_rule_cannot_name_is_refused_whole(server: &TestServer) {
    let cast = cast(server, "private");
    let rules = format!("{}/protected_branches", cast.path());
    let reading = deploy_key(&cast.owner, cast.project, keys::ED25519, false);
    let secret = group(&cast.stranger, "secret", "private");
    let one = "must name exactly one of user_id, group_id, deploy_key_id and access_level in each entry";
    let stranger = format!("includes user {}, who is not a member of the project", cast.stranger.id);
    let hidden = format!("includes the group {secret}, with which the project is not shared and which is not above it");
    for (field, entry, text) in [
        ("allowed_to_push", json!({"user_id": cast.stranger.id}), stranger.as_str()),
        ("allowed_to_push", json!({"user_id": 999_999}), "includes user 999999, who is not a member of the project"),
        ("allowed_to_merge", json!({"group_id": secret}), hidden.as_str()),
        (
            "allowed_to_push",
            json!({"deploy_key_id": reading}),
            &format!("includes the deploy key {reading}, which may not write to the project"),
        ),
        (
            "allowed_to_push",
            json!({"deploy_key_id": 999}),
            "includes the deploy key 999, which may not write to the project",
        ),
        ("allowed_to_merge", json!({"deploy_key_id": reading}), "cannot name deploy keys: they only push"),
        ("allowed_to_push", json!({}), one),
        ("allowed_to_push", json!({"user_id": cast.developer.id, "access_level": 40}), one),
        ("allowed_to_push", json!({"id": 999_999, "access_level": 40}), "names an entry that is not there"),
        ("allowed_to_push", json!({"_destroy": true}), "has an entry to be removed without its id"),
    ] {
        let answer = refusal(field, text);
        cast.owner.post(&rules, json!({"name": "new", field: [entry]})).assert(400, answer.clone());
        patch(&cast.owner, &format!("{rules}/main"), &json!({"allow_force_push": true, field: [entry]}))
            .assert(400, answer);
    }
    for (field, level) in [("allowed_to_push", 50), ("allowed_to_merge", 10), ("allowed_to_unprotect", 0)] {
        let body = json!({"name": "new", field: [{"access_level": level}]});
        cast.owner.post(&rules, body).assert(400, parameter(&format!("{field} does not have a valid value")));
    }
    let text = "unprotect_access_level does not have a valid value";
    cast.owner.post(&rules, json!({"name": "new", "unprotect_access_level": 0})).assert(400, parameter(text));
    for wrong in [json!("x"), json!([1]), json!([{"user_id": "x"}])] {
        let _ = cast.owner.post(&rules, json!({"name": "new", "allowed_to_push": wrong})).assert_status(400);
    }
    // The id of an entry of another rule, and of another action.
    let other = made(&cast.owner, &rules, json!({"name": "other"}));
    let of_merge = entry_id(&other, "merge_access_levels", 0);
    for path in ["main", "other"] {
        let body = json!({"allowed_to_push": [{"id": of_merge, "_destroy": true}]});
        patch(&cast.owner, &format!("{rules}/{path}"), &body)
            .assert(400, refusal("allowed_to_push", "names an entry that is not there"));
    }
    assert_eq!(cast.owner.get(&rules).each("name"), ["main", "other"]);
    assert_eq!(cast.owner.get(&format!("{rules}/main")).json()["allow_force_push"], false);
    let path = format!("{rules}/main");
    assert_eq!(cast.statuses(|client| patch(client, &path, &json!({}))), [404, 403, 403, 403, 200, 200, 200]);
    patch(&server.anonymous(), &path, &json!({})).assert(401, unauthorized());
}

#[both_databases]
fn a_rule_has_no_more_entries_than_the_limit_says(server: &TestServer) {
    let people = PeopleLimits { assigned: 2, ..PeopleLimits::default() };
    let server = &TestServer::start_with(server.backend(), Limits { people, ..Limits::default() });
    let cast = cast(server, "private");
    let users = [cast.guest.id, cast.reporter.id, cast.developer.id, cast.maintainer.id, cast.owner.id];
    let entries: Vec<Value> = users.iter().map(|user| json!({"user_id": user})).collect();
    let text = "has too many entries (maximum is 2)";
    for (kind, field) in [("protected_branches", "allowed_to_merge"), ("protected_tags", "allowed_to_create")] {
        let path = format!("{}/{kind}", cast.path());
        for many in [3, 5] {
            cast.owner.post(&path, json!({"name": "x", field: entries[..many]})).assert(400, refusal(field, text));
        }
        made(&cast.owner, &path, json!({"name": "x", field: entries[..2]}));
    }
    let path = format!("{}/protected_branches/x", cast.path());
    patch(&cast.owner, &path, &json!({"merge_access_level": 40})).assert(400, refusal("allowed_to_merge", text));
    let rule = cast.owner.get(&path).json();
    let ids = [0, 1].map(|at| json!({"id": entry_id(&rule, "merge_access_levels", at), "_destroy": true}));
    let all: Vec<Value> = ids.into_iter().chain(entries[2..4].iter().cloned()).collect();
    assert_eq!(named(&patched(&cast.owner, &path, &json!({"allowed_to_merge": all})), "merge_access_levels").len(), 2);
}

#[both_databases]
fn protected_tags_name_who_creates_them(server: &TestServer) {
    let cast = cast(server, "private");
    let team: i64 = group(&cast.maintainer, "team", "private");
    made(&cast.maintainer, &format!("/groups/{team}/members"), json!({"user_id": cast.owner.id, "access_level": 10}));
    share(&cast.owner, cast.project, team);
    let key = deploy_key(&cast.owner, cast.project, keys::ED25519, true);
    let rules = format!("{}/protected_tags", cast.path());
    let body = json!({
        "name": "v*", "create_access_level": 0,
        "allowed_to_create": [{"user_id": cast.developer.id}, {"group_id": team}, {"deploy_key_id": key}],
    });
    let rule = made(&cast.owner, &rules, body);
    let all = ["0".to_owned(), format!("user {}", cast.developer.id), format!("group {team}"), format!("key {key}")];
    assert_eq!(named(&rule, "create_access_levels"), all);
    assert_eq!(cast.owner.get(&format!("{rules}/v*")).json(), rule);
    assert_eq!(cast.owner.get(&rules).json(), json!([rule]));
    let tags = format!("{}/tags", at(cast.project));
    let make = |client: &Client, name: &str| client.post(&tags, json!({"tag_name": name, "ref": "main"})).status();
    assert_eq!((make(&cast.developer, "v1"), make(&cast.maintainer, "v2"), make(&cast.admin, "v3")), (201, 201, 400));
    let only = made(&cast.owner, &rules, json!({"name": "o", "allowed_to_create": [{"user_id": cast.developer.id}]}));
    assert_eq!(named(&only, "create_access_levels"), [format!("user {}", cast.developer.id)]);
    assert_eq!((make(&cast.maintainer, "o"), make(&cast.developer, "o")), (400, 201));
    let text = format!("includes user {}, who is not a member of the project", cast.stranger.id);
    let body = json!({"name": "w", "allowed_to_create": [{"user_id": cast.stranger.id}]});
    cast.owner.post(&rules, body).assert(400, refusal("allowed_to_create", &text));
    // A key that is removed takes its entry with it.
    let _ = cast.owner.delete(&format!("{}/deploy_keys/{key}", cast.path())).assert_status(204);
    assert_eq!(named(&cast.owner.get(&format!("{rules}/v*")).json(), "create_access_levels"), all[..3]);
}

#[both_databases]
fn many_entries_take_as_many_statements_as_few(server: &TestServer) {
    let cast = cast(server, "private");
    let keys = [keys::ED25519, keys::ECDSA_256];
    let keys = keys.map(|key| deploy_key(&cast.owner, cast.project, key, true));
    let groups = ["a", "b", "c"].map(|name| group(&cast.owner, name, "private"));
    for group in groups {
        share(&cast.owner, cast.project, group);
    }
    let people = [cast.developer.id, cast.maintainer.id, cast.reporter.id];
    let rules = format!("{}/protected_branches", cast.path());
    let make = |name: &str, count: usize| {
        let entries: Vec<Value> = (people.iter().take(count).map(|id| json!({"user_id": id})))
            .chain(groups.iter().take(count).map(|id| json!({"group_id": id})))
            .chain(keys.iter().take(count).map(|id| json!({"deploy_key_id": id})))
            .collect();
        let body = json!({"name": name, "allowed_to_push": entries});
        server.count_statements(|| drop(made(&cast.owner, &rules, body)))
    };
    let _warm = make("zero", 1);
    let few = make("one", 1);
    assert_eq!(make("three", 3), few);
}
