//! Links to the issue trackers of other programs.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, User, both_databases};

use crate::support::*;

/// `text` as the Markdown of a project.
fn shown(client: &User, text: &str) -> String {
    let asked = json!({"text": text, "gfm": true, "project": "alice/tool"});
    client.post("/markdown", asked).assert_status(201).json()["html"].as_str().unwrap_or_default().to_owned()
}

fn set(alice: &User, slug: &str, body: Value) {
    let _ = alice.put(&format!("/projects/alice%2Ftool/integrations/{slug}"), body).assert_status(200);
}

const REDMINE: &str = "https://redmine.example.com/issues";

#[both_databases]
fn references_lead_to_the_tracker_that_is_in_use(server: &TestServer) {
    let alice = server.user("alice");
    project(&alice, "tool", "public");
    let text = "See AB-12 and #1.";
    assert!(!shown(&alice, text).contains("<a "), "no tracker");
    set(&alice, "jira", json!({"url": "https://jira.example.com/", "username": "u", "password": "p"}));
    let html = shown(&alice, text);
    assert!(html.contains("<a href=\"https://jira.example.com/browse/AB-12\"") && html.contains("#1."), "{html}");
    let _ = alice.delete("/projects/alice%2Ftool/integrations/jira").assert_status(204);
    assert!(!shown(&alice, text).contains("<a "));
}

#[both_databases]
fn short_references_lead_there_where_the_projects_own_issues_are_off(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}", project(&alice, "tool", "public"));
    let urls = json!({"new_issue_url": format!("{REDMINE}/new"), "project_url": REDMINE, "issues_url": format!("{REDMINE}/:id")});
    set(&alice, "redmine", urls);
    made(&alice, &format!("{path}/issues"), json!({"title": "Ours"}));
    let html = shown(&alice, "AB-12 and #1");
    assert!(html.contains(&format!("<a href=\"{REDMINE}/12\"")) && html.contains("/alice/tool/-/issues/1\""), "{html}");
    changed(&alice, &path, json!({"issues_enabled": false}));
    let html = shown(&alice, "AB-12 and #1");
    assert!(
        html.contains(&format!("<a href=\"{REDMINE}/12\"")) && html.contains(&format!("<a href=\"{REDMINE}/1\"")),
        "{html}"
    );
}

#[both_databases]
fn an_address_of_a_tracker_is_no_script(server: &TestServer) {
    let alice = server.user("alice");
    project(&alice, "tool", "public");
    let urls = json!({"project_url": "https://x.example.com/", "issues_url": "javascript:alert(':id')"});
    let _ = alice.put("/projects/alice%2Ftool/integrations/youtrack", urls).assert_status(400);
}
