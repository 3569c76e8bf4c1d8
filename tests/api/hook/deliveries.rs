//! The deliveries of hooks, the retries after failures, and the log of deliveries.

use serde_json::{Value, json};
use tenon_domain::limits::Limits;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Answer, Backend, Received, Receiver, TestServer, User, both_databases};

use crate::support::*;

/// The flags of the kinds of events that happen in projects.
const FLAGS: [&str; 10] = [
    "wiki_page",
    "push",
    "tag_push",
    "issues",
    "merge_requests",
    "note",
    "confidential_issues",
    "confidential_note",
    "job",
    "pipeline",
];

/// A project with a hook for everything, whose receiver records its deliveries.
pub(super) struct Scene {
    pub(super) alice: User,
    pub(super) project: String,
    pub(super) hook: String,
    pub(super) receiver: Receiver,
}

impl Scene {
    pub(super) fn new(server: &TestServer) -> Self {
        server.set("allow_local_requests_from_hooks_and_services", &json!(true));
        let (alice, receiver) = (server.user("alice"), Receiver::start());
        let project = format!("/projects/{}", project(&alice, "tool", "public"));
        let mut wanted = json!({"url": receiver.url("/in"), "token": "s3cret"});
        for flag in FLAGS {
            wanted[format!("{flag}_events")] = json!(true);
        }
        let made = made(&alice, &format!("{project}/hooks"), wanted);
        Self { hook: format!("{project}/hooks/{}", id(&made)), alice, project, receiver }
    }

    pub(super) fn issue(&self, title: &str) -> Value {
        made(&self.alice, &format!("{}/issues", self.project), json!({"title": title}))
    }

    /// The entries in the log of the hook, newest first: state, attempts, status.
    fn log(&self) -> Vec<(String, i64, Value)> {
        let events = self.alice.get(&format!("{}/events", self.hook)).assert_status(200).json();
        let one = |event: &Value| {
            let state = event["state"].as_str().unwrap_or_default().to_owned();
            (state, event["attempts"].as_i64().unwrap_or_default(), event["response_status"].clone())
        };
        events.as_array().map(|all| all.iter().map(one).collect()).unwrap_or_default()
    }
}

fn titles(received: &[Received]) -> Vec<String> {
    received
        .iter()
        .map(|one| one.json()["object_attributes"]["title"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[both_databases]
fn a_hook_receives_what_it_asks_for(server: &TestServer) {
    let scene = Scene::new(server);
    scene.issue("One");
    server.run_jobs();
    let [received] = &scene.receiver.take()[..] else { panic!("one request") };
    assert_eq!((received.method.as_str(), received.path.as_str()), ("POST", "/in"));
    for (name, want) in [
        ("x-gitlab-event", "Issue Hook"),
        ("x-gitlab-token", "s3cret"),
        ("content-type", "application/json"),
        ("x-gitlab-instance", server.base()),
    ] {
        assert_eq!(received.header(name), Some(want), "{name}");
    }
    assert_eq!(received.header("idempotency-key"), received.header("webhook-id"));
    assert!(received.header("user-agent").is_some_and(|agent| agent.starts_with("Tenon/")));
    let (id, at) =
        (received.header("webhook-id").unwrap_or_default(), received.header("webhook-timestamp").unwrap_or_default());
    let signature = tenon_app::webhook_signature("s3cret", id, at.parse().unwrap_or_default(), &received.body);
    assert_eq!(received.header("webhook-signature"), Some(signature.as_str()));
    let body = received.json();
    assert_eq!((&body["object_kind"], &body["object_attributes"]["action"]), (&json!("issue"), &json!("open")));
}

#[both_databases]
fn a_hook_does_not_receive_what_it_has_not_asked_for(server: &TestServer) {
    let scene = Scene::new(server);
    let _ = scene
        .alice
        .put(&scene.hook, json!({"url": scene.receiver.url("/in"), "issues_events": false, "note_events": false}))
        .assert_status(200);
    let iid = scene.issue("One")["iid"].clone();
    let _ =
        scene.alice.post(&format!("{}/issues/{iid}/notes", scene.project), json!({"body": "Hi"})).assert_status(201);
    server.run_jobs();
    assert_eq!(scene.receiver.take(), []);
}

#[both_databases]
fn a_confidential_issue_is_sent_only_where_confidential_issues_are_asked_for(server: &TestServer) {
    let scene = Scene::new(server);
    let plain = Receiver::start();
    let _ = made(
        &scene.alice,
        &format!("{}/hooks", scene.project),
        json!({"url": plain.url("/"), "issues_events": true, "note_events": true}),
    );
    let issue =
        made(&scene.alice, &format!("{}/issues", scene.project), json!({"title": "Secret", "confidential": true}));
    let _ = scene
        .alice
        .post(&format!("{}/issues/{}/notes", scene.project, issue["iid"]), json!({"body": "Psst"}))
        .assert_status(201);
    server.run_jobs();
    assert_eq!(plain.take(), []);
    let kinds: Vec<Value> = scene.receiver.take().iter().map(|one| one.json()["event_type"].clone()).collect();
    assert_eq!(kinds, ["confidential_issue", "confidential_note"]);
}

#[both_databases]
fn events_arrive_in_their_order(server: &TestServer) {
    let scene = Scene::new(server);
    let names: Vec<String> = (0..40).map(|number| format!("Issue {number}")).collect();
    for name in &names {
        scene.issue(name);
    }
    server.run_jobs();
    assert_eq!(titles(&scene.receiver.take()), names);
}

#[both_databases]
fn what_could_not_be_taken_is_sent_again_the_same_and_its_followers_do_not_wait(server: &TestServer) {
    let scene = Scene::new(server);
    scene.receiver.answer([Answer::Status(503, vec![("x-why", "broken".to_owned())], "oh".to_owned())]);
    scene.issue("One");
    scene.issue("Two");
    server.run_jobs();
    let first = scene.receiver.take();
    assert_eq!(titles(&first), ["One", "Two"]);
    assert_eq!(scene.log(), [("delivered".to_owned(), 1, json!("200")), ("retrying".to_owned(), 1, json!("503"))]);
    server.advance(TimeDelta::minutes(1));
    server.run_jobs();
    let again = scene.receiver.take();
    assert_eq!(titles(&again), ["One"]);
    assert_eq!(again[0].body, first[0].body);
    for name in ["idempotency-key", "x-gitlab-event-uuid", "x-gitlab-webhook-uuid", "webhook-id"] {
        assert_eq!(again[0].header(name), first[0].header(name), "{name}");
    }
    assert_eq!(scene.log()[1], ("delivered".to_owned(), 2, json!("200")));
}

/// A service reads the body of an event, and fails if that is none.
#[both_databases]
fn what_was_sent_before_a_failure_of_the_server_is_not_sent_again(server: &TestServer) {
    let scene = Scene::new(server);
    let _ = scene.alice.delete(&scene.hook).assert_status(204);
    let slack = format!("{}/services/slack", scene.project);
    let _ = scene.alice.put(&slack, json!({"webhook": scene.receiver.url("/in")})).assert_status(200);
    scene.receiver.answer([Answer::HangUp]);
    scene.issue("One");
    scene.issue("Two");
    server.run_jobs();
    assert_eq!(scene.receiver.take().len(), 1, "it is paused");
    server.database().execute("UPDATE hook_events SET body = '{' WHERE id = (SELECT max(id) FROM hook_events)");
    for expected in [1, 0, 0] {
        server.advance(TimeDelta::hours(1));
        server.run_jobs();
        assert_eq!(scene.receiver.take().len(), expected);
    }
}

#[both_databases]
fn a_receiver_that_does_not_answer_is_called_after_a_pause_and_gets_all_in_order(server: &TestServer) {
    let scene = Scene::new(server);
    scene.receiver.answer([Answer::HangUp]);
    scene.issue("One");
    scene.issue("Two");
    server.run_jobs();
    assert_eq!(titles(&scene.receiver.take()), ["One"], "the others wait");
    assert_eq!(
        scene.log(),
        [("waiting".to_owned(), 0, Value::Null), ("waiting".to_owned(), 1, json!("internal error"))]
    );
    server.advance(TimeDelta::minutes(1));
    server.run_jobs();
    assert_eq!(titles(&scene.receiver.take()), ["One", "Two"]);
}

#[both_databases]
fn what_fails_for_a_day_is_parked_and_can_be_sent_again(server: &TestServer) {
    let scene = Scene::new(server);
    scene.receiver.answer(std::iter::repeat_n(Answer::Status(503, Vec::new(), String::new()), 60));
    scene.issue("One");
    for _ in 0..30 {
        server.run_jobs();
        server.advance(TimeDelta::hours(1));
    }
    let (state, attempts, _) = scene.log().remove(0);
    assert_eq!(state, "parked");
    server.advance(TimeDelta::days(1));
    server.run_jobs();
    assert_eq!(scene.log()[0].1, attempts, "it is not tried again by itself");
    let events = scene.alice.get(&format!("{}/events", scene.hook)).json();
    let again = format!("{}/events/{}/resend", scene.hook, id(&events[0]));
    scene.alice.post(&again, json!({})).assert(201, json!({"response_status": "503"}));
    scene.receiver.answer([]);
    for _ in 0..60 {
        if scene.alice.post(&again, json!({})).json()["response_status"] == "200" {
            break;
        }
    }
    assert_eq!(scene.log()[0].0, "delivered");
}

#[both_databases]
fn what_has_lost_its_job_gets_one_each_hour(server: &TestServer) {
    let scene = Scene::new(server);
    scene.issue("One");
    server.database().execute("DELETE FROM jobs");
    server.run_jobs();
    assert_eq!(scene.receiver.take(), []);
    server.enqueue("resume_deliveries", &json!({"kind": "resume_deliveries"}));
    scene.receiver.answer([Answer::Status(503, Vec::new(), String::new())]);
    server.run_jobs();
    assert_eq!(titles(&scene.receiver.take()), ["One"]);
    server.database().execute("DELETE FROM jobs");
    server.advance(TimeDelta::hours(5));
    server.enqueue("resume_deliveries", &json!({"kind": "resume_deliveries"}));
    server.run_jobs();
    assert_eq!(titles(&scene.receiver.take()), ["One"]);
}

#[both_databases]
fn old_events_are_removed(server: &TestServer) {
    let scene = Scene::new(server);
    scene.issue("One");
    server.run_jobs();
    assert_eq!(scene.log().len(), 1);
    server.advance(TimeDelta::days(8));
    server.enqueue("purge_hook_events", &json!({"kind": "purge_hook_events"}));
    server.run_jobs();
    assert_eq!(scene.log(), []);
}

#[both_databases]
fn the_log_shows_requests_without_secrets(server: &TestServer) {
    let scene = Scene::new(server);
    scene.receiver.answer([Answer::Status(404, vec![("x-why", "gone".to_owned())], "nothing\u{0} here".to_owned())]);
    scene.issue("One");
    server.run_jobs();
    let listed = scene.alice.get(&format!("{}/events", scene.hook)).assert_status(200);
    assert!(!listed.text().contains("s3cret"), "{}", listed.text());
    let event = listed.json()[0].clone();
    assert_eq!(event["request_headers"]["X-Gitlab-Token"], "[REDACTED]");
    assert_eq!(event["request_headers"]["webhook-signature"], "[REDACTED]");
    assert_eq!((&event["trigger"], &event["response_status"]), (&json!("issue_hooks"), &json!("404")));
    assert_eq!(event["response_headers"]["x-why"], "gone");
    assert_eq!(event["response_body"], "nothing\u{fffd} here");
    assert_eq!(event["request_data"]["object_kind"], "issue");
    assert_eq!(
        scene.alice.get(&format!("{}/events?status=client_failure", scene.hook)).json().as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(scene.alice.get(&format!("{}/events?status=200", scene.hook)).json(), json!([]));
    scene
        .alice
        .get(&format!("{}/events?status=odd", scene.hook))
        .assert(400, parameter("status does not have a valid value"));
}

#[both_databases]
fn a_token_goes_to_no_other_host(server: &TestServer) {
    let (scene, other) = (Scene::new(server), Receiver::start());
    let to = |status, url: String| Answer::Status(status, vec![("location", url)], String::new());
    scene.receiver.answer([to(307, other.url("/there"))]);
    scene.issue("One");
    server.run_jobs();
    let [there] = &other.take()[..] else { panic!("the redirect is followed") };
    assert_eq!(
        (there.method.as_str(), there.header("x-gitlab-token"), there.header("webhook-signature")),
        ("POST", None, None)
    );
    assert_eq!(there.json()["object_kind"], "issue");
    let _first = scene.receiver.take();
    scene.receiver.answer([to(302, scene.receiver.url("/else"))]);
    scene.issue("Two");
    server.run_jobs();
    let methods: Vec<(String, String)> = scene.receiver.take().into_iter().map(|one| (one.method, one.path)).collect();
    assert_eq!(methods, [("POST".to_owned(), "/in".to_owned()), ("GET".to_owned(), "/else".to_owned())]);
}

#[both_databases]
fn a_token_does_not_move_to_another_receiver(server: &TestServer) {
    let (scene, other) = (Scene::new(server), Receiver::start());
    let _ = scene.alice.put(&scene.hook, json!({"url": scene.receiver.url("/other")})).assert_status(200);
    scene.issue("One");
    server.run_jobs();
    assert_eq!(scene.receiver.take()[0].header("x-gitlab-token"), Some("s3cret"));
    let _ = scene.alice.put(&scene.hook, json!({"url": other.url("/")})).assert_status(200);
    scene.issue("Two");
    server.run_jobs();
    assert_eq!(other.take()[0].header("x-gitlab-token"), None);
}

#[both_databases]
fn redirects_end(server: &TestServer) {
    let scene = Scene::new(server);
    let around = Answer::Status(301, vec![("location", scene.receiver.url("/in"))], String::new());
    scene.receiver.answer(std::iter::repeat_n(around, 6));
    scene.issue("One");
    server.run_jobs();
    assert_eq!(scene.receiver.take().len(), 6);
    let event = scene.alice.get(&format!("{}/events", scene.hook)).json()[0].clone();
    assert_eq!(event["internal_error_message"], "too many redirects");
}

#[both_databases]
fn local_receivers_are_not_called_once_that_is_forbidden(server: &TestServer) {
    let scene = Scene::new(server);
    server.set("allow_local_requests_from_hooks_and_services", &json!(false));
    scene.issue("One");
    server.run_jobs();
    assert_eq!(scene.receiver.take(), []);
    let event = scene.alice.get(&format!("{}/events", scene.hook)).json()[0].clone();
    let text = event["internal_error_message"].as_str().unwrap_or_default();
    assert!(text.contains("is blocked: requests to the local network are not allowed"), "{text}");
}

#[both_databases]
fn a_user_and_password_in_the_address_are_refused(server: &TestServer) {
    let scene = Scene::new(server);
    let url = format!("http://me:pass@{}/", scene.receiver.address());
    let _ = scene.alice.post(&format!("{}/hooks", scene.project), json!({"url": url})).assert_status(422);
}

#[both_databases]
fn a_test_sends_what_the_project_has(server: &TestServer) {
    let scene = Scene::new(server);
    let test = |flag: &str| scene.alice.post(&format!("{}/test/{flag}", scene.hook), json!({}));
    for (flag, text) in [
        ("push_events", "Ensure the project has at least one commit."),
        ("issues_events", "Ensure the project has issues."),
        ("note_events", "Ensure the project has notes."),
        ("merge_requests_events", "Ensure the project has merge requests."),
        ("job_events", "Ensure the project has CI jobs."),
        ("pipeline_events", "Ensure the project has CI pipelines."),
        ("wiki_page_events", "Ensure the wiki is enabled and has pages."),
    ] {
        let refused = test(flag).assert_status(422).json();
        assert_eq!(refused["message"], text, "{flag}");
    }
    test("odd").assert(400, parameter("trigger does not have a valid value"));
    let page = json!({"title": "home", "content": "text"});
    let _ = scene.alice.post(&format!("{}/wikis", scene.project), page).assert_status(201);
    test("wiki_page_events").assert(201, json!({"message": "201 Created"}));
    assert_eq!(scene.receiver.take().len(), 1);
    scene.issue("One");
    test("issues_events").assert(201, json!({"message": "201 Created"}));
    assert_eq!(titles(&scene.receiver.take()), ["One"]);
    scene.receiver.answer([Answer::Status(500, Vec::new(), "broken".to_owned())]);
    assert_eq!(test("issues_events").assert_status(422).json()["message"], "broken");
}

#[both_databases]
fn only_maintainers_read_the_log_send_again_and_test(server: &TestServer) {
    let scene = Scene::new(server);
    let bob = server.user("bob");
    let (events, test) = (format!("{}/events", scene.hook), format!("{}/test/issues_events", scene.hook));
    let _ = bob.get(&events).assert_status(403);
    let _ = bob.post(&test, json!({})).assert_status(403);
    let _ = bob.post(&format!("{events}/1/resend"), json!({})).assert_status(403);
    let _ = scene.alice.post(&format!("{events}/1/resend"), json!({})).assert_status(404);
    let _ = server.anonymous().get(&events).assert_status(401);
}

#[both_databases]
fn a_hook_that_is_removed_takes_its_deliveries_along(server: &TestServer) {
    let scene = Scene::new(server);
    scene.issue("One");
    let _ = scene.alice.delete(&scene.hook).assert_status(204);
    server.run_jobs();
    assert_eq!(scene.receiver.take(), []);
}

#[test]
fn hooks_of_a_project_have_a_bound() {
    let mut limits = Limits::without_rates();
    limits.hooks.per_project = 2;
    let server = TestServer::start_with(Backend::Sqlite, limits);
    let alice = server.user("alice");
    let hooks = format!("/projects/{}/hooks", project(&alice, "tool", "public"));
    let add = || alice.post(&hooks, json!({"url": "https://hooks.example.com/"}));
    assert_eq!([add(), add(), add()].map(|reply| reply.status()), [201, 201, 400]);
}
