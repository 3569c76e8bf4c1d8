//! Events of reactions, milestones, releases, deployments and feature flags, and flags that nothing sends yet.

use serde_json::{Value, json};
use tenon_domain::hook::{FLAGS, Flag, Holder, Initial};
use tenon_testkit::{TestServer, both_databases};

use super::deliveries::Scene;
use super::payloads::{assert_kept, commit, only};
use crate::support::*;

/// A scene whose hook receives these events and no others.
fn scene(server: &TestServer, flag: &str) -> Scene {
    let scene = Scene::new(server);
    let mut change = json!({"url": scene.receiver.url("/in"), flag: true});
    for other in ["push_events", "tag_push_events", "issues_events", "confidential_issues_events", "note_events"] {
        change[other] = json!(false);
    }
    let hook = scene.alice.put(&scene.hook, change).assert_status(200).json();
    assert_eq!(hook[flag], true);
    scene
}

#[both_databases]
fn reactions(server: &TestServer) {
    let scene = scene(server, "emoji_events");
    let issue = format!("{}/issues/{}", scene.project, scene.issue("One")["iid"]);
    let awards = format!("{issue}/award_emoji");
    let award = made(&scene.alice, &awards, json!({"name": "thumbsup"}));
    assert_kept(server, "emoji_award", &only(&scene, server));
    let _ = scene.alice.delete(&format!("{awards}/{}", id(&award))).assert_status(204);
    let revoked = only(&scene, server);
    assert_eq!(revoked.header("x-gitlab-event"), Some("Emoji Hook"));
    assert_eq!(
        (&revoked.json()["event_type"], &revoked.json()["object_attributes"]["action"]),
        (&json!("revoke"), &json!("revoke"))
    );
    let note = made(&scene.alice, &format!("{issue}/notes"), json!({"body": "Fine."}));
    made(&scene.alice, &format!("{issue}/notes/{}/award_emoji", id(&note)), json!({"name": "tada"}));
    assert_kept(server, "emoji_award_on_note", &only(&scene, server));
    let _ = scene.alice.post(&format!("{}/test/emoji_events", scene.hook), json!({})).assert_status(201);
    assert_eq!(only(&scene, server).json()["object_attributes"]["name"], "tada");
    // Whoever receives reactions need not be allowed to learn of confidential issues.
    let secret = made(&scene.alice, &format!("{}/issues", scene.project), json!({"title": "S", "confidential": true}));
    made(&scene.alice, &format!("{}/issues/{}/award_emoji", scene.project, secret["iid"]), json!({"name": "thumbsup"}));
    server.run_jobs();
    assert_eq!(scene.receiver.take(), []);
}

#[both_databases]
fn milestones(server: &TestServer) {
    let scene = scene(server, "milestone_events");
    let milestones = format!("{}/milestones", scene.project);
    let made =
        made(&scene.alice, &milestones, json!({"title": "1.0", "due_date": "2026-04-01", "description": "All."}));
    assert_kept(server, "milestone_create", &only(&scene, server));
    let one = format!("{milestones}/{}", id(&made));
    let _ = scene.alice.put(&one, json!({"state_event": "close"})).assert_status(200);
    let closed = only(&scene, server).json();
    assert_eq!((&closed["action"], &closed["object_attributes"]["state"]), (&json!("close"), &json!("closed")));
    let _ = scene.alice.put(&one, json!({"state_event": "activate", "title": "1.1"})).assert_status(200);
    let reopened = only(&scene, server).json();
    assert_eq!((&reopened["action"], &reopened["object_attributes"]["title"]), (&json!("reopen"), &json!("1.1")));
    let _ = scene.alice.put(&one, json!({"title": "1.2"})).assert_status(200);
    server.run_jobs();
    assert_eq!(scene.receiver.take(), [], "an edit is no event");
    let _ = scene.alice.post(&format!("{}/test/milestone_events", scene.hook), json!({})).assert_status(201);
    assert_eq!(only(&scene, server).header("x-gitlab-event"), Some("Milestone Hook"));
}

#[both_databases]
fn releases(server: &TestServer) {
    let scene = scene(server, "releases_events");
    commit(&scene, "main", None, "First", "a.txt");
    let releases = format!("{}/releases", scene.project);
    let link = json!({"name": "binary", "url": "https://example.com/tool.tar.gz"});
    let asked =
        json!({"tag_name": "v1", "ref": "main", "name": "One", "description": "New.", "assets": {"links": [link]}});
    made(&scene.alice, &releases, asked);
    assert_kept(server, "release_create", &only(&scene, server));
    let _ = scene.alice.put(&format!("{releases}/v1"), json!({"description": "Newer."})).assert_status(200);
    let updated = only(&scene, server);
    assert_eq!(updated.header("x-gitlab-event"), Some("Release Hook"));
    assert_eq!((&updated.json()["action"], &updated.json()["description"]), (&json!("update"), &json!("Newer.")));
    let _ = scene.alice.post(&format!("{}/test/releases_events", scene.hook), json!({})).assert_status(201);
    assert_eq!(only(&scene, server).json()["tag"], "v1");
    let _ = scene.alice.delete(&format!("{releases}/v1")).assert_status(200);
    assert_eq!(only(&scene, server).json()["action"], "delete");
    let notes = format!("{}/repository/tags/v1/release", scene.project);
    let _ = scene.alice.post(&notes, json!({"description": "Notes."})).assert_status(201);
    assert_eq!(only(&scene, server).json()["action"], "create");
    let _ = scene.alice.delete(&format!("{}/repository/tags/v1", scene.project)).assert_status(204);
    let gone = only(&scene, server).json();
    assert_eq!((&gone["action"], &gone["commit"]), (&json!("delete"), &Value::Null));
}

#[both_databases]
fn deployments(server: &TestServer) {
    let scene = scene(server, "deployment_events");
    let test = || scene.alice.post(&format!("{}/test/deployment_events", scene.hook), json!({}));
    let refused = "Ensure the project has deployments.";
    test().assert(422, json!({"message": refused, "error": refused}));
    commit(&scene, "main", None, "First", "a.txt");
    let environments = format!("{}/environments", scene.project);
    made(&scene.alice, &environments, json!({"name": "production", "external_url": "https://tool.example.com"}));
    let body = json!({"environment": "production", "sha": "main", "ref": "main", "tag": false, "status": "running"});
    let all = format!("{}/deployments", scene.project);
    let one = format!("{all}/{}", id(&made(&scene.alice, &all, body)));
    assert_kept(server, "deployment", &only(&scene, server));
    let _ = scene.alice.put(&one, json!({"status": "success"})).assert_status(200);
    let done = only(&scene, server);
    assert_eq!(done.header("x-gitlab-event"), Some("Deployment Hook"));
    assert_eq!((&done.json()["status"], &done.json()["commit_title"]), (&json!("success"), &json!("First")));
    let _ = test().assert_status(201);
    assert_eq!(only(&scene, server).json()["deployment_id"], done.json()["deployment_id"]);
}

#[both_databases]
fn feature_flags(server: &TestServer) {
    let scene = scene(server, "feature_flag_events");
    let test = || scene.alice.post(&format!("{}/test/feature_flag_events", scene.hook), json!({}));
    let refused = "Ensure the project has feature flags.";
    test().assert(422, json!({"message": refused, "error": refused}));
    let all = format!("{}/feature_flags", scene.project);
    made(&scene.alice, &all, json!({"name": "colors", "description": "Bright."}));
    let _ = scene.alice.put(&format!("{all}/colors"), json!({"description": "Brighter."})).assert_status(200);
    server.run_jobs();
    assert_eq!(scene.receiver.take(), [], "only a flag that is switched on or off is an event");
    let _ = scene.alice.put(&format!("{all}/colors"), json!({"active": false})).assert_status(200);
    assert_kept(server, "feature_flag", &only(&scene, server));
    let _ = test().assert_status(201);
    assert_eq!(only(&scene, server).header("x-gitlab-event"), Some("Feature Flag Hook"));
}

#[both_databases]
fn a_flag_that_nothing_sends_yet_is_kept(server: &TestServer) {
    let scene = Scene::new(server);
    let flag = "resource_access_token_events";
    assert_eq!(scene.alice.get(&scene.hook).json()[flag], false);
    let on = json!({"url": scene.receiver.url("/in"), flag: true});
    assert_eq!(scene.alice.put(&scene.hook, on).assert_status(200).json()[flag], true);
    assert_eq!(scene.alice.get(&scene.hook).json()[flag], true);
    let test = scene.alice.post(&format!("{}/test/{flag}", scene.hook), json!({}));
    let refused = "Testing not available for this hook";
    test.assert(422, json!({"message": refused, "error": refused}));
}

/// Clients that compare what they have set with what they read must find no difference.
#[both_databases]
fn a_hook_reads_as_it_was_written(server: &TestServer) {
    let alice = server.user("alice");
    let hooks = format!("/projects/{}/hooks", project(&alice, "tool", "public"));
    let of_project = |flag: &&Flag| flag.initial(Holder::Project) != Initial::Fixed;
    let flags: Vec<&str> = FLAGS.iter().filter(of_project).map(Flag::name).collect();
    let mut wanted = json!({
        "url": "https://hooks.example.com/{part}", "name": "Receiver", "description": "Of all.",
        "enable_ssl_verification": false, "push_events_branch_filter": "release/*", "branch_filter_strategy": "wildcard",
        "custom_webhook_template": "{\"kind\": \"{{object_kind}}\"}",
    });
    for flag in &flags {
        wanted[*flag] = json!(true);
    }
    assert_eq!((&wanted["push_events"], &wanted["milestone_events"]), (&json!(true), &json!(true)));
    let secret = json!({
        "token": "s3cret", "custom_headers": [{"key": "X-A", "value": "1"}], "url_variables": [{"key": "part", "value": "in"}],
    });
    let with = |wanted: &Value| {
        let mut all = wanted.clone();
        if let (Value::Object(all), Value::Object(secret)) = (&mut all, &secret) {
            all.extend(secret.clone());
        }
        all
    };
    let made = made(&alice, &hooks, with(&wanted));
    let one = format!("{hooks}/{}", id(&made));
    let assert_reads = |wanted: &Value| {
        let read = alice.get(&one).assert_status(200).json();
        assert_eq!(alice.get(&hooks).json(), json!([read]));
        for (name, value) in wanted.as_object().into_iter().flatten() {
            assert_eq!(&read[name], value, "{name}");
        }
        assert_eq!(read["custom_headers"], json!([{"key": "X-A"}]));
        assert_eq!(read["url_variables"], json!([{"key": "part"}]));
        assert_lacks(&read, &["token", "vulnerability_events"]);
    };
    assert_reads(&wanted);
    let mut changes: Vec<(&str, Value)> = flags.iter().map(|flag| (*flag, json!(false))).collect();
    changes.extend([
        ("url", json!("https://hooks.example.com/{part}/more")),
        ("name", json!("Other")),
        ("description", json!("")),
        ("enable_ssl_verification", json!(true)),
        ("push_events_branch_filter", json!("main")),
        ("branch_filter_strategy", json!("regex")),
        ("custom_webhook_template", json!("[{{project.id}}]")),
    ]);
    for (name, value) in changes {
        wanted[name] = value;
        let _ = alice.put(&one, with(&wanted)).assert_status(200);
        assert_reads(&wanted);
    }
}
