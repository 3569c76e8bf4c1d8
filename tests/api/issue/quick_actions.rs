//! Lines of a text that are carried out.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use crate::support::*;

/// The text of the answer if a comment was nothing but quick actions.
fn applied(client: &Client, path: &str, body: &str) -> Value {
    client.post(&format!("{path}/notes"), json!({"body": body})).assert_status(202).json()
}

#[both_databases]
fn a_description_is_stripped_of_the_lines_that_are_carried_out(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    label(&alice, &format!("/projects/{tool}"), "bug");
    milestone(&alice, &format!("/projects/{tool}"), "v1");
    let text = "Hello\n/label ~bug\n/assign @bob\n/milestone %v1\n/due 2026-08-09\n/estimate 2h\n/unknown thing\nBye";
    let made = made(&alice, &format!("/projects/{tool}/issues"), json!({"title": "t", "description": text}));
    assert_eq!(made["description"], "Hello\n/unknown thing\nBye");
    let got = (
        &made["labels"],
        &made["assignee"]["id"],
        &made["milestone"]["title"],
        &made["due_date"],
        &made["time_stats"]["time_estimate"],
    );
    assert_eq!(got, (&json!(["bug"]), &json!(bob.id), &json!("v1"), &json!("2026-08-09"), &json!(7_200)));
}

#[both_databases]
fn a_comment_of_nothing_else_leaves_no_note(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    let answer = applied(&alice, &path, "/close");
    assert_has(&answer, &["commands_changes"]);
    let issue = alice.get(&path).json();
    assert_eq!((&issue["state"], &issue["user_notes_count"]), (&json!("closed"), &json!(0)));
    let note = made(&alice, &format!("{path}/notes"), json!({"body": "back\n/reopen"}));
    assert_eq!(note["body"], "back");
    assert_eq!(alice.get(&path).json()["state"], "opened");
}

#[both_databases]
fn each_action_does_what_the_same_change_would(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    for name in ["bug", "two words"] {
        label(&alice, &format!("/projects/{tool}"), name);
    }
    milestone(&alice, &format!("/projects/{tool}"), "next one");
    let path = titled(&alice, tool, "t");
    for (action, name, want) in [
        ("/title New title", "title", json!("New title")),
        ("/label ~bug ~\"two words\"", "labels", json!(["bug", "two words"])),
        ("/unlabel ~bug", "labels", json!(["two words"])),
        ("/relabel ~bug", "labels", json!(["bug"])),
        ("/unlabel", "labels", json!([])),
        ("/due 2026-12-01", "due_date", json!("2026-12-01")),
        ("/remove_due_date", "due_date", Value::Null),
        ("/confidential", "confidential", json!(true)),
        ("/lock", "discussion_locked", json!(true)),
        ("/unlock", "discussion_locked", json!(false)),
        ("/close", "state", json!("closed")),
        ("/reopen", "state", json!("opened")),
        ("/unsubscribe", "subscribed", json!(false)),
        ("/subscribe", "subscribed", json!(true)),
        ("/award :thumbsup:", "upvotes", json!(1)),
    ] {
        applied(&alice, &path, action);
        assert_eq!(alice.get(&path).json()[name], want, "{action}");
    }
    for (action, pointer, want) in [
        ("/milestone %\"next one\"", "/milestone/title", json!("next one")),
        ("/assign @bob", "/assignee/username", json!("bob")),
        ("/estimate 1d", "/time_stats/time_estimate", json!(28_800)),
        ("/remove_estimate", "/time_stats/time_estimate", json!(0)),
        ("/spend 1h", "/time_stats/total_time_spent", json!(3_600)),
        ("/remove_time_spent", "/time_stats/total_time_spent", json!(0)),
    ] {
        applied(&alice, &path, action);
        assert_eq!(alice.get(&path).json().pointer(pointer), Some(&want), "{action}");
    }
    applied(&alice, &path, "/unassign @bob\n/remove_milestone");
    let bare = alice.get(&path).json();
    assert_eq!((&bare["assignees"], &bare["milestone"]), (&json!([]), &Value::Null));
    applied(&alice, &path, "/todo");
    assert_eq!(alice.get("/todos").header("x-total"), "1");
    applied(&alice, &path, "/done");
    assert_eq!(alice.get("/todos").header("x-total"), "0");
    assert_eq!(bob.get(&path).status(), 404);
}

#[both_databases]
fn actions_need_the_rights_of_the_change(server: &TestServer) {
    let cast = Cast::of(server, "public");
    label(&cast.owner, &cast.path(), "bug");
    let path = titled(&cast.owner, cast.project, "t");
    for action in [
        "/close",
        "/label ~bug",
        "/title mine",
        "/due 2026-12-01",
        "/lock",
        "/confidential",
        "/estimate 1h",
        "/spend 1h",
        "/assign @guest",
    ] {
        let reply = cast.guest.post(&format!("{path}/notes"), json!({"body": format!("hello\n{action}")}));
        assert!(reply.status() < 500, "{action}: {}", reply.text());
    }
    let kept = cast.owner.get(&path).json();
    let got = (
        &kept["state"],
        &kept["labels"],
        &kept["title"],
        &kept["due_date"],
        &kept["discussion_locked"],
        &kept["confidential"],
        &kept["assignees"],
    );
    assert_eq!(got, (&json!("opened"), &json!([]), &json!("t"), &Value::Null, &Value::Null, &json!(false), &json!([])));
    assert_eq!(kept["time_stats"]["time_estimate"], 0);
    assert_eq!(kept["time_stats"]["total_time_spent"], 0);
}

#[both_databases]
fn code_is_not_carried_out(server: &TestServer) {
    let alice = server.user("alice");
    let path = titled(&alice, project(&alice, "tool", "public"), "t");
    for body in ["```\n/close\n```", "a /close in a line", "`/close`"] {
        let note = made(&alice, &format!("{path}/notes"), json!({"body": body}));
        assert_eq!(note["body"], body);
    }
    assert_eq!(alice.get(&path).json()["state"], "opened");
}

#[both_databases]
fn an_issue_is_moved_by_an_action_only_where_that_is_allowed(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (here, there) = (project(&alice, "here", "public"), project(&alice, "there", "private"));
    let path = titled(&bob, here, "t");
    let reply = bob.post(&format!("{path}/notes"), json!({"body": "/move alice/there"}));
    assert!(reply.status() < 500 && !reply.text().contains("moved"), "{}", reply.text());
    assert_eq!(alice.get(&path).json()["state"], "opened");
    let _ = alice.post(&format!("{path}/notes"), json!({"body": "/move alice/there"})).assert_status(202);
    assert_eq!(titles(&alice, &format!("/projects/{there}/issues")), ["t"]);
    assert_eq!(alice.get(&path).json()["state"], "closed");
}
