//! An empty text that was sent is answered as an empty text, and not as null.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn an_empty_text_stays_an_empty_text(server: &TestServer) {
    let (root, alice) = (server.root(), server.user("alice"));
    let tool = project(&alice, "tool", "public");
    let team = group(&alice, "team", "public");
    let (user, tool, team) = (format!("/users/{}", alice.id), format!("/projects/{tool}"), format!("/groups/{team}"));
    let bug = format!("{tool}/labels/{}", label(&alice, &tool, "bug"));
    let shared = format!("{team}/labels/{}", label(&alice, &team, "shared"));
    let goal = format!("{tool}/milestones/{}", milestone(&alice, &tool, "v1"));
    let hook = made(&alice, &format!("{tool}/hooks"), json!({"url": "https://hooks.example.com/"}));
    let hook = format!("{tool}/hooks/{}", hook["id"]);
    let topic = issue(&alice, id(&alice.get(&tool).json()), json!({"title": "t"}));
    for (client, path, field) in [
        (&root, &user, "bio"),
        (&root, &user, "location"),
        (&root, &user, "organization"),
        (&root, &user, "job_title"),
        (&root, &user, "pronouns"),
        (&root, &user, "public_email"),
        (&root, &user, "skype"),
        (&root, &user, "website_url"),
        (&alice, &tool, "description"),
        (&alice, &tool, "ci_config_path"),
        (&alice, &team, "description"),
        (&alice, &bug, "description"),
        (&alice, &shared, "description"),
        (&alice, &goal, "description"),
        (&alice, &topic, "description"),
        (&alice, &hook, "push_events_branch_filter"),
    ] {
        for text in ["x", ""] {
            let mut body = json!({"url": "https://hooks.example.com/"});
            let sent = if field == "website_url" && text == "x" { "https://x.example" } else { text };
            body[field] = json!(sent);
            let answer = client.put(path, body).assert_status(200).json();
            if field != "public_email" {
                assert_eq!(answer[field], sent, "{path} {field}");
            }
        }
        assert_eq!(client.get(path).json()[field], "", "{path} {field}");
    }
}

#[both_databases]
fn an_empty_text_of_something_new_stays_an_empty_text(server: &TestServer) {
    let alice = server.user("alice");
    let tool = format!("/projects/{}", project(&alice, "tool", "public"));
    for (path, body, field) in [
        ("/projects".to_owned(), json!({"name": "other"}), "description"),
        ("/groups".to_owned(), json!({"name": "team", "path": "team"}), "description"),
        (format!("{tool}/labels"), json!({"name": "bug", "color": "red"}), "description"),
        (format!("{tool}/milestones"), json!({"title": "v1"}), "description"),
        (format!("{tool}/issues"), json!({"title": "t"}), "description"),
        (format!("{tool}/hooks"), json!({"url": "https://hooks.example.com/"}), "push_events_branch_filter"),
    ] {
        let mut body = body;
        body[field] = json!("");
        assert_eq!(made(&alice, &path, body)[field], "", "{path} {field}");
    }
}
