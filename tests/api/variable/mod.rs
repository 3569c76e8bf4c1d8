//! Variables of projects, of groups and of the whole server.

use serde_json::{Value, json};
use tenon_app::Limits;
use tenon_testkit::{TestServer, User, both_databases};

use crate::support::*;

const SERVER: &str = "/admin/ci/variables";

/// A project and a group of alice's, by the paths of their variables, and what a missing variable is called there.
fn homes(server: &TestServer) -> (User, [(String, &'static str); 2]) {
    let alice = server.user("alice");
    let project = format!("/projects/{}/variables", project(&alice, "tool", "private"));
    let group = format!("/groups/{}/variables", group(&alice, "house", "private"));
    (alice, [(project, "Variable"), (group, "GroupVariable")])
}

#[both_databases]
fn a_variable_has_all_its_fields_from_the_start(server: &TestServer) {
    let (alice, homes) = homes(server);
    for (path, _) in homes {
        let new = made(&alice, &path, json!({"key": " A_B ", "value": "line\nline"}));
        let want = json!({
            "variable_type": "env_var", "key": "A_B", "value": "line\nline", "hidden": false, "protected": false,
            "masked": false, "raw": false, "environment_scope": "*", "description": null,
        });
        assert_eq!(new, want);
        assert_eq!(alice.get(&format!("{path}/A_B")).assert_status(200).json(), want);
        let all = json!({
            "value": "", "variable_type": "file", "protected": true, "raw": true, "environment_scope": "review/*",
            "description": "for tests", "key": "OTHER",
        });
        let edited = changed(&alice, &format!("{path}/A_B"), all);
        let want = json!({
            "variable_type": "file", "key": "A_B", "value": "", "hidden": false, "protected": true, "masked": false,
            "raw": true, "environment_scope": "review/*", "description": "for tests",
        });
        assert_eq!(edited, want, "the key of the body is ignored");
        assert_eq!(changed(&alice, &format!("{path}/A_B"), json!({})), want);
        let cleared = changed(&alice, &format!("{path}/A_B"), json!({"description": null}));
        assert_eq!(cleared["description"], Value::Null);
        made(&alice, &path, json!({"key": "a_b", "value": "", "environment_scope": null}));
        let list = alice.get(&format!("{path}?per_page=1"));
        assert_eq!((texts(&list, "key"), list.header("x-total").as_str()), (vec!["A_B".to_owned()], "2"));
        let _ = alice.delete(&format!("{path}/A_B?filter[environment_scope]=review/*")).assert_status(204);
        assert_eq!(texts(&alice.get(&path), "key"), ["a_b"]);
    }
}

#[both_databases]
fn variables_of_the_server_are_for_administrators(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let new =
        made(&root, SERVER, json!({"key": "A", "value": "v", "environment_scope": "x", "masked_and_hidden": true}));
    let want = json!({
        "variable_type": "env_var", "key": "A", "value": "v", "protected": false, "masked": false, "raw": false,
        "description": null,
    });
    assert_eq!(new, want);
    assert_eq!(root.get(SERVER).json(), json!([want]));
    let one = format!("{SERVER}/A");
    assert_eq!(changed(&root, &one, json!({"value": "new"}))["value"], "new");
    for path in [SERVER, one.as_str()] {
        alice.get(path).assert(403, forbidden());
        server.anonymous().get(path).assert(401, unauthorized());
    }
    alice.post(SERVER, json!({})).assert(403, forbidden());
    alice.put(&one, json!({"value": "x"})).assert(403, forbidden());
    alice.delete(&one).assert(403, forbidden());
    root.post(SERVER, json!({"key": "A", "value": ""})).assert(400, field("key", "(A) has already been taken"));
    root.get(&format!("{SERVER}/B")).assert(404, missing("InstanceVariable"));
    let _ = root.delete(&one).assert_status(204);
    root.delete(&one).assert(404, missing("InstanceVariable"));
}

#[both_databases]
fn every_rule_has_its_text(server: &TestServer) {
    let (alice, homes) = homes(server);
    for (path, name) in homes {
        let refused = |body: Value, want: Value| alice.post(&path, body).assert(400, want);
        let (blank, words) = ("can't be blank", "can contain only letters, digits and '_'.");
        refused(json!({}), parameter("key is missing, value is missing"));
        refused(json!({"key": "K"}), parameter("value is missing"));
        refused(json!({"key": " ", "value": "v"}), json!({"message": {"key": [blank, words]}}));
        refused(json!({"key": "A-B", "value": "v"}), field("key", words));
        let long = "is too long (maximum is 255 characters)";
        refused(json!({"key": "K".repeat(256), "value": "v"}), field("key", long));
        refused(json!({"key": "K", "value": "v", "protected": "maybe"}), parameter("protected is invalid"));
        refused(
            json!({"key": "K", "value": "v", "variable_type": "text"}),
            parameter("variable_type does not have a valid value"),
        );
        refused(json!({"key": "K", "value": "short", "masked": true}), field("value", "is invalid"));
        refused(json!({"key": "K", "value": "$NAME678", "masked": true}), field("value", "is invalid"));
        refused(json!({"key": "K", "value": "short", "masked_and_hidden": true}), field("value", "is invalid"));
        refused(json!({"key": "K", "value": "v", "description": "d".repeat(256)}), field("description", long));
        refused(
            json!({"key": "K", "value": "v", "environment_scope": "a,b"}),
            field(
                "environment_scope",
                "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces",
            ),
        );
        let exceeds = |most: usize| format!("The value of the provided variable exceeds the {most} character limit");
        refused(json!({"key": "K", "value": "v".repeat(10_001)}), field("value", &exceeds(10_000)));
        refused(
            json!({"key": "K", "value": "v".repeat(50_001), "variable_type": "file"}),
            field("value", &exceeds(50_000)),
        );
        assert_eq!(alice.get(&path).json(), json!([]));
        made(&alice, &path, json!({"key": "K", "value": "$NAME678", "masked": true, "raw": true}));
        let one = format!("{path}/K");
        alice.put(&one, json!({"raw": false})).assert(400, field("value", "is invalid"));
        alice.put(&one, json!({"value": "short"})).assert(400, field("value", "is invalid"));
        let _ = alice.get(&one).assert_status(200);
        alice.get(&format!("{path}/k")).assert(404, missing(name));
        alice.put(&format!("{path}/k"), json!({"value": "v"})).assert(404, missing(name));
        alice.delete(&format!("{path}/k")).assert(404, missing(name));
    }
}

#[both_databases]
fn a_hidden_value_is_never_answered(server: &TestServer) {
    let (alice, homes) = homes(server);
    for (path, _) in homes {
        let new = made(&alice, &path, json!({"key": "K", "value": "geheim-12345", "masked_and_hidden": true}));
        let one = format!("{path}/K");
        for seen in [new, alice.get(&one).json(), alice.get(&path).json()[0].clone()] {
            assert_eq!((&seen["hidden"], &seen["masked"], &seen["value"]), (&json!(true), &json!(true), &json!(null)));
        }
        for change in [json!({"protected": true}), json!({"value": "anders-12345"}), json!({"masked": true})] {
            assert_eq!(changed(&alice, &one, change)["value"], Value::Null);
        }
        let kept = "The visibility setting cannot be changed for masked and hidden variables.";
        alice.put(&one, json!({"masked": false})).assert(400, field("base", kept));
        let ignored = changed(&alice, &one, json!({"hidden": false, "masked_and_hidden": false}));
        assert_eq!((&ignored["hidden"], &ignored["value"]), (&json!(true), &json!(null)));
    }
}

#[both_databases]
fn a_filter_chooses_among_the_scopes_of_one_name(server: &TestServer) {
    let (alice, homes) = homes(server);
    for (path, name) in homes {
        for scope in ["*", "production", "review/*"] {
            made(&alice, &path, json!({"key": "K", "value": scope, "environment_scope": scope}));
        }
        let taken = field("key", "(K) has already been taken");
        let again = json!({"key": "K", "value": "v", "environment_scope": "production"});
        alice.post(&path, again).assert(400, taken.clone());
        let one = format!("{path}/K");
        let text = "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'";
        let ambiguous = json!({"message": text});
        alice.get(&one).assert(409, ambiguous.clone());
        alice.put(&one, json!({"value": "v"})).assert(409, ambiguous.clone());
        alice.delete(&one).assert(409, ambiguous);
        let chosen = |scope: &str| format!("{one}?filter[environment_scope]={scope}");
        assert_eq!(alice.get(&chosen("production")).json()["value"], "production");
        alice.get(&chosen("staging")).assert(404, missing(name));
        let body = |scope: &str| json!({"value": "new", "filter": {"environment_scope": scope}});
        assert_eq!(changed(&alice, &one, body("review/*"))["environment_scope"], "review/*");
        let onto = json!({"environment_scope": "*", "filter": {"environment_scope": "production"}});
        alice.put(&one, onto).assert(400, taken);
        alice.put(&one, body("none")).assert(404, missing(name));
        let _ = alice.delete(&chosen("*")).assert_status(204);
        let _ = alice.delete(&chosen("production")).assert_status(204);
        assert_eq!(alice.get(&one).json()["value"], "new");
        alice.get(&format!("{one}?filter=x")).assert(400, parameter("filter is invalid"));
        // A misspelled condition would change or remove the only one that is left.
        let wrong = parameter("filter[scope] is not supported");
        alice.put(&one, json!({"value": "v", "filter": {"scope": "*"}})).assert(400, wrong.clone());
        alice.delete(&format!("{one}?filter[scope]=*")).assert(400, wrong);
        assert_eq!(alice.get(&one).json()["value"], "new");
    }
}

#[both_databases]
fn a_stranger_sees_no_problem_of_a_request(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (project, group) = (project(&alice, "tool", "public"), group(&alice, "house", "public"));
    for (path, member_path) in [
        (format!("/projects/{project}/variables"), format!("/projects/{project}")),
        (format!("/groups/{group}/variables"), format!("/groups/{group}")),
    ] {
        for body in [json!({}), json!({"key": "A-B", "value": "v"})] {
            bob.post(&path, body.clone()).assert(403, forbidden());
            server.anonymous().post(&path, body).assert(401, unauthorized());
        }
        bob.put(&format!("{path}/K"), json!({"protected": "x"})).assert(403, forbidden());
        bob.get(&format!("{path}/K?filter=x")).assert(403, forbidden());
        member(&alice, &member_path, bob.id, 30);
        bob.get(&path).assert(403, forbidden());
        let _ = alice.put(&format!("{member_path}/members/{}", bob.id), json!({"access_level": 40}));
        bob.get(&path).assert(200, json!([]));
    }
}

#[both_databases]
fn an_archived_project_and_one_without_jobs_have_none_to_read(server: &TestServer) {
    let alice = server.user("alice");
    for (name, off) in [("archived", true), ("jobless", false)] {
        let id = project(&alice, name, "private");
        let path = format!("/projects/{id}/variables");
        made(&alice, &path, json!({"key": "K", "value": "v"}));
        let _ = if off {
            alice.post(&format!("/projects/{id}/archive"), json!({})).assert_status(200)
        } else {
            alice.put(&format!("/projects/{id}"), json!({"jobs_enabled": false})).assert_status(200)
        };
        for caller in [&*alice, &server.root()] {
            caller.get(&path).assert(403, forbidden());
            caller.get(&format!("{path}/K")).assert(403, forbidden());
            caller.post(&path, json!({"key": "L", "value": ""})).assert(403, forbidden());
            caller.put(&format!("{path}/K"), json!({"value": "x"})).assert(403, forbidden());
            caller.delete(&format!("{path}/K")).assert(403, forbidden());
        }
    }
}

#[both_databases]
fn a_project_lists_its_own_and_not_those_of_others(server: &TestServer) {
    let alice = server.user("alice");
    let group = group(&alice, "house", "private");
    let (one, other) = (project_in(&alice, group, "one", "private"), project_in(&alice, group, "other", "private"));
    made(&alice, &format!("/groups/{group}/variables"), json!({"key": "K", "value": "of the group"}));
    made(&alice, &format!("/projects/{one}/variables"), json!({"key": "K", "value": "of one"}));
    let value = |project: i64| alice.get(&format!("/projects/{project}/variables/K"));
    assert_eq!(value(one).json()["value"], "of one");
    value(other).assert(404, missing("Variable"));
    assert_eq!(alice.get(&format!("/projects/{other}/variables")).json(), json!([]));
}

#[both_databases]
fn only_variables_of_groups_know_when_they_were_changed(server: &TestServer) {
    let (alice, homes) = homes(server);
    let early = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    for ((path, _), want) in homes.into_iter().zip([204, 412]) {
        made(&alice, &path, json!({"key": "K", "value": "v"}));
        let _ = early.delete(&format!("{path}/K")).assert_status(want);
    }
}

#[both_databases]
fn values_are_stored_encrypted_and_leave_no_trace(server: &TestServer) {
    let (alice, homes) = homes(server);
    for (path, _) in homes {
        made(&alice, &path, json!({"key": "SECRET_KEY", "value": "geheim-12345"}));
        let _ = changed(&alice, &format!("{path}/SECRET_KEY"), json!({"value": "anders-12345"}));
        let _ = alice.delete(&format!("{path}/SECRET_KEY")).assert_status(204);
        made(&alice, &path, json!({"key": "SECRET_KEY", "value": "geheim-12345"}));
    }
    made(&server.root(), SERVER, json!({"key": "SECRET_KEY", "value": "geheim-12345"}));
    let count = |sql: &str| server.database().count(sql);
    assert_eq!(count("SELECT COUNT(*) FROM variables WHERE sealed_value NOT LIKE '%12345%'"), 3);
    let named = "detail LIKE '%12345%' OR detail LIKE '%SECRET%'";
    assert_eq!(count(&format!("SELECT COUNT(*) FROM events WHERE {named}")), 0);
    assert_eq!(count("SELECT COUNT(*) FROM events WHERE kind LIKE 'variable_%'"), 9);
}

#[both_databases]
fn variables_end_with_their_project_and_group(server: &TestServer) {
    let alice = server.user("alice");
    let group = group(&alice, "house", "private");
    let project = project_in(&alice, group, "tool", "private");
    for path in [format!("/groups/{group}/variables"), format!("/projects/{project}/variables")] {
        made(&alice, &path, json!({"key": "K", "value": "v"}));
    }
    let count = || server.database().count("SELECT COUNT(*) FROM variables");
    assert_eq!(count(), 2);
    let _ = alice.delete(&format!("/groups/{group}")).assert_status(202);
    server.run_jobs();
    assert_eq!(count(), 0);
}

#[both_databases]
fn their_number_is_bounded(server: &TestServer) {
    let mut limits = Limits::without_rates();
    limits.contents.variables = 2;
    let server = &TestServer::beside_with(server, limits);
    let (alice, homes) = homes(server);
    let root = server.root();
    for (client, path, of) in [
        (&*alice, homes[0].0.as_str(), "A project"),
        (&*alice, homes[1].0.as_str(), "A group"),
        (&root, SERVER, "The server"),
    ] {
        for key in ["A", "B"] {
            made(client, path, json!({"key": key, "value": "v"}));
        }
        let want = field("base", &format!("{of} has at most 2 variables"));
        client.post(path, json!({"key": "C", "value": "v"})).assert(400, want);
        let _ = client.delete(&format!("{path}/A")).assert_status(204);
        made(client, path, json!({"key": "C", "value": "v"}));
    }
}
