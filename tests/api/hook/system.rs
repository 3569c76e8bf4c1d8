//! Hooks of the whole server.

use serde_json::{Value, json};
use tenon_testkit::{Answer, Client, Received, Receiver, TestServer, both_databases};

use crate::support::*;

const FIELDS: [&str; 15] = [
    "id",
    "url",
    "created_at",
    "name",
    "description",
    "push_events",
    "push_events_branch_filter",
    "branch_filter_strategy",
    "tag_push_events",
    "merge_requests_events",
    "repository_update_events",
    "enable_ssl_verification",
    "alert_status",
    "disabled_until",
    "url_variables",
];

/// A hook of the whole server that receives everything.
pub(super) struct Scene {
    pub(super) root: Client,
    pub(super) hook: String,
    pub(super) receiver: Receiver,
}

impl Scene {
    pub(super) fn new(server: &TestServer) -> Self {
        let (root, receiver) = (server.root(), Receiver::start());
        let wanted = json!({
            "url": receiver.url("/in"), "token": "s3cret", "push_events": true, "tag_push_events": true,
            "merge_requests_events": true,
        });
        let hook = format!("/hooks/{}", id(&made(&root, "/hooks", wanted)));
        Self { root, hook, receiver }
    }

    /// The deliveries since the last call.
    pub(super) fn received(&self, server: &TestServer) -> Vec<Received> {
        server.run_jobs();
        self.receiver.take()
    }
}

fn commit(client: &Client, project: &str, branch: &str, start: Option<&str>, file: &str) {
    let mut asked = json!({"branch": branch, "commit_message": "Add", "actions": [{"action": "create", "file_path": file, "content": "x"}]});
    if let Some(start) = start {
        asked["start_branch"] = json!(start);
    }
    let _ = client.post(&format!("{project}/repository/commits"), asked).assert_status(201);
}

#[both_databases]
fn administrators_manage_hooks_of_the_server(server: &TestServer) {
    let root = server.root();
    let hook = made(&root, "/hooks", json!({"url": "https://hooks.example.com/in", "token": "t"}));
    assert_has(&hook, &FIELDS);
    assert_lacks(&hook, &["token", "project_id"]);
    for (name, want) in [
        ("push_events", json!(false)),
        ("tag_push_events", json!(false)),
        ("merge_requests_events", json!(false)),
        ("repository_update_events", json!(true)),
        ("enable_ssl_verification", json!(true)),
        ("alert_status", json!("executable")),
        ("disabled_until", Value::Null),
        ("url_variables", json!([])),
    ] {
        assert_eq!(hook[name], want, "{name}");
    }
    let path = format!("/hooks/{}", id(&hook));
    assert_eq!(root.get(&path).assert_status(200).json(), hook);
    assert_eq!(root.get("/hooks").json(), json!([hook]));
    let change = json!({
        "name": "CI", "description": "Builds", "tag_push_events": true, "repository_update_events": false,
        "push_events_branch_filter": "release/*",
    });
    let changed = root.put(&path, change.clone()).assert_status(200).json();
    for (name, want) in change.as_object().expect("fields") {
        assert_eq!(&changed[name], want, "{name}");
    }
    assert_eq!(changed["url"], hook["url"]);
    let _ = root.delete(&path).assert_status(204);
    root.get(&path).assert(404, json!({"message": "404 System hook Not Found"}));
    root.delete(&path).assert(404, json!({"message": "404 System hook Not Found"}));
}

#[both_databases]
fn other_callers_learn_nothing_of_hooks_of_the_server(server: &TestServer) {
    let scene = Scene::new(server);
    let alice = server.user("alice");
    for path in ["/hooks", scene.hook.as_str(), "/hooks/77", &format!("{}/events", scene.hook)] {
        let _ = alice.get(path).assert_status(403);
        let _ = server.anonymous().get(path).assert_status(401);
    }
    let _ = alice.post("/hooks", json!({"url": "https://hooks.example.com/"})).assert_status(403);
    let _ = alice.post(&scene.hook, json!({})).assert_status(403);
    assert_eq!(scene.received(server).len(), 1, "of the account that was made");
}

#[both_databases]
fn hooks_of_the_server_and_of_projects_are_apart(server: &TestServer) {
    let scene = Scene::new(server);
    let alice = server.user("alice");
    let project = format!("/projects/{}", project(&alice, "tool", "public"));
    let own = id(&made(&alice, &format!("{project}/hooks"), json!({"url": "https://hooks.example.com/"})));
    let _ = scene.root.get(&format!("{project}{}", scene.hook)).assert_status(404);
    let _ = scene.root.delete(&format!("{project}{}", scene.hook)).assert_status(404);
    let _ = scene.root.post(&format!("{project}{}/test/push_events", scene.hook), json!({})).assert_status(404);
    for path in [format!("/hooks/{own}"), format!("/hooks/{own}/events")] {
        let _ = scene.root.get(&path).assert_status(404);
    }
    let _ = scene.root.post(&format!("/hooks/{own}"), json!({})).assert_status(404);
    assert_eq!(scene.root.get("/hooks").json().as_array().map(Vec::len), Some(1));
}

#[both_databases]
fn what_a_hook_of_the_server_may_not_be_is_refused(server: &TestServer) {
    let root = server.root();
    let add = |body: Value| root.post("/hooks", body);
    add(json!({})).assert(400, parameter("url is missing"));
    for url in [
        "",
        "ftp://example.com/",
        "gopher://example.com/",
        "file:///etc/passwd",
        "http://a:b@example.com/",
        "http://example.com/\r\nX: 1",
    ] {
        let refused = add(json!({"url": url})).assert_status(400).json();
        assert!(refused["message"]["url"].is_array(), "{url}: {refused}");
    }
    let _ = add(json!({"url": "https://example.com/", "token": "a\r\nX-Evil: 1"})).assert_status(400);
    let _ = add(json!({"url": "https://example.com/", "name": "n".repeat(256)})).assert_status(400);
    let _ = add(json!({"url": "https://example.com/", "push_events_branch_filter": "~x"})).assert_status(422);
    // Administrators may have receivers in their own network.
    let _ = add(json!({"url": "http://127.0.0.1:1/"})).assert_status(201);
}

#[both_databases]
fn a_test_sends_an_example(server: &TestServer) {
    let scene = Scene::new(server);
    let example = scene.root.post(&scene.hook, json!({})).assert_status(201).json();
    assert_eq!((&example["event_name"], &example["path"]), (&json!("project_create"), &json!("ruby")));
    let [received] = &scene.receiver.take()[..] else { panic!("one request") };
    assert_eq!(
        (received.header("x-gitlab-event"), received.header("x-gitlab-token")),
        (Some("System Hook"), Some("s3cret"))
    );
    assert_eq!(received.json(), example);
    scene.receiver.answer([Answer::Status(503, Vec::new(), "broken".to_owned())]);
    assert_eq!(scene.root.post(&scene.hook, json!({})).assert_status(422).json()["message"], "broken");
    let _ = scene.root.post("/hooks/77", json!({})).assert_status(404);
    let _ = scene.root.get(&scene.hook).assert_status(200);
    assert_eq!(scene.receiver.take().len(), 1, "reading it sends nothing");
}

#[both_databases]
fn pushes_and_merge_requests_of_all_projects_are_received_by_their_flags(server: &TestServer) {
    let scene = Scene::new(server);
    let alice = server.user("alice");
    let project = format!("/projects/{}", project(&alice, "tool", "private"));
    let _created = scene.received(server);
    commit(&alice, &project, "master", None, "a.txt");
    commit(&alice, &project, "side", Some("master"), "b.txt");
    let _ = alice
        .post(&format!("{project}/repository/tags"), json!({"tag_name": "v1", "ref": "master"}))
        .assert_status(201);
    let request = json!({"source_branch": "side", "target_branch": "master", "title": "Add b"});
    let _ = alice.post(&format!("{project}/merge_requests"), request).assert_status(201);
    let _ = alice.post(&format!("{project}/issues"), json!({"title": "Not for all"})).assert_status(201);
    let received = scene.received(server);
    assert!(received.iter().all(|one| one.header("x-gitlab-event") == Some("System Hook")));
    let kind = |one: &Received| one.json().get("object_kind").or(one.json().get("event_name")).cloned();
    let kinds: Vec<Value> = received.iter().filter_map(kind).collect();
    assert_eq!(
        kinds,
        ["push", "repository_update", "push", "repository_update", "tag_push", "repository_update", "merge_request"]
    );
    let none = json!({
        "push_events": false, "tag_push_events": false, "merge_requests_events": false, "repository_update_events": false,
    });
    let _ = scene.root.put(&scene.hook, none).assert_status(200);
    commit(&alice, &project, "master", None, "c.txt");
    let _ = alice.put(&format!("{project}/merge_requests/1"), json!({"title": "Other"})).assert_status(200);
    assert_eq!(scene.received(server), []);
}

#[both_databases]
fn a_branch_filter_of_a_hook_of_the_server_is_for_pushes(server: &TestServer) {
    let scene = Scene::new(server);
    let _ = scene
        .root
        .put(&scene.hook, json!({"push_events_branch_filter": "release/*", "repository_update_events": false}))
        .assert_status(200);
    let alice = server.user("alice");
    let project = format!("/projects/{}", project(&alice, "tool", "private"));
    let _created = scene.received(server);
    commit(&alice, &project, "master", None, "a.txt");
    commit(&alice, &project, "release/1", Some("master"), "b.txt");
    let refs: Vec<Value> = scene.received(server).iter().map(|one| one.json()["ref"].clone()).collect();
    assert_eq!(refs, ["refs/heads/release/1"]);
}

#[both_databases]
fn the_log_of_a_hook_of_the_server_is_read_and_sent_again(server: &TestServer) {
    let scene = Scene::new(server);
    scene.receiver.answer([Answer::Status(503, Vec::new(), String::new())]);
    let _ = server.user("alice");
    server.run_jobs();
    let events = scene.root.get(&format!("{}/events", scene.hook)).assert_status(200);
    assert!(!events.text().contains("s3cret"));
    let event = events.json()[0].clone();
    assert_eq!(
        (&event["trigger"], &event["response_status"], &event["state"]),
        (&json!("system_hooks"), &json!("503"), &json!("retrying"))
    );
    let again = format!("{}/events/{}/resend", scene.hook, id(&event));
    scene.root.post(&again, json!({})).assert(201, json!({"response_status": "200"}));
    assert_eq!(scene.receiver.take().len(), 2);
}
