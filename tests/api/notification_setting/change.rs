//! Changing them.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

/// The events, as they are if nothing was chosen.
fn events(changed: Value) -> Value {
    let mut events = json!({
        "new_note": false, "new_issue": false, "reopen_issue": false, "close_issue": false, "reassign_issue": false,
        "issue_due": false, "new_merge_request": false, "push_to_merge_request": false,
        "reopen_merge_request": false, "close_merge_request": false, "reassign_merge_request": false,
        "change_reviewer_merge_request": false, "merge_merge_request": false, "merge_when_pipeline_succeeds": false,
        "failed_pipeline": true, "fixed_pipeline": false, "success_pipeline": false, "moved_project": false,
        "new_release": false,
    });
    for (name, chosen) in changed.as_object().into_iter().flatten() {
        events[name] = chosen.clone();
    }
    events
}

#[both_databases]
fn each_level_is_taken(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}/notification_settings", project(&alice, "Tool", "private"));
    for level in ["disabled", "participating", "watch", "global", "mention"] {
        assert_eq!(changed(&alice, &path, json!({"level": level})), json!({"level": level}));
        assert_eq!(alice.get(&path).json(), json!({"level": level}));
    }
    let custom = json!({"level": "custom", "events": events(json!({}))});
    assert_eq!(changed(&alice, &path, json!({"level": "custom"})), custom);
}

#[both_databases]
fn another_level_is_refused(server: &TestServer) {
    let alice = server.user("alice");
    let group = group(&alice, "tools", "private");
    for path in ["/notification_settings".to_owned(), format!("/groups/{group}/notification_settings")] {
        for level in ["invalid", "", "Watch", "owner's"] {
            let text = format!("'{level}' is not a valid level");
            let body = json!({"level": level, "new_note": true});
            alice.put(&path, body).assert(400, json!({"message": text}));
        }
        assert_eq!(changed(&alice, &path, json!({"level": "custom"}))["events"]["new_note"], false);
    }
}

#[both_databases]
fn events_are_kept_and_shown_at_the_level_custom(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}/notification_settings", project(&alice, "Tool", "private"));
    let body = json!({"new_note": true, "failed_pipeline": false, "new_release": "True"});
    assert_eq!(changed(&alice, &path, body), json!({"level": "global"}));
    let chosen = events(json!({"new_note": true, "failed_pipeline": false, "new_release": true}));
    let custom = json!({"level": "custom", "events": chosen});
    assert_eq!(changed(&alice, &path, json!({"level": "custom"})), custom);
    assert_eq!(changed(&alice, &path, json!({"level": "watch"})), json!({"level": "watch"}));
    assert_eq!(changed(&alice, &path, json!({"level": "custom"})), custom);
    assert_eq!(changed(&alice, &path, json!({"new_note": false}))["events"]["new_note"], false);
    assert_eq!(changed(&alice, &path, json!({}))["events"]["new_release"], true);
    let wrong = alice.put(&path, json!({"new_note": "maybe"}));
    wrong.assert(400, parameter("new_note is invalid"));
}

#[both_databases]
fn mail_goes_to_a_confirmed_address_of_the_caller(server: &TestServer) {
    let (alice, bob, root) = (server.user("alice"), server.user("bob"), server.root());
    let emails = format!("/users/{}/emails", alice.id);
    let sure = made(&root, &emails, json!({"email": "alice@work.example", "skip_confirmation": true}));
    made(&root, &emails, json!({"email": "waiting@work.example"}));
    let path = "/notification_settings";
    let refused = field("notification_email", "is not an email you own");
    for address in ["waiting@work.example", "bob@example.org", "", "x"] {
        alice.put(path, json!({"notification_email": address})).assert(400, refused.clone());
    }
    bob.put(path, json!({"notification_email": "alice@work.example"})).assert(400, refused);
    let chosen = changed(&alice, path, json!({"notification_email": "Alice@Work.example"}));
    assert_eq!(chosen, json!({"level": "participating", "notification_email": "alice@work.example"}));
    // An address that is not the user's any longer gets nothing.
    let _ = alice.delete(&format!("/user/emails/{}", id(&sure))).assert_status(204);
    assert_eq!(alice.get(path).json()["notification_email"], "alice@example.org");
    assert_eq!(bob.get(path).json()["notification_email"], "bob@example.org");
}

#[both_databases]
fn the_primary_address_is_followed_when_it_changes(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let path = "/notification_settings";
    let _ = changed(&alice, path, json!({"notification_email": "alice@example.org"}));
    let body = json!({"email": "alice@new.example", "skip_reconfirmation": true});
    changed(&root, &format!("/users/{}", alice.id), body);
    assert_eq!(alice.get(path).json()["notification_email"], "alice@new.example");
}

#[both_databases]
fn groups_and_projects_have_no_address(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}/notification_settings", project(&alice, "Tool", "private"));
    let body = json!({"notification_email": "x@example.org", "level": "watch"});
    assert_eq!(changed(&alice, &path, body), json!({"level": "watch"}));
}

#[both_databases]
fn in_general_there_is_nothing_else_to_follow(server: &TestServer) {
    let alice = server.user("alice");
    let _ = changed(&alice, "/notification_settings", json!({"level": "watch"}));
    let kept = changed(&alice, "/notification_settings", json!({"level": "global"}));
    assert_eq!(kept["level"], "participating");
}

#[both_databases]
fn an_archived_project_takes_changes(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "Tool", "private");
    let _ = alice.post(&format!("/projects/{project}/archive"), json!({})).assert_status(200);
    let path = format!("/projects/{project}/notification_settings");
    assert_eq!(changed(&alice, &path, json!({"level": "disabled"})), json!({"level": "disabled"}));
}

#[both_databases]
fn a_token_that_only_reads_users_has_no_settings(server: &TestServer) {
    let alice = server.user("alice");
    let reader = server.client(&server.token(alice.id, &["read_user"]));
    assert_eq!(reader.get("/notification_settings").assert_status(403).json()["error"], "insufficient_scope");
}
