//! Mail about accounts and access.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases, keys};

use super::{mails, only_mail, who};
use crate::support::*;

#[both_databases(mail)]
fn who_gets_access_hears_of_it_and_of_each_change(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/projects/{}", project(&alice, "Tool", "private"));
    changed(&bob, "/notification_settings", json!({"level": "disabled"}));
    member(&alice, &path, bob.id, 30);
    let mail = only_mail(server, "bob");
    assert_eq!(mail.subject(), "Access to the project Tool was granted");
    assert!(
        mail.text.starts_with("You have been granted Developer access to the project Tool by @alice."),
        "{}",
        mail.text
    );
    changed(&alice, &format!("{path}/members/{}", bob.id), json!({"access_level": 40, "expires_at": "2027-01-01"}));
    let mail = only_mail(server, "bob");
    assert!(
        mail.text.starts_with("Your access to the project Tool was changed to Maintainer until 2027-01-01 by @alice."),
        "{}",
        mail.text
    );
    let group = group(&alice, "tools", "private");
    member(&alice, &format!("/groups/{group}"), bob.id, 10);
    assert_eq!(only_mail(server, "bob").subject(), "Access to the group tools was granted");
    assert!(who(server, &["alice"]).is_empty());
}

#[both_databases(mail)]
fn an_access_that_is_set_to_what_it_is_is_not_written_about(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/projects/{}", project(&alice, "Tool", "private"));
    member(&alice, &path, bob.id, 30);
    let _ = only_mail(server, "bob");
    changed(&alice, &format!("{path}/members/{}", bob.id), json!({"access_level": 30}));
    assert!(mails(server, "bob").is_empty());
    changed(&alice, &format!("{path}/members/{}", bob.id), json!({"access_level": 30, "expires_at": "2027-01-01"}));
    assert_eq!(mails(server, "bob").len(), 1);
}

#[both_databases(mail)]
fn an_access_that_has_ended_again_is_not_written_about(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/projects/{}", project(&alice, "Tool", "private"));
    member(&alice, &path, bob.id, 30);
    let _ = alice.delete(&format!("{path}/members/{}", bob.id)).assert_status(204);
    assert!(mails(server, "bob").is_empty());
}

#[both_databases(mail)]
fn keys_and_addresses_that_are_added_are_written_about_to_their_owner(server: &TestServer) {
    let bob = server.user("bob");
    made(&bob, "/user/keys", json!({"title": "Laptop\r\nX: y", "key": keys::ED25519}));
    let mail = only_mail(server, "bob");
    assert_eq!(mail.subject(), "An SSH key was added to your account");
    assert!(mail.text.contains("Laptop") && mail.text.contains("/profile/keys"), "{}", mail.text);
    made(
        &server.root(),
        &format!("/users/{}/emails", bob.id),
        json!({"email": "bob@work.example", "skip_confirmation": true}),
    );
    let mail = only_mail(server, "bob");
    assert!(mail.subject().starts_with("An email address was added"), "{}", mail.subject());
    assert!(mail.text.contains("bob@work.example"), "{}", mail.text);
    assert!(server.mails("bob@work.example").is_empty());
}

#[both_databases(mail)]
fn a_key_that_was_removed_again_is_written_about_all_the_same(server: &TestServer) {
    let bob = server.user("bob");
    let key = made(&bob, "/user/keys", json!({"title": "Laptop", "key": keys::ED25519}));
    let _ = bob.delete(&format!("/user/keys/{}", id(&key))).assert_status(204);
    let email = made(
        &server.root(),
        &format!("/users/{}/emails", bob.id),
        json!({"email": "bob@work.example", "skip_confirmation": true}),
    );
    let _ = bob.delete(&format!("/user/emails/{}", id(&email))).assert_status(204);
    let texts: Vec<String> = mails(server, "bob").into_iter().map(|mail| mail.text).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    for name in ["Laptop", "bob@work.example"] {
        assert!(texts.iter().any(|text| text.contains(name)), "{texts:?}");
    }
}

#[both_databases(mail)]
fn who_gets_an_account_is_welcomed(server: &TestServer) {
    let body = json!({"username": "eve", "name": "Eve", "email": "eve@example.org", "password": "correct horse", "skip_confirmation": true});
    made(&server.root(), "/users", body);
    let mail = only_mail(server, "eve");
    assert!(mail.subject().starts_with("Your account on "), "{}", mail.subject());
    assert!(mail.text.contains("Your username is eve.") && !mail.text.contains("horse"), "{}", mail.text);
}

#[both_databases(mail)]
fn who_has_set_a_pipeline_going_hears_how_it_ends(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}", project(&alice, "Tool", "private"));
    let action = json!({"action": "create", "file_path": "a.txt", "content": "a"});
    let asked = json!({"branch": "master", "commit_message": "First", "actions": [action]});
    let _ = alice.post(&format!("{path}/repository/commits"), asked).assert_status(201);
    let post = |state: &str| {
        let status = json!({"state": state, "name": "build", "ref": "master"});
        let _ = alice.post(&format!("{path}/statuses/master"), status).assert_status(201);
    };
    post("failed");
    let mail = only_mail(server, "alice");
    assert!(mail.subject().starts_with("Tool | Pipeline #1 has failed for master | "), "{}", mail.subject());
    post("running");
    post("success");
    assert!(mails(server, "alice").is_empty(), "success is news only for those who have chosen it");
    changed(
        &alice,
        "/notification_settings",
        json!({"level": "custom", "success_pipeline": true, "failed_pipeline": false}),
    );
    post("running");
    post("success");
    assert!(only_mail(server, "alice").subject().contains("has succeeded"));
    post("running");
    post("failed");
    assert!(mails(server, "alice").is_empty());
}

#[both_databases(mail)]
fn who_may_no_longer_see_pipelines_does_not_hear_how_they_end(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    let action = json!({"action": "create", "file_path": "a.txt", "content": "a"});
    let asked = json!({"branch": "master", "commit_message": "First", "actions": [action]});
    let _ = alice.post(&format!("{path}/repository/commits"), asked).assert_status(201);
    member(&alice, &path, bob.id, 40);
    let end = || {
        for state in ["running", "failed"] {
            let status = json!({"state": state, "name": "build", "ref": "master"});
            let _ = bob.post(&format!("{path}/statuses/master"), status).assert_status(201);
        }
    };
    end();
    assert!(mails(server, "bob").iter().any(|mail| mail.subject().contains("has failed")));
    changed(&alice, &path, json!({"public_jobs": false}));
    end();
    let _ = alice.delete(&format!("{path}/members/{}", bob.id)).assert_status(204);
    assert!(mails(server, "bob").is_empty());
}

#[both_databases(mail)]
fn members_hear_when_a_project_moves_unless_they_want_no_mail(server: &TestServer) {
    let (alice, bob, carol) = (server.user("alice"), server.user("bob"), server.user("carol"));
    let path = format!("/projects/{}", project(&alice, "Tool", "private"));
    for user in [&bob, &carol] {
        member(&alice, &path, user.id, 30);
    }
    assert_eq!(who(server, &["bob", "carol"]), ["bob", "carol"]);
    changed(&carol, &format!("{path}/notification_settings"), json!({"level": "disabled"}));
    group(&alice, "tools", "private");
    let _ = alice.put(&format!("{path}/transfer"), json!({"namespace": "tools"})).assert_status(200);
    let mail = only_mail(server, "bob");
    assert_eq!(mail.subject(), "Tool | Project was moved");
    assert!(mail.text.contains("Tool is now tools/tool."), "{}", mail.text);
    assert!(who(server, &["alice", "carol"]).is_empty());
}
