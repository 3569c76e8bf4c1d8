//! Code owners: whose approvals a merge into a protected branch needs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, User, both_databases};

use super::{branch, cast, commit, merge, offer, simple, some, text, unready, work, write};
use crate::support::*;

/// Makes merges into a branch need code owners. Maintainers push to it.
fn demand(cast: &Cast, branch: &str) -> Value {
    let rules = format!("{}/protected_branches", cast.path());
    let _ = cast.owner.delete(&format!("{rules}/{branch}"));
    made(&cast.owner, &rules, json!({"name": branch, "code_owner_approval_required": true}))
}

fn counts(client: &Client, path: &str) -> Value {
    let found = client.get(&format!("{path}/approvals")).assert_status(200).json();
    some(&found, &["approvals_required", "approvals_left", "approved"])
}

/// `section`, pattern, required, and if it is met, of each rule.
fn rules(client: &Client, path: &str) -> Vec<Value> {
    let found = client.get(&format!("{path}/approval_state")).assert_status(200).json();
    let fields = ["section", "name", "approvals_required", "approved"];
    found["rules"].as_array().expect("a list").iter().map(|rule| some(rule, &fields)).collect()
}

fn readiness(client: &Client, path: &str) -> String {
    text(&client.get(path).assert_status(200).json()["detailed_merge_status"])
}

fn approve(client: &Client, path: &str) {
    made(client, &format!("{path}/approve"), json!({}));
}

#[both_databases]
fn a_merge_waits_for_an_owner_of_what_it_changes(server: &TestServer) {
    let cast = cast(server, "public");
    write(&cast.owner, cast.project, "main", "CODEOWNERS", "*.txt @owner\n*.md @developer\n");
    let path = simple(&cast.maintainer, cast.project, "topic");
    assert_eq!(counts(&cast.owner, &path), json!([0, 0, true]));
    assert_eq!(demand(&cast, "main")["code_owner_approval_required"], true);
    assert_eq!(rules(&cast.owner, &path), [json!([null, "*.txt", 1, false])]);
    assert_eq!(
        (counts(&cast.owner, &path), readiness(&cast.owner, &path)),
        (json!([1, 1, false]), "not_approved".into())
    );
    let listed = cast.owner.get(&format!("{}/merge_requests", cast.path())).json();
    assert_eq!(listed[0]["detailed_merge_status"], "not_approved");
    let state = cast.owner.get(&format!("{path}/approval_state")).json();
    let rule = &state["rules"][0];
    assert_eq!(some(rule, &["rule_type", "code_owner", "id"]), json!(["code_owner", true, 1]));
    assert_eq!(rule["eligible_approvers"][0]["username"], "owner");
    // Another one's approval is not enough, nor is a command.
    approve(&cast.developer, &path);
    cast.maintainer.put(&format!("{path}/merge"), json!({})).assert(405, unready());
    let _ = cast.maintainer.post(&format!("{path}/notes"), json!({"body": "/merge"}));
    assert_eq!(cast.owner.get(&path).json()["state"], "opened");
    approve(&cast.owner, &path);
    assert_eq!(rules(&cast.owner, &path), [json!([null, "*.txt", 1, true])]);
    assert_eq!(readiness(&cast.owner, &path), "mergeable");
    assert_eq!(merge(&cast.maintainer, &path, json!({}))["state"], "merged");
}

#[both_databases]
fn each_section_has_its_own_demand(server: &TestServer) {
    let cast = cast(server, "public");
    let file = "* @owner\n!skip.txt\n[Docs][2] @developer @owner @root\n*.md\n/docs/\n^[Notes]\n*.md @root\n[Gone]\n*.md @missing\n";
    write(&cast.owner, cast.project, "main", "docs/CODEOWNERS", file);
    demand(&cast, "main");
    branch(&cast.maintainer, cast.project, "topic", "main");
    let create = |path: &str| json!({"action": "create", "file_path": path, "content": "a"});
    commit(&cast.maintainer, cast.project, "topic", "More", &json!([create("skip.txt"), create("a.md")]));
    let path = offer(&cast.maintainer, cast.project, "topic", "main", &json!({}));
    let want = |first: bool, docs: bool, notes: bool| {
        vec![
            json!([null, "*", 1, first]),
            json!(["Docs", "*.md", 2, docs]),
            json!(["Notes", "*.md", 0, notes]),
            // No one who may approve is named.
            json!(["Gone", "*.md", 0, true]),
        ]
    };
    assert_eq!(rules(&cast.owner, &path), want(false, false, true));
    approve(&cast.owner, &path);
    assert_eq!(rules(&cast.owner, &path), want(true, false, true));
    approve(&cast.developer, &path);
    assert_eq!(rules(&cast.owner, &path), want(true, true, true));
    assert_eq!(readiness(&cast.owner, &path), "mergeable");
    // Nothing that is owned is changed.
    branch(&cast.maintainer, cast.project, "free", "main");
    write(&cast.maintainer, cast.project, "free", "skip.txt", "a");
    let free = offer(&cast.maintainer, cast.project, "free", "main", &json!({}));
    assert_eq!(rules(&cast.owner, &free), Vec::<Value>::new());
    assert_eq!(readiness(&cast.owner, &free), "mergeable");
}

#[both_databases]
fn groups_roles_and_addresses_are_owners(server: &TestServer) {
    let cast = cast(server, "public");
    let group = made(&cast.owner, "/groups", json!({"name": "team", "path": "team"}));
    made(
        &cast.owner,
        &format!("/groups/{}/members", group["id"]),
        json!({"user_id": cast.developer.id, "access_level": 30}),
    );
    let file = "g.txt @team\nr.txt @@developers\ne.txt Developer@example.org\na.txt @maintainer\n";
    write(&cast.owner, cast.project, "main", ".gitlab/CODEOWNERS", file);
    demand(&cast, "main");
    let offered = |from: &str, name: &str| {
        branch(&cast.maintainer, cast.project, from, "main");
        write(&cast.maintainer, cast.project, from, &format!("{name}.txt"), "a");
        offer(&cast.maintainer, cast.project, from, "main", &json!({}))
    };
    for name in ["g", "r", "e"] {
        let path = offered(&format!("of-{name}"), name);
        assert_eq!(counts(&cast.owner, &path), json!([1, 1, false]), "{name}");
        approve(&cast.developer, &path);
        assert_eq!(counts(&cast.owner, &path), json!([1, 0, true]), "{name}");
    }
    // An author's own approval does not count, so that the author alone is no owner who could give one.
    let path = offered("of-a", "a");
    assert_eq!(rules(&cast.owner, &path), [json!([null, "a.txt", 0, true])]);
    // One who has left the group is no owner any more.
    let team = offered("again", "g");
    approve(&cast.developer, &team);
    assert_eq!(counts(&cast.owner, &team), json!([1, 0, true]));
    let _ = cast.owner.delete(&format!("/groups/{}/members/{}", group["id"], cast.developer.id));
    assert_eq!(counts(&cast.owner, &team), json!([1, 1, false]));
}

#[both_databases]
fn the_file_of_the_target_counts_at_the_moment_of_the_merge(server: &TestServer) {
    let cast = cast(server, "public");
    demand(&cast, "main");
    let path = simple(&cast.maintainer, cast.project, "topic");
    // The file of the source says nothing.
    write(&cast.maintainer, cast.project, "topic", "CODEOWNERS", "topic.txt @maintainer\n");
    server.run_jobs();
    assert_eq!(readiness(&cast.owner, &path), "mergeable");
    write(&cast.owner, cast.project, "main", "CODEOWNERS", "topic.txt @owner\n");
    let _ = cast.maintainer.put(&format!("{path}/merge"), json!({})).assert_status(405);
    server.run_jobs();
    // Both add the file: its merge has conflicts.
    assert_eq!(rules(&cast.owner, &path), [json!([null, "topic.txt", 1, false])]);
    let other = simple(&cast.maintainer, cast.project, "other");
    assert_eq!(readiness(&cast.owner, &other), "mergeable");
    let update = json!([{"action": "update", "file_path": "CODEOWNERS", "content": "*.txt @owner\n"}]);
    commit(&cast.owner, cast.project, "main", "Own more", &update);
    cast.maintainer.put(&format!("{other}/merge"), json!({})).assert(405, unready());
    approve(&cast.owner, &other);
    assert_eq!(merge(&cast.maintainer, &other, json!({}))["state"], "merged");
}

#[both_databases]
fn those_who_may_push_need_no_owner_and_others_may_not_push(server: &TestServer) {
    let cast = cast(server, "public");
    write(&cast.owner, cast.project, "main", "CODEOWNERS", "* @owner\n");
    demand(&cast, "main");
    let body = json!({"branch": "main", "commit_message": "Add", "content": "a"});
    let file = |name: &str| format!("{}/repository/files/{name}", cast.path());
    made(&cast.maintainer, &file("a.txt"), body.clone());
    let refused = cast.developer.post(&file("b.txt"), body);
    assert!(matches!(refused.status(), 400 | 403), "{}", refused.json());
}

#[both_databases]
fn a_file_that_cannot_be_read_lets_nothing_through(server: &TestServer) {
    let cast = cast(server, "public");
    let owners = |count: usize| (0..count).map(|number| format!(" @user{number}")).collect::<String>();
    // 10,000 owners of one line: the first 500 of them count, and none of them is there.
    write(&cast.owner, cast.project, "main", "CODEOWNERS", &format!("*.md{}\n", owners(10_000)));
    demand(&cast, "main");
    let path = simple(&cast.maintainer, cast.project, "topic");
    assert_eq!(readiness(&cast.owner, &path), "mergeable");
    let lines: String = (0..100).map(|_| format!("*.md{}\n", owners(201))).collect();
    let update = json!([{"action": "update", "file_path": "CODEOWNERS", "content": lines}]);
    commit(&cast.owner, cast.project, "main", "Own more", &update);
    cast.maintainer.put(&format!("{path}/merge"), json!({})).assert(405, unready());
    let want = json!([null, "CODEOWNERS names more than 20,000 owners", 1, false]);
    assert_eq!(rules(&cast.owner, &path), [want]);
    for client in [&cast.owner, &cast.developer] {
        approve(client, &path);
    }
    assert_eq!(readiness(&cast.owner, &path), "not_approved");
}

#[both_databases]
fn patterns_that_explode_end(server: &TestServer) {
    let cast = cast(server, "public");
    let pattern = format!("*{}b", "a".repeat(125));
    let lines: String = (0..900).map(|_| format!("{pattern} @owner\n")).collect();
    write(&cast.owner, cast.project, "main", "CODEOWNERS", &lines);
    demand(&cast, "main");
    branch(&cast.maintainer, cast.project, "topic", "main");
    let name = "a".repeat(250);
    let actions: Vec<Value> =
        (0..20).map(|n| json!({"action": "create", "file_path": format!("{n}/{name}"), "content": "a"})).collect();
    commit(&cast.maintainer, cast.project, "topic", "More", &json!(actions));
    let path = offer(&cast.maintainer, cast.project, "topic", "main", &json!({}));
    let want = json!([null, "the patterns of CODEOWNERS take too long to compare", 1, false]);
    assert_eq!(rules(&cast.owner, &path), [want]);
}

#[both_databases]
fn the_setting_of_a_branch_is_a_boolean_and_stays(server: &TestServer) {
    let cast = cast(server, "public");
    let all = format!("{}/protected_branches", cast.path());
    let body = json!({"name": "x", "code_owner_approval_required": "perhaps"});
    let _ = cast.owner.post(&all, body).assert_status(400);
    assert_eq!(made(&cast.owner, &all, json!({"name": "y"}))["code_owner_approval_required"], false);
    work(&cast.owner, cast.project, "topic");
    demand(&cast, "topic");
    // The older way to protect a branch leaves it.
    let branch = format!("{}/repository/branches/topic/protect", cast.path());
    changed(&cast.owner, &branch, json!({"developers_can_push": true}));
    assert_eq!(cast.owner.get(&format!("{all}/topic")).json()["code_owner_approval_required"], true);
    // No one makes such a rule.
    let body = json!({"name": "Own", "rule_type": "code_owner", "approvals_required": 1});
    let _ = cast.owner.post(&format!("{}/approval_rules", cast.path()), body).assert_status(400);
}

/// `main` and `topic` have two merge bases. Whichever of them is compared with `topic`, it has one of the files as `topic`
/// has it, though the merge takes the changes of both files back.
#[both_databases]
fn what_the_target_gets_counts_with_several_merge_bases(server: &TestServer) {
    let cast = cast(server, "public");
    let (by, project) = (&cast.owner, cast.project);
    write(by, project, "main", "CODEOWNERS", "one.txt @owner\ntwo.txt @developer\n");
    write(by, project, "main", "one.txt", "old");
    write(by, project, "main", "two.txt", "old");
    let update = |file: &str, content: &str| json!({"action": "update", "file_path": file, "content": content});
    branch(by, project, "topic", "main");
    commit(by, project, "main", "One", &json!([update("one.txt", "new")]));
    commit(by, project, "topic", "Two", &json!([update("two.txt", "new")]));
    branch(by, project, "of-main", "main");
    branch(by, project, "of-topic", "topic");
    for (from, into) in [("of-topic", "main"), ("of-main", "topic")] {
        merge(by, &offer(by, project, from, into, &json!({})), json!({}));
    }
    server.run_jobs();
    demand(&cast, "main");
    let back = json!([update("one.txt", "old"), update("two.txt", "old")]);
    commit(&cast.maintainer, project, "topic", "Take both back", &back);
    let path = offer(&cast.maintainer, project, "topic", "main", &json!({}));
    let want = |one: bool, two: bool| [json!([null, "one.txt", 1, one]), json!([null, "two.txt", 1, two])];
    assert_eq!(rules(by, &path), want(false, false));
    approve(&cast.developer, &path);
    assert_eq!(rules(by, &path), want(false, true));
    cast.maintainer.put(&format!("{path}/merge"), json!({})).assert(405, unready());
    approve(&cast.owner, &path);
    assert_eq!(merge(&cast.maintainer, &path, json!({}))["state"], "merged");
    let file = by.get(&format!("/projects/{project}/repository/files/one.txt/raw?ref=main"));
    assert_eq!(file.text(), "old", "the merge does what the rules were about");
}

#[both_databases]
fn a_line_with_a_nul_is_passed_over(server: &TestServer) {
    let cast = cast(server, "public");
    demand(&cast, "main");
    // PostgreSQL stores no text with a NUL.
    let content = STANDARD.encode("[Texts] @owner\n*.txt\n[N\0] @owner\n*.txt\0 @developer\ntopic* @dev\0eloper\n");
    let actions = json!([{"action": "create", "file_path": "CODEOWNERS", "content": content, "encoding": "base64"}]);
    commit(&cast.owner, cast.project, "main", "Own", &actions);
    let path = simple(&cast.maintainer, cast.project, "topic");
    assert_eq!(rules(&cast.owner, &path), [json!(["Texts", "*.txt", 1, false])]);
    approve(&cast.owner, &path);
    assert_eq!(merge(&cast.maintainer, &path, json!({}))["state"], "merged");
}

#[both_databases]
fn the_user_of_a_private_address_is_not_named(server: &TestServer) {
    let cast = cast(server, "public");
    write(&cast.owner, cast.project, "main", "CODEOWNERS", "*.txt developer@example.org\n");
    demand(&cast, "main");
    let path = simple(&cast.maintainer, cast.project, "topic");
    let named = |client: &Client, list: &str| -> Vec<Value> {
        let state = client.get(&format!("{path}/approval_state")).assert_status(200).json();
        state["rules"][0][list].as_array().expect("a list").iter().map(|user| user["username"].clone()).collect()
    };
    let (hidden, shown): (Vec<Value>, _) = (Vec::new(), [json!("developer")]);
    for list in ["users", "eligible_approvers"] {
        assert_eq!(named(&cast.maintainer, list), hidden);
        assert_eq!((named(&cast.developer, list), named(&cast.admin, list)), (shown.to_vec(), shown.to_vec()));
    }
    // The approval counts all the same.
    assert_eq!(counts(&cast.maintainer, &path), json!([1, 1, false]));
    approve(&cast.developer, &path);
    assert_eq!(counts(&cast.maintainer, &path), json!([1, 0, true]));
    assert_eq!(rules(&cast.maintainer, &path), [json!([null, "*.txt", 1, true])]);
    assert_eq!(
        (named(&cast.maintainer, "approved_by"), named(&cast.developer, "approved_by")),
        (hidden, shown.to_vec())
    );
    changed(&cast.admin, &format!("/users/{}", cast.developer.id), json!({"public_email": "developer@example.org"}));
    assert_eq!(
        (named(&cast.maintainer, "users"), named(&cast.maintainer, "approved_by")),
        (shown.to_vec(), shown.to_vec())
    );
}

#[both_databases]
fn the_required_number_does_not_say_if_someone_has_an_address(server: &TestServer) {
    let cast = cast(server, "public");
    let lines = "a.txt developer@example.org\nb.txt absent@example.org\nc.txt @gone\n";
    write(&cast.owner, cast.project, "main", "CODEOWNERS", lines);
    demand(&cast, "main");
    branch(&cast.maintainer, cast.project, "topic", "main");
    for name in ["a.txt", "b.txt", "c.txt"] {
        write(&cast.maintainer, cast.project, "topic", name, "x");
    }
    let path = offer(&cast.maintainer, cast.project, "topic", "main", &json!({}));
    let want = [
        json!([null, "a.txt", 1, false]),
        json!([null, "b.txt", 1, false]),
        // The owners of a path are no secret.
        json!([null, "c.txt", 0, true]),
    ];
    assert_eq!(rules(&cast.maintainer, &path), want);
}

#[both_databases]
fn an_answer_names_a_hundred_owners_of_a_rule(server: &TestServer) {
    let cast = cast(server, "public");
    write(&cast.owner, cast.project, "main", "CODEOWNERS", "[All][100]\n*.txt @@developers\n");
    demand(&cast, "main");
    let path = simple(&cast.maintainer, cast.project, "topic");
    let add = format!(
        "INSERT INTO members (project_id, user_id, access_level, created_at, updated_at) SELECT {}, id, 30, created_at, created_at \
         FROM users WHERE username LIKE 'many%'",
        cast.project
    );
    let names: Vec<String> = (0..120).map(|number| format!("many{number}")).collect();
    let _many: [User; 120] = server.users(std::array::from_fn(|at| names[at].as_str()));
    server.database().execute(&add);
    let state = cast.owner.get(&format!("{path}/approval_state")).assert_status(200).json();
    let rule = &state["rules"][0];
    let count = |list: &str| rule[list].as_array().expect("a list").len();
    assert_eq!((count("users"), count("eligible_approvers")), (100, 100));
    assert_eq!(rule["approvals_required"], 100);
}

#[both_databases]
fn a_list_asks_for_the_owners_of_all_in_a_constant_number_of_statements(server: &TestServer) {
    let cast = cast(server, "public");
    let file = "one.txt @owner\ntwo.txt @@developers\n* @developer maintainer@example.org\n";
    write(&cast.owner, cast.project, "main", "CODEOWNERS", file);
    demand(&cast, "main");
    simple(&cast.maintainer, cast.project, "one");
    let list = format!("{}/merge_requests", cast.path());
    let listed = |count: usize| {
        server.count_statements(|| {
            let found = cast.owner.get(&list).assert_status(200);
            assert_eq!(found.each("detailed_merge_status"), vec!["not_approved"; count]);
        })
    };
    let _warm = listed(1);
    let few = listed(1);
    for name in ["two", "three", "four"] {
        simple(&cast.maintainer, cast.project, name);
    }
    let _warm = listed(4);
    assert_eq!(listed(4), few);
}
