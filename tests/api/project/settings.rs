//! The settings of the table of projects: each is stored, answered everywhere, and takes no wrong value.

use serde_json::{Value, json};
use tenon_domain::project::setting::SETTINGS;
use tenon_testkit::{Client, TestServer, both_databases};

use super::super::merge_request::with;
use crate::setting_values::*;
use crate::support::*;

/// Checks these settings in all answers that show a project in full.
#[track_caller]
fn assert_shown(client: &Client, project: i64, wanted: &[Wanted]) {
    let listed = client.get("/projects?owned=true").json();
    let listed =
        listed.as_array().expect("a list").iter().find(|one| one["id"] == project).expect("the project").clone();
    for answer in [client.get(&format!("/projects/{project}")).json(), listed] {
        assert_values(&answer, wanted);
    }
}

#[both_databases]
fn each_setting_is_stored_and_answered(server: &TestServer) {
    let alice = server.user("alice");
    let (others, defaults) = (each(SETTINGS, other), each(SETTINGS, preset));
    let tool = project(&alice, "tool", "private");
    assert_shown(&alice, tool, &defaults);
    let edited = alice.put(&format!("/projects/{tool}"), body_of(&others)).assert_status(200).json();
    assert_values(&edited, &others);
    assert_shown(&alice, tool, &others);
    let _ = alice.form("PUT", &format!("/projects/{tool}"), &form_of(&defaults)).assert_status(200);
    assert_shown(&alice, tool, &defaults);
    // A client may send back the values that it has read.
    let read = alice.get(&format!("/projects/{tool}")).json();
    let sent: Vec<Wanted> = SETTINGS.iter().map(|setting| (setting, read[setting.name].clone())).collect();
    let _ = alice.put(&format!("/projects/{tool}"), body_of(&sent)).assert_status(200);
    assert_shown(&alice, tool, &defaults);
    let mut new = body_of(&others);
    new["name"] = json!("made");
    assert_shown(&alice, id(&made(&alice, "/projects", new)), &others);
    let new = format!("name=formed&{}", form_of(&others));
    let made = alice.form("POST", "/projects", &new).assert_status(201).json();
    assert_shown(&alice, id(&made), &others);
}

#[both_databases]
fn a_wrong_value_is_refused_and_nothing_is_stored(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}", project(&alice, "tool", "private"));
    for (body, problem) in [
        (json!({"squash_option": "sometimes"}), "squash_option does not have a valid value"),
        (json!({"autoclose_referenced_issues": "perhaps"}), "autoclose_referenced_issues is invalid"),
        (json!({"merge_commit_template": {"a": 1}}), "merge_commit_template is invalid"),
        (json!({"ci_default_git_depth": "x"}), "ci_default_git_depth is invalid"),
        (
            json!({"emails_enabled": true, "emails_disabled": true}),
            "emails_enabled, emails_disabled are mutually exclusive",
        ),
    ] {
        alice.put(&path, body).assert(400, parameter(problem));
    }
    for (body, name, problem) in [
        (
            json!({"merge_commit_template": "x".repeat(501)}),
            "merge_commit_template",
            "is too long (maximum is 500 characters)",
        ),
        (json!({"issue_branch_template": "a\nb"}), "issue_branch_template", "is invalid"),
        (json!({"ci_default_git_depth": 1001}), "ci_default_git_depth", "must be less than or equal to 1000"),
        (json!({"build_timeout": 5}), "build_timeout", "must be greater than or equal to 600"),
    ] {
        let mut with_description = body.clone();
        with_description["description"] = json!("not stored");
        alice.put(&path, with_description).assert(400, json!({"message": {name: [problem]}}));
    }
    assert_eq!(alice.get(&path).json()["description"], Value::Null);
}

#[both_databases]
fn the_older_name_says_the_contrary(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}", project(&alice, "tool", "private"));
    let edited = alice.put(&path, json!({"emails_disabled": true})).assert_status(200).json();
    assert_eq!((&edited["emails_enabled"], &edited["emails_disabled"]), (&json!(false), &json!(true)));
    let edited = alice.put(&path, json!({"emails_disabled": false, "emails_enabled": true})).assert_status(200).json();
    assert_eq!((&edited["emails_enabled"], &edited["emails_disabled"]), (&json!(true), &json!(false)));
}

#[both_databases]
fn a_developer_may_not_change_them(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/projects/{}", project(&alice, "tool", "private"));
    member(&alice, &path, bob.id, 30);
    bob.put(&path, json!({"squash_option": "always"})).assert(403, forbidden());
    assert_eq!(bob.get(&path).json()["squash_option"], "default_off");
}

#[both_databases]
fn a_rule_about_images_is_stored_and_answered(server: &TestServer) {
    let alice = server.user("alice");
    let shown = |answer: &Value| answer["container_expiration_policy"].clone();
    let tool = made(&alice, "/projects", json!({"name": "tool"}));
    let usual = json!({
        "cadence": "1d", "enabled": false, "keep_n": 10, "older_than": "90d", "name_regex": ".*", "name_regex_delete": ".*",
        "name_regex_keep": null, "next_run_at": null,
    });
    assert_eq!(shown(&tool), usual);
    let path = format!("/projects/{}", id(&tool));
    let other = json!({
        "cadence": "7d", "enabled": true, "keep_n": 5, "older_than": "14d", "name_regex": "dev-.*",
        "name_regex_delete": "dev-.*", "name_regex_keep": "v.*", "next_run_at": null,
    });
    let sent = |parts: &Value| json!({"container_expiration_policy_attributes": parts});
    assert_eq!(shown(&changed(&alice, &path, sent(&other))), other);
    assert_eq!(shown(&alice.get(&path).json()), other);
    assert_eq!(shown(&alice.get("/projects?owned=true").json()[0]), other);
    let partly =
        shown(&changed(&alice, &path, sent(&json!({"keep_n": "25", "name_regex": "x", "name_regex_keep": null}))));
    let (kept, all) =
        (&partly["name_regex_keep"], (&partly["keep_n"], &partly["name_regex_delete"], &partly["cadence"]));
    assert_eq!((kept, all), (&Value::Null, (&json!(25), &json!("x"), &json!("7d"))));
    let formed = alice.form_of("PUT", &path, &sent(&usual)).assert_status(200).json();
    assert_eq!(shown(&formed), usual);
    let new = with(sent(&other), &json!({"name": "made"}));
    assert_eq!(shown(&made(&alice, "/projects", new.clone())), other);
    let new = with(new, &json!({"name": "formed"}));
    assert_eq!(shown(&alice.form_of("POST", "/projects", &new).assert_status(201).json()), other);
    for (parts, problem) in [
        (json!({"cadence": "2d"}), "[cadence] does not have a valid value"),
        (json!({"keep_n": 3}), "[keep_n] does not have a valid value"),
        (json!({"keep_n": "x"}), "[keep_n] is invalid"),
        (json!({"enabled": "perhaps"}), "[enabled] is invalid"),
        (json!({"older_than": ["7d", {}]}), "[older_than] is invalid"),
        (json!("x"), " is invalid"),
        (json!(["x"]), " is invalid"),
    ] {
        let problem = format!("container_expiration_policy_attributes{problem}");
        alice.put(&path, with(sent(&parts), &json!({"description": "x"}))).assert(400, parameter(&problem));
    }
    let long = json!({"container_expiration_policy.name_regex_keep": ["is too long (maximum is 255 characters)"]});
    alice.put(&path, sent(&json!({"name_regex_keep": "x".repeat(256)}))).assert(400, json!({"message": long}));
    assert_eq!((shown(&alice.get(&path).json()), &alice.get(&path).json()["description"]), (usual, &Value::Null));
}
