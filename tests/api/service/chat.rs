//! The messages to chats. `docs/integrations.md` shows the same.

use std::path::Path;

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Answer, Received, Receiver, TestServer, User, both_databases};

use crate::support::*;

/// A project with a service whose receiver records its messages.
struct Scene {
    alice: User,
    project: String,
    receiver: Receiver,
}

impl Scene {
    fn new(server: &TestServer, slug: &str, more: &Value) -> Self {
        server.set("allow_local_requests_from_hooks_and_services", &json!(true));
        let (alice, receiver) = (server.user("alice"), Receiver::start());
        let project = format!("/projects/{}", project(&alice, "tool", "public"));
        let scene = Self { alice, project, receiver };
        scene.set(slug, more);
        scene
    }

    fn set(&self, slug: &str, more: &Value) {
        let mut body = json!({"webhook": self.receiver.url("/in/secret")});
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let _ = self.alice.put(&format!("{}/services/{slug}", self.project), body).assert_status(200);
    }

    fn issue(&self, title: &str) -> Value {
        made(
            &self.alice,
            &format!("{}/issues", self.project),
            json!({"title": title, "description": "It **fails** <here>."}),
        )
    }

    fn commit(&self, branch: &str, start: Option<&str>, message: &str) {
        let action = json!({"action": "create", "file_path": format!("{message}.txt"), "content": message});
        let mut asked = json!({"branch": branch, "commit_message": message, "actions": [action]});
        if let Some(start) = start {
            asked["start_branch"] = json!(start);
        }
        let _ = self.alice.post(&format!("{}/repository/commits", self.project), asked).assert_status(201);
    }

    fn received(&self, server: &TestServer) -> Vec<Received> {
        server.run_jobs();
        self.receiver.take()
    }

    /// Compares the only message with the one that is kept under `name`. `UPDATE_SNAPSHOTS=1` keeps the new message.
    fn assert_kept(&self, server: &TestServer, name: &str) {
        let received = self.received(server);
        let [received] = &received[..] else { panic!("one message: {received:#?}") };
        assert_eq!((received.method.as_str(), received.path.as_str()), ("POST", "/in/secret"));
        assert_eq!(received.header("content-type"), Some("application/json"));
        let body: Value =
            serde_json::from_str(&received.body.replace(server.base(), "https://git.example.org")).expect("JSON");
        let text = format!("{}\n", serde_json::to_string_pretty(&body).expect("JSON"));
        let file = Path::new("api/service/messages").join(format!("{name}.json"));
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(&file, &text).expect("a file that can be written");
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(kept, text, "UPDATE_SNAPSHOTS=1 rewrites {}; then read what changed", file.display());
    }
}

fn texts(received: &[Received]) -> Vec<String> {
    received.iter().map(|one| one.json()["text"].as_str().unwrap_or_default().to_owned()).collect()
}

#[both_databases]
fn slack_is_sent_issues_and_comments(server: &TestServer) {
    let scene =
        Scene::new(server, "slack", &json!({"username": "tenon", "channel": "#all", "issue_channel": "#issues"}));
    let iid = scene.issue("Broken <!channel>")["iid"].clone();
    scene.assert_kept(server, "slack_issue_open");
    let path = format!("{}/issues/{iid}", scene.project);
    changed(&scene.alice, &path, json!({"title": "Broken"}));
    assert!(scene.received(server).is_empty(), "edits are not written about");
    made(&scene.alice, &format!("{path}/notes"), json!({"body": "I see it *too*."}));
    scene.assert_kept(server, "slack_note");
    changed(&scene.alice, &path, json!({"state_event": "close"}));
    scene.assert_kept(server, "slack_issue_close");
}

#[both_databases]
fn slack_is_sent_pushes_to_the_default_branch_and_tags(server: &TestServer) {
    let scene = Scene::new(server, "mattermost", &json!({}));
    scene.commit("master", None, "First");
    scene.assert_kept(server, "slack_push_new_branch");
    scene.commit("master", None, "Second");
    scene.assert_kept(server, "slack_push");
    scene.commit("side", Some("master"), "Third");
    assert!(scene.received(server).is_empty());
    let _ = scene
        .alice
        .post(&format!("{}/repository/tags", scene.project), json!({"tag_name": "v1", "ref": "master"}))
        .assert_status(201);
    scene.assert_kept(server, "slack_tag_push");
    scene.set("mattermost", &json!({"branches_to_be_notified": "all"}));
    scene.commit("side", None, "Fourth");
    assert_eq!(scene.received(server).len(), 1);
    scene.set("mattermost", &json!({"branches_to_be_notified": "protected"}));
    scene.commit("side", None, "Fifth");
    assert!(scene.received(server).is_empty());
    let _ = scene
        .alice
        .post(&format!("{}/protected_branches", scene.project), json!({"name": "side", "push_access_level": 40}))
        .assert_status(201);
    scene.commit("side", None, "Sixth");
    assert_eq!(scene.received(server).len(), 1);
}

#[both_databases]
fn slack_is_sent_merge_requests(server: &TestServer) {
    let scene = Scene::new(server, "slack", &json!({"push_events": false}));
    scene.commit("master", None, "First");
    scene.commit("side", Some("master"), "Second");
    let asked = json!({"source_branch": "side", "target_branch": "master", "title": "Add b"});
    let request = made(&scene.alice, &format!("{}/merge_requests", scene.project), asked);
    scene.assert_kept(server, "slack_merge_request_open");
    let _ = scene
        .alice
        .put(&format!("{}/merge_requests/{}/merge", scene.project, request["iid"]), json!({}))
        .assert_status(200);
    server.run_jobs();
    assert!(texts(&scene.receiver.take()).iter().any(|text| text.contains("merged <")));
}

#[both_databases]
fn microsoft_teams_is_sent_cards(server: &TestServer) {
    let scene = Scene::new(server, "microsoft-teams", &json!({}));
    scene.issue("Broken [x](https://evil.example)");
    scene.assert_kept(server, "microsoft_teams_issue_open");
}

#[both_databases]
fn hangouts_chat_is_sent_texts(server: &TestServer) {
    let scene = Scene::new(server, "hangouts-chat", &json!({}));
    scene.issue("Broken");
    scene.assert_kept(server, "hangouts_chat_issue_open");
}

#[both_databases]
fn confidential_issues_are_sent_only_where_they_are_wanted(server: &TestServer) {
    let scene = Scene::new(server, "slack", &json!({"confidential_issues_events": false, "issue_channel": "#issues"}));
    let secret =
        || made(&scene.alice, &format!("{}/issues", scene.project), json!({"title": "Secret", "confidential": true}));
    secret();
    assert!(scene.received(server).is_empty());
    scene.set("slack", &json!({"confidential_issues_events": true}));
    secret();
    assert_eq!(scene.received(server)[0].json()["channel"], "#issues", "the channel of the ordinary ones");
    scene.set("slack", &json!({"confidential_issue_channel": "#secret"}));
    secret();
    assert_eq!(scene.received(server)[0].json()["channel"], "#secret");
}

#[both_databases]
fn a_message_that_is_refused_is_sent_again_and_others_keep_their_order(server: &TestServer) {
    let scene = Scene::new(server, "slack", &json!({}));
    scene.receiver.answer([Answer::HangUp]);
    scene.issue("One");
    scene.issue("Two");
    let first = scene.received(server);
    assert_eq!(first.len(), 1, "no answer: it is not called for a while");
    server.advance(TimeDelta::hours(1));
    let titles: Vec<Value> =
        scene.received(server).iter().map(|one| one.json()["attachments"][0]["title"].clone()).collect();
    assert_eq!(titles, ["#1 One", "#2 Two"]);
    server.advance(TimeDelta::hours(1));
    assert!(scene.received(server).is_empty());
}

#[both_databases]
fn a_service_that_the_settings_do_not_name_is_not_called(server: &TestServer) {
    let scene = Scene::new(server, "slack", &json!({"issues_events": true}));
    server.set("allow_all_integrations", &json!(false));
    scene.issue("One");
    assert!(scene.received(server).is_empty());
    server.set("allowed_integrations", &json!(["slack"]));
    scene.issue("Two");
    assert_eq!(scene.received(server).len(), 1);
}

#[both_databases]
fn what_a_service_receives_is_not_shown_among_the_hooks(server: &TestServer) {
    let scene = Scene::new(server, "slack", &json!({}));
    let hooks = format!("{}/hooks", scene.project);
    scene.alice.get(&hooks).assert(200, json!([]));
    let hook = id(&made(&scene.alice, &hooks, json!({"url": "https://hooks.example.com/"})));
    for other in [hook - 1, hook + 1] {
        for path in ["", "/events"] {
            let _ = scene.alice.get(&format!("{hooks}/{other}{path}")).assert_status(404);
        }
        let _ = scene.alice.post(&format!("{hooks}/{other}/test/push_events"), json!({})).assert_status(404);
        let _ = scene.alice.delete(&format!("{hooks}/{other}")).assert_status(404);
    }
    scene.issue("One");
    assert_eq!(scene.received(server).len(), 1);
    let _ = scene.alice.delete(&format!("{}/services/slack", scene.project)).assert_status(204);
    scene.issue("Two");
    assert!(scene.received(server).is_empty());
    scene.set("slack", &json!({"issues_events": false}));
    scene.issue("Three");
    assert!(scene.received(server).is_empty());
}

#[both_databases]
fn addresses_inside_the_network_are_not_called(server: &TestServer) {
    let scene = Scene::new(server, "slack", &json!({}));
    server.set("allow_local_requests_from_hooks_and_services", &json!(false));
    scene.issue("One");
    assert!(scene.received(server).is_empty());
}

#[both_databases]
fn kinds_that_are_only_stored_receive_nothing(server: &TestServer) {
    let scene = Scene::new(server, "discord", &json!({}));
    scene.issue("One");
    assert_eq!(server.run_jobs(), 0);
    assert!(scene.receiver.take().is_empty());
}

#[both_databases]
fn irker_is_sent_lines(server: &TestServer) {
    server.set("allow_local_requests_from_hooks_and_services", &json!(true));
    let alice = server.user("alice");
    let path = format!("/projects/{}", project(&alice, "tool", "public"));
    let gateway = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    // It is there by then, or the test fails.
    gateway.set_nonblocking(true).expect("a socket");
    let port = gateway.local_addr().expect("an address").port();
    let settings =
        json!({"recipients": "irc://irc.example.org/#tool", "server_host": "127.0.0.1", "server_port": port});
    let _ = alice.put(&format!("{path}/services/irker"), settings).assert_status(200);
    let action = json!({"action": "create", "file_path": "a.txt", "content": "a"});
    let asked = json!({"branch": "master", "commit_message": "First", "actions": [action]});
    let _ = alice.post(&format!("{path}/repository/commits"), asked).assert_status(201);
    server.run_jobs();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut gateway.accept().expect("a connection").0, &mut text).expect("text");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines[0]["to"], json!(["irc://irc.example.org/#tool"]));
    assert!(
        lines[0]["privmsg"]
            .as_str()
            .is_some_and(|said| said.starts_with("[tool] alice has created a new branch master: ")),
        "{text}"
    );
    assert!(lines[1]["privmsg"].as_str().is_some_and(|said| said.ends_with("alice (1 file): First")), "{text}");
}
