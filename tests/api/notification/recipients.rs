//! The recipients of mail.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use super::{only_mail, who};
use crate::support::*;

const ALL: [&str; 4] = ["alice", "bob", "carol", "dave"];

/// Says how much mail a user wants, about a project or in general.
#[track_caller]
fn level(user: &User, path: &str, level: &str) {
    changed(user, &format!("{path}/notification_settings"), json!({"level": level}));
}

#[both_databases(mail)]
fn who_takes_part_hears_of_a_comment_and_its_author_does_not(server: &TestServer) {
    let [alice, bob, carol, dave] = ALL.map(|name| server.user(name));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    let assigned = json!({"title": "It breaks", "description": "See @dave", "assignee_ids": [bob.id]});
    made(&carol, &format!("{path}/issues"), assigned);
    assert_eq!(who(server, &ALL), ["dave"], "only who works on the project assigns");
    changed(&alice, &format!("{path}/issues/1"), json!({"assignee_ids": [bob.id]}));
    assert_eq!(who(server, &ALL), ["bob", "carol", "dave"]);
    made(&alice, &format!("{path}/issues/1/notes"), json!({"body": "Thanks"}));
    assert_eq!(who(server, &ALL), ["bob", "carol", "dave"]);
    changed(&alice, &format!("{path}/issues/1"), json!({"state_event": "close"}));
    assert_eq!(who(server, &ALL), ["bob", "carol", "dave"]);
    level(&dave, &path, "mention");
    made(&bob, &format!("{path}/issues/1/notes"), json!({"body": "No"}));
    assert_eq!(who(server, &ALL), ["alice", "carol"]);
    made(&bob, &format!("{path}/issues/1/notes"), json!({"body": "@dave, and you?"}));
    assert_eq!(who(server, &ALL), ["alice", "carol", "dave"]);
}

#[both_databases(mail)]
fn levels_of_project_group_and_user_are_asked_in_this_order(server: &TestServer) {
    let [alice, bob, carol, dave] = ALL.map(|name| server.user(name));
    let group = group(&alice, "tools", "public");
    let (path, home) =
        (format!("/projects/{}", project_in(&alice, group, "Tool", "public")), format!("/groups/{group}"));
    level(&bob, &home, "watch");
    level(&carol, &home, "watch");
    level(&carol, &path, "disabled");
    level(&dave, "", "watch");
    let issue = |title: &str| made(&alice, &format!("{path}/issues"), json!({"title": title}));
    issue("one");
    assert_eq!(who(server, &ALL), ["bob"], "who is no member watches nothing in general");
    member(&alice, &path, dave.id, 20);
    assert_eq!(who(server, &ALL), ["dave"], "of the membership");
    issue("two");
    assert_eq!(who(server, &ALL), ["bob", "dave"]);
    level(&bob, &path, "participating");
    issue("three");
    assert_eq!(who(server, &ALL), ["dave"]);
    let custom = json!({"level": "custom", "new_issue": true});
    changed(&bob, &format!("{path}/notification_settings"), custom);
    issue("four");
    assert_eq!(who(server, &ALL), ["bob", "dave"]);
    made(&alice, &format!("{path}/issues/4/notes"), json!({"body": "x"}));
    assert_eq!(who(server, &ALL), ["dave"]);
}

#[both_databases(mail)]
fn a_subscriber_hears_of_it_at_any_level_and_who_has_ended_it_only_when_mentioned(server: &TestServer) {
    let [alice, bob, carol, _dave] = ALL.map(|name| server.user(name));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    made(&alice, &format!("{path}/issues"), json!({"title": "It breaks"}));
    assert!(who(server, &ALL).is_empty());
    let _ = bob.post(&format!("{path}/issues/1/subscribe"), json!({})).assert_status(200);
    level(&bob, "", "disabled");
    made(&carol, &format!("{path}/issues/1/notes"), json!({"body": "Mine too"}));
    assert_eq!(who(server, &ALL), ["alice", "bob"]);
    level(&carol, &path, "watch");
    let _ = carol.post(&format!("{path}/issues/1/unsubscribe"), json!({})).assert_status(200);
    made(&alice, &format!("{path}/issues/1/notes"), json!({"body": "Yes"}));
    assert_eq!(who(server, &ALL), ["bob"]);
    made(&alice, &format!("{path}/issues/1/notes"), json!({"body": "@carol?"}));
    assert_eq!(who(server, &ALL), ["bob", "carol"]);
}

#[both_databases(mail)]
fn who_follows_a_label_hears_of_a_new_issue_with_it(server: &TestServer) {
    let [alice, bob, ..] = ALL.map(|name| server.user(name));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    let label = id(&made(&alice, &format!("{path}/labels"), json!({"name": "bug", "color": "#ff0000"})));
    made(&bob, &format!("{path}/labels/{label}/subscribe"), json!({}));
    level(&bob, "", "disabled");
    made(&alice, &format!("{path}/issues"), json!({"title": "one", "labels": "bug"}));
    assert_eq!(who(server, &ALL), ["bob"]);
    made(&alice, &format!("{path}/issues"), json!({"title": "two"}));
    assert!(who(server, &ALL).is_empty());
}

#[both_databases(mail)]
fn a_confidential_issue_is_written_about_to_those_who_may_read_it(server: &TestServer) {
    let [alice, bob, carol, _dave] = ALL.map(|name| server.user(name));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    level(&bob, &path, "watch");
    level(&carol, &path, "watch");
    member(&alice, &path, carol.id, 20);
    assert_eq!(who(server, &ALL), ["carol"], "of the membership");
    made(&alice, &format!("{path}/issues"), json!({"title": "Secret", "confidential": true}));
    assert_eq!(who(server, &ALL), ["carol"]);
}

#[both_databases(mail)]
fn access_is_checked_when_a_mail_is_sent(server: &TestServer) {
    let [alice, bob, carol, dave] = ALL.map(|name| server.user(name));
    let path = format!("/projects/{}", project(&alice, "Tool", "private"));
    for user in [&bob, &carol, &dave] {
        member(&alice, &path, user.id, 30);
        level(user, &path, "watch");
    }
    assert_eq!(who(server, &ALL), ["bob", "carol", "dave"], "of their memberships");
    made(&alice, &format!("{path}/issues"), json!({"title": "It breaks"}));
    let _ = alice.delete(&format!("{path}/members/{}", bob.id)).assert_status(204);
    let _ = server.root().post(&format!("/users/{}/block", carol.id), json!({})).assert_status(201);
    assert_eq!(who(server, &ALL), ["dave"]);
    let note = id(&made(&alice, &format!("{path}/issues/1/notes"), json!({"body": "Oh"})));
    let _ = alice.delete(&format!("{path}/issues/1/notes/{note}")).assert_status(204);
    assert!(who(server, &ALL).is_empty(), "what is deleted is not written about");
}

#[both_databases(mail)]
fn mail_goes_to_the_chosen_address_and_only_to_confirmed_ones(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    let body = json!({"username": "bob", "name": "Bob", "email": "bob@example.org", "password": "correct horse"});
    let bob = id(&made(&root, "/users", body));
    server.run_jobs();
    assert_eq!(server.mails("bob@example.org").len(), 1, "the link that confirms the address");
    let client = server.client(&server.token(bob, &["api"]));
    changed(&client, &format!("{path}/notification_settings"), json!({"level": "watch"}));
    made(&alice, &format!("{path}/issues"), json!({"title": "one"}));
    assert!(who(server, &["bob"]).is_empty());
    let emails = format!("/users/{bob}/emails");
    made(&root, &emails, json!({"email": "bob@work.example", "skip_confirmation": true}));
    server.run_jobs();
    changed(&client, "/notification_settings", json!({"notification_email": "bob@work.example"}));
    made(&alice, &format!("{path}/issues"), json!({"title": "two"}));
    assert!(who(server, &["bob"]).is_empty());
    assert_eq!(server.mails("bob@work.example").len(), 1);
}

#[both_databases(mail)]
fn who_takes_part_in_a_merge_request_hears_of_it(server: &TestServer) {
    let [alice, bob, carol, _dave] = ALL.map(|name| server.user(name));
    let made_project =
        made(&alice, "/projects", json!({"name": "Tool", "visibility": "public", "initialize_with_readme": true}));
    let path = format!("/projects/{}", id(&made_project));
    for user in [&bob, &carol] {
        member(&alice, &path, user.id, 30);
    }
    assert_eq!(who(server, &ALL), ["bob", "carol"], "of their memberships");
    let branch = made_project["default_branch"].as_str().unwrap_or("main").to_owned();
    made_branch(&alice, &path, &branch);
    let request = json!({
        "source_branch": "new", "target_branch": branch, "title": "Better", "assignee_id": bob.id,
    });
    made(&alice, &format!("{path}/merge_requests"), request);
    let mail = only_mail(server, "bob");
    assert_eq!(mail.header("X-GitLab-NotificationReason"), "assigned");
    assert_eq!(mail.subject(), "Tool | Better (!1)");
    assert_eq!(mail.header("X-GitLab-MergeRequest-IID"), "1");
    changed(&bob, &format!("{path}/merge_requests/1"), json!({"state_event": "close"}));
    assert_eq!(who(server, &ALL), ["alice"]);
}

/// A branch `new`.
fn made_branch(client: &User, path: &str, from: &str) {
    let body = json!({"branch": "new", "ref": from});
    let _ = client.post(&format!("{path}/repository/branches"), body).assert_status(201);
}

#[both_databases]
fn where_no_mail_is_sent_nothing_waits(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    level(&bob, &path, "watch");
    server.run_jobs();
    made(&alice, &format!("{path}/issues"), json!({"title": "It breaks"}));
    assert_eq!(server.run_jobs(), 0);
}

#[both_databases(mail)]
fn a_project_may_send_no_mail_at_all(server: &TestServer) {
    let [alice, bob, ..] = ALL.map(|name| server.user(name));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    changed(&alice, &path, json!({"emails_enabled": false}));
    made(&bob, &format!("{path}/issues"), json!({"title": "It breaks", "description": "See @alice"}));
    assert_eq!(who(server, &ALL), [""; 0]);
    changed(&alice, &path, json!({"emails_disabled": false}));
    made(&bob, &format!("{path}/issues/1/notes"), json!({"body": "@alice?"}));
    assert_eq!(who(server, &ALL), ["alice"]);
}
