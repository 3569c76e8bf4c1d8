//! The settings of the table of projects: each is stored, answered everywhere, and takes no wrong value.

use serde_json::{Value, json};
use tenon_domain::project::setting::SETTINGS;
use tenon_domain::settings::{DefaultValue, Kind, Setting};
use tenon_testkit::{Client, TestServer, both_databases};

use crate::support::*;

/// The value on a new server, as JSON.
fn default_of(setting: &Setting) -> Value {
    match setting.default {
        DefaultValue::Null => Value::Null,
        DefaultValue::Switch(on) => json!(on),
        DefaultValue::Number(number) => json!(number),
        DefaultValue::Text(text) => json!(text),
        DefaultValue::List(items) => json!(items),
    }
}

/// A value that is not the default.
fn other_of(setting: &Setting) -> Value {
    match (setting.kind, setting.default) {
        (Kind::Switch, DefaultValue::Switch(on)) => json!(!on),
        (Kind::Number { least, .. }, _) => json!(least + 1),
        (Kind::Word(words), _) => {
            json!(words.iter().find(|word| json!(word) != default_of(setting)).expect("another word"))
        }
        (Kind::Words(words), _) => json!([words[0]]),
        (Kind::Line(_), _) => json!("a %{id} line"),
        (Kind::Text(_), _) => json!("two\nlines"),
        (kind, _) => panic!("no test value of {kind:?}"),
    }
}

/// A field of a form for a value.
fn as_form(name: &str, value: &Value) -> String {
    match value {
        Value::Array(items) => items
            .iter()
            .map(|item| format!("{name}[]={}", item.as_str().unwrap_or_default()))
            .collect::<Vec<_>>()
            .join("&"),
        Value::String(text) => format!("{name}={}", text.replace('%', "%25").replace('\n', "%0A").replace(' ', "+")),
        Value::Null => format!("{name}="),
        other => format!("{name}={other}"),
    }
}

/// The values of these settings in all answers that show a project in full.
fn assert_shown(client: &Client, project: i64, wanted: &[(&'static Setting, Value)]) {
    let listed = client.get("/projects?owned=true").json();
    let listed =
        listed.as_array().expect("a list").iter().find(|one| one["id"] == project).expect("the project").clone();
    for answer in [client.get(&format!("/projects/{project}")).json(), listed] {
        for (setting, want) in wanted {
            assert_eq!(&answer[setting.name], want, "{}", setting.name);
            if let Some(opposite) = setting.opposite {
                assert_eq!(answer[opposite], json!(*want != json!(true)), "{opposite}");
            }
        }
    }
}

#[both_databases]
fn each_setting_is_stored_and_answered(server: &TestServer) {
    let alice = server.user("alice");
    let others: Vec<_> = SETTINGS.iter().map(|setting| (setting, other_of(setting))).collect();
    let defaults: Vec<_> = SETTINGS.iter().map(|setting| (setting, default_of(setting))).collect();
    let tool = project(&alice, "tool", "private");
    assert_shown(&alice, tool, &defaults);
    let body = |values: &[(&'static Setting, Value)]| -> Value {
        values
            .iter()
            .map(|(setting, value)| (setting.name.to_owned(), value.clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let edited = alice.put(&format!("/projects/{tool}"), body(&others)).assert_status(200).json();
    for (setting, want) in &others {
        assert_eq!(&edited[setting.name], want, "{}", setting.name);
    }
    assert_shown(&alice, tool, &others);
    let form = |values: &[(&'static Setting, Value)]| -> String {
        values.iter().map(|(setting, value)| as_form(setting.name, value)).collect::<Vec<_>>().join("&")
    };
    let _ = alice.form("PUT", &format!("/projects/{tool}"), &form(&defaults)).assert_status(200);
    assert_shown(&alice, tool, &defaults);
    // A client may send back the values that it has read.
    let read = alice.get(&format!("/projects/{tool}")).json();
    let sent: Value = SETTINGS
        .iter()
        .map(|setting| (setting.name.to_owned(), read[setting.name].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let _ = alice.put(&format!("/projects/{tool}"), sent).assert_status(200);
    assert_shown(&alice, tool, &defaults);
    let mut new = body(&others);
    new["name"] = json!("made");
    assert_shown(&alice, id(&made(&alice, "/projects", new)), &others);
    let made = alice.form("POST", "/projects", &format!("name=formed&{}", form(&others))).assert_status(201).json();
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
