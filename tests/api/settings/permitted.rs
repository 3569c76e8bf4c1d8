//! Settings that say what callers may do.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Reply, TestServer, both_databases};

use super::set;
use crate::support::*;

#[both_databases]
fn new_groups_say_who_creates_projects_as_the_setting_does(server: &TestServer) {
    let alice = server.user("alice");
    let level =
        |path: &str| made(&alice, "/groups", json!({"name": path, "path": path}))["project_creation_level"].clone();
    let before = level("before");
    let mut levels = Vec::new();
    for number in 0..=4 {
        set(server, json!({"default_project_creation": number}));
        levels.push(level(&format!("g{number}")));
    }
    assert_eq!(
        (before, levels),
        (
            json!("maintainer"),
            vec![json!("noone"), json!("maintainer"), json!("developer"), json!("noone"), json!("owner"),]
        )
    );
    let own = json!({"name": "own", "path": "own", "project_creation_level": "developer"});
    assert_eq!(made(&alice, "/groups", own)["project_creation_level"], "developer");
}

#[both_databases]
fn guests_create_personal_projects_unless_the_setting_forbids_it(server: &TestServer) {
    let (alice, bob, root) = (server.user("alice"), server.user("bob"), server.root());
    let team = group(&alice, "team", "public");
    let tool = project_in(&alice, team, "tool", "public");
    let create = |name: &str| bob.post("/projects", json!({"name": name}));
    let _ = create("first").assert_status(201);
    let own = format!("/projects/{}", id(&bob.get("/projects/bob%2Ffirst").json()));
    let _ = bob.delete(&own).assert_status(202);
    server.run_jobs();
    set(server, json!({"allow_project_creation_for_guest_and_below": false}));
    let is_refused = |reply: Reply| {
        assert_eq!(reply.status(), 403, "{}", reply.text());
        assert!(reply.text().contains("Personal project creation is not allowed"), "{}", reply.text());
    };
    is_refused(create("without-a-role"));
    member(&alice, &format!("/groups/{team}"), bob.id, 10);
    is_refused(create("as-a-guest"));
    let refused = bob.post(&format!("/projects/{tool}/fork"), json!({})).assert_status(409).text();
    assert!(refused.contains("Personal project creation is not allowed"), "{refused}");
    changed(&alice, &format!("/groups/{team}/members/{}", bob.id), json!({"access_level": 20}));
    let _ = create("as-a-reporter").assert_status(201);
    let _ = root.post("/projects", json!({"name": "of-an-administrator"})).assert_status(201);
}

#[both_databases]
fn projects_use_the_services_that_the_settings_name(server: &TestServer) {
    let alice = server.user("alice");
    let path = |slug: &str| format!("/projects/alice%2Ftool/integrations/{slug}");
    project(&alice, "tool", "public");
    let slack = json!({"webhook": "https://hooks.slack.example/services/x"});
    let mail = json!({"recipients": "a@example.org"});
    set(server, json!({"allow_all_integrations": false, "allowed_integrations": ["emails_on_push"]}));
    let text = json!({"message": {"base": ["This integration is not allowed by the application settings."]}});
    alice.put(&path("slack"), slack.clone()).assert(400, text);
    let _ = alice.put(&path("emails-on-push"), mail).assert_status(200);
    set(server, json!({"allow_all_integrations": true}));
    let _ = alice.put(&path("slack"), slack).assert_status(200);
}

#[both_databases(mail)]
fn deactivated_users_get_a_mail_unless_the_setting_forbids_it(server: &TestServer) {
    let deactivate = |name: &str| {
        let user = server.user(name);
        server.advance(TimeDelta::days(100));
        let path = format!("/users/{}/deactivate", user.id);
        let _ = server.root().post(&path, json!({})).assert_status(201);
        server.run_jobs();
        server.mails(&format!("{name}@example.org"))
    };
    let mails = deactivate("alice");
    let [mail] = mails.as_slice() else { panic!("{} mails", mails.len()) };
    assert_eq!(mail.subject(), "Your account on 127.0.0.1 was deactivated");
    assert!(mail.text.contains("Your account @alice on") && mail.text.contains("/users/sign_in"), "{}", mail.text);
    set(server, json!({"user_deactivation_emails_enabled": false}));
    assert!(deactivate("bob").is_empty());
}
