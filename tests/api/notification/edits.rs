//! Mail about edits, pushes and due dates.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, User, both_databases};

use super::{mails, only_mail, who};
use crate::support::*;

const ALL: [&str; 4] = ["alice", "bob", "carol", "dave"];

#[track_caller]
fn wants(user: &User, path: &str, level: serde_json::Value) {
    changed(user, &format!("{path}/notification_settings"), level);
}

#[both_databases(mail)]
fn who_was_assigned_and_who_is_now_hear_of_it(server: &TestServer) {
    let [alice, bob, carol, dave] = ALL.map(|name| server.user(name));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    wants(&dave, &path, json!({"level": "custom", "reassign_issue": true}));
    made(&alice, &format!("{path}/issues"), json!({"title": "It breaks", "assignee_ids": [bob.id]}));
    assert_eq!(who(server, &ALL), ["bob"]);
    changed(&alice, &format!("{path}/issues/1"), json!({"assignee_ids": [carol.id]}));
    assert_eq!(mails(server, "dave").len(), 1, "by the event that was chosen");
    let to_carol = only_mail(server, "carol");
    assert_eq!(to_carol.header("X-GitLab-NotificationReason"), "assigned");
    assert_eq!(to_carol.subject(), "Re: Tool | It breaks (#1)");
    assert!(to_carol.text.contains("Assignees: @carol added; @bob removed."), "{}", to_carol.text);
    assert_eq!(only_mail(server, "bob").header("X-GitLab-NotificationReason"), "");
    changed(&alice, &format!("{path}/issues/1"), json!({"title": "Still"}));
    assert!(who(server, &ALL).is_empty(), "other edits are not written about");
}

#[both_databases(mail)]
fn who_follows_a_label_hears_when_it_is_added_and_no_one_else(server: &TestServer) {
    let [alice, bob, carol, _dave] = ALL.map(|name| server.user(name));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    let label = |name: &str| id(&made(&alice, &format!("{path}/labels"), json!({"name": name, "color": "#ff0000"})));
    let (bug, _ui) = (label("bug"), label("ui"));
    made(&bob, &format!("{path}/labels/{bug}/subscribe"), json!({}));
    wants(&carol, &path, json!({"level": "watch"}));
    made(&alice, &format!("{path}/issues"), json!({"title": "It breaks", "labels": "ui"}));
    assert_eq!(who(server, &ALL), ["carol"]);
    changed(&alice, &format!("{path}/issues/1"), json!({"labels": "ui,bug"}));
    let mail = only_mail(server, "bob");
    assert!(mail.text.contains("Labels added: bug."), "{}", mail.text);
    assert!(who(server, &ALL).is_empty());
    changed(&alice, &format!("{path}/issues/1"), json!({"labels": "bug"}));
    assert!(who(server, &ALL).is_empty());
}

#[both_databases(mail)]
fn who_is_named_in_an_edited_text_for_the_first_time_hears_of_it(server: &TestServer) {
    let [alice, _bob, _carol, _dave] = ALL.map(|name| server.user(name));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    made(&alice, &format!("{path}/issues"), json!({"title": "It breaks", "description": "@bob"}));
    assert_eq!(who(server, &ALL), ["bob"]);
    changed(&alice, &format!("{path}/issues/1"), json!({"description": "@bob and @carol"}));
    let mail = only_mail(server, "carol");
    assert_eq!(mail.header("X-GitLab-NotificationReason"), "mentioned");
    assert!(mail.text.contains("@bob and @carol"), "{}", mail.text);
    assert!(who(server, &ALL).is_empty());
    let note = id(&made(&alice, &format!("{path}/issues/1/notes"), json!({"body": "Yes"})));
    assert_eq!(who(server, &ALL), ["bob", "carol"]);
    changed(&alice, &format!("{path}/issues/1/notes/{note}"), json!({"body": "Yes, @dave"}));
    let mail = only_mail(server, "dave");
    assert!(mail.text.starts_with("alice (@alice) edited a comment:\n\nYes, @dave"), "{}", mail.text);
    assert!(mail.header("Message-ID").starts_with(&format!("<note_updated_{note}_")));
    assert!(who(server, &ALL).is_empty());
}

#[both_databases(mail)]
fn a_new_milestone_is_written_about_to_who_takes_part_and_who_watches(server: &TestServer) {
    let [alice, bob, carol, _dave] = ALL.map(|name| server.user(name));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    wants(&bob, &path, json!({"level": "watch"}));
    made(&carol, &format!("{path}/issues"), json!({"title": "It breaks"}));
    assert_eq!(who(server, &ALL), ["bob"]);
    let milestone = id(&made(&alice, &format!("{path}/milestones"), json!({"title": "1.0"})));
    changed(&alice, &format!("{path}/issues/1"), json!({"milestone_id": milestone}));
    assert!(only_mail(server, "carol").text.contains("Milestone: 1.0."));
    assert_eq!(mails(server, "bob").len(), 1);
    changed(&alice, &format!("{path}/issues/1"), json!({"milestone_id": 0}));
    assert!(only_mail(server, "carol").text.contains("Milestone removed."));
}

#[both_databases(mail)]
fn a_push_is_written_about_to_who_takes_part_and_not_to_who_watches(server: &TestServer) {
    let [alice, bob, carol, dave] = ALL.map(|name| server.user(name));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    commit(&alice, &path, "master", None, "First");
    commit(&alice, &path, "side", Some("master"), "Second");
    wants(&carol, &path, json!({"level": "watch"}));
    wants(&dave, &path, json!({"level": "custom", "push_to_merge_request": true}));
    let request = json!({"source_branch": "side", "target_branch": "master", "title": "Better", "description": "@bob"});
    made(&alice, &format!("{path}/merge_requests"), request);
    assert_eq!(who(server, &ALL), ["bob", "carol"]);
    commit(&alice, &path, "side", None, "Third");
    let mail = only_mail(server, "bob");
    assert!(mail.text.contains("added 1 commit") && mail.text.contains("Third"), "{}", mail.text);
    assert_eq!(who(server, &ALL), ["dave"]);
    let _ = bob;
}

#[both_databases(mail)]
fn of_many_issues_that_are_due_all_are_written_about(server: &TestServer) {
    let [alice, bob, ..] = ALL.map(|name| server.user(name));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    for _ in 0..101 {
        made(
            &alice,
            &format!("{path}/issues"),
            json!({"title": "Soon", "due_date": "2026-03-03", "assignee_ids": [bob.id]}),
        );
    }
    let _ = mails(server, "bob");
    server.enqueue("remind_of_due_issues", &json!({"kind": "remind_of_due_issues"}));
    assert_eq!(mails(server, "bob").len(), 101);
}

#[both_databases(mail)]
fn an_issue_that_is_due_tomorrow_is_written_about_once(server: &TestServer) {
    let [alice, bob, carol, dave] = ALL.map(|name| server.user(name));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    wants(&carol, &path, json!({"level": "watch"}));
    wants(&dave, &path, json!({"level": "custom", "issue_due": true}));
    let issue = |title: &str, day: &str| json!({"title": title, "due_date": day, "description": "@bob"});
    made(&alice, &format!("{path}/issues"), issue("Soon", "2026-03-04"));
    made(&alice, &format!("{path}/issues"), issue("Later", "2026-04-04"));
    made(&alice, &format!("{path}/issues"), issue("Done", "2026-03-04"));
    changed(&alice, &format!("{path}/issues/3"), json!({"state_event": "close"}));
    for name in ALL {
        let _ = mails(server, name);
    }
    let remind = || server.enqueue("remind_of_due_issues", &json!({"kind": "remind_of_due_issues"}));
    remind();
    assert!(who(server, &ALL).is_empty(), "it is due the day after tomorrow");
    server.advance(TimeDelta::days(1));
    remind();
    let mail = only_mail(server, "alice");
    assert_eq!(mail.subject(), "Re: Tool | Soon (#1)");
    assert!(mail.text.starts_with("The issue is due on 2026-03-04."), "{}", mail.text);
    assert_eq!(who(server, &ALL), ["bob", "dave"]);
    server.advance(TimeDelta::hours(1));
    remind();
    assert!(who(server, &ALL).is_empty());
    changed(&alice, &format!("{path}/issues/1"), json!({"due_date": "2026-03-05"}));
    server.advance(TimeDelta::days(1));
    remind();
    assert_eq!(who(server, &ALL), ["alice", "bob", "dave"], "another day is another reminder");
    let _ = bob;
}

fn commit(client: &User, path: &str, branch: &str, start: Option<&str>, message: &str) {
    let action = json!({"action": "create", "file_path": format!("{message}.txt"), "content": message});
    let mut asked = json!({"branch": branch, "commit_message": message, "actions": [action]});
    if let Some(start) = start {
        asked["start_branch"] = json!(start);
    }
    let _ = client.post(&format!("{path}/repository/commits"), asked).assert_status(201);
}
