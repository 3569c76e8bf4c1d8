//! The resources that hooks may take of the server, and the view of a hostile receiver.

use std::time::Duration;

use serde_json::{Value, json};
use tenon_domain::limits::Limits;
use tenon_testkit::{Answer, Backend, Receiver, TestServer, both_databases};

use super::deliveries::Scene;
use crate::support::*;

/// Runs a test on both databases, with these limits.
fn on_each(limits: &Limits, test: impl Fn(&TestServer)) {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        if backend.is_available() {
            test(&TestServer::start_with(backend, limits.clone()));
        }
    }
}

fn held(server: &TestServer) -> i64 {
    server.database().count("SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM hook_event_bytes")
}

fn counted(server: &TestServer) -> i64 {
    server.database().count("SELECT CAST(coalesce(sum(length(body) + length(captured)), 0) AS BIGINT) FROM hook_events")
}

fn titles(events: &Value) -> Vec<String> {
    let title = |event: &Value| event["request_data"]["object_attributes"]["title"].as_str().map(str::to_owned);
    events.as_array().map(|all| all.iter().filter_map(title).collect()).unwrap_or_default()
}

#[test]
fn what_is_held_of_the_events_of_a_project_has_a_bound() {
    let mut limits = Limits::without_rates();
    limits.hooks.kept_bytes = 12 << 10;
    on_each(&limits, |server| {
        let scene = Scene::new(server);
        for number in 0..20 {
            scene.issue(&format!("Issue {number}"));
            server.run_jobs();
            assert!(held(server) <= 12 << 10, "{}", held(server));
            assert_eq!(held(server), counted(server));
        }
        assert_eq!(scene.receiver.take().len(), 20, "the oldest made room");
        let kept = titles(&scene.alice.get(&format!("{}/events", scene.hook)).json());
        assert!(kept.len() < 20 && kept[0] == "Issue 19", "{kept:?}");
        // Waiting deliveries leave no room: new ones are dropped.
        scene.receiver.answer(std::iter::repeat_n(Answer::Status(503, Vec::new(), String::new()), 40));
        for number in 20..40 {
            scene.issue(&format!("Issue {number}"));
            server.run_jobs();
        }
        assert!(scene.receiver.take().len() < 20);
        assert!(held(server) <= 12 << 10, "{}", held(server));
        let other = Receiver::start();
        let project = project(&scene.alice, "other", "private");
        made(
            &scene.alice,
            &format!("/projects/{project}/hooks"),
            json!({"url": other.url("/"), "issues_events": true}),
        );
        made(&scene.alice, &format!("/projects/{project}/issues"), json!({"title": "Elsewhere"}));
        server.run_jobs();
        assert_eq!(other.take().len(), 1, "each project has room of its own");
        server.advance(tenon_domain::time::TimeDelta::days(8));
        server.enqueue("purge_hook_events", &json!({"kind": "purge_hook_events"}));
        server.run_jobs();
        assert_eq!(held(server), 0);
    });
}

#[test]
fn a_slow_receiver_does_not_hold_up_others() {
    let mut limits = Limits::without_rates();
    limits.hooks.call = Duration::from_secs(1);
    on_each(&limits, |server| {
        let scene = Scene::new(server);
        let other = Receiver::start();
        made(&scene.alice, &format!("{}/hooks", scene.project), json!({"url": other.url("/"), "issues_events": true}));
        scene.receiver.answer([Answer::Silence]);
        scene.issue("One");
        scene.issue("Two");
        server.run_jobs();
        assert_eq!((scene.receiver.take().len(), other.take().len()), (1, 2));
    });
}

#[test]
fn a_user_has_only_so_many_tests_at_once() {
    let mut limits = Limits::without_rates();
    limits.hooks.tests_at_once = 1;
    limits.hooks.call = Duration::from_secs(4);
    on_each(&limits, |server| {
        let scene = Scene::new(server);
        scene.issue("One");
        server.run_jobs();
        let _sent = scene.receiver.take();
        scene.receiver.answer([Answer::Silence]);
        let test = format!("{}/test/issues_events", scene.hook);
        std::thread::scope(|scope| {
            let slow = scope.spawn(|| scene.alice.post(&test, json!({})).status());
            let _begun = scene.receiver.wait(|received| !received.is_empty());
            let busy = scene.alice.post(&test, json!({})).assert_status(503);
            assert!(!busy.header("retry-after").is_empty());
            assert_eq!(slow.join().expect("an answer"), 422);
        });
    });
}

#[both_databases]
fn a_huge_answer_is_cut(server: &TestServer) {
    let scene = Scene::new(server);
    scene.receiver.answer([Answer::Status(
        200,
        vec![("x-long", "h".repeat(6000)), ("x-more", "h".repeat(6000))],
        "b".repeat(1 << 20),
    )]);
    scene.issue("One");
    server.run_jobs();
    let event = scene.alice.get(&format!("{}/events", scene.hook)).json()[0].clone();
    assert_eq!((&event["state"], event["response_body"].as_str().map(str::len)), (&json!("delivered"), Some(8192)));
    assert!(event["response_headers"].to_string().len() < 9000);
}

#[both_databases]
fn no_compressed_answer_is_asked_for_and_none_is_inflated(server: &TestServer) {
    let scene = Scene::new(server);
    let packed = "\u{1f}not inflated".to_owned();
    scene.receiver.answer([Answer::Status(200, vec![("content-encoding", "gzip".to_owned())], packed.clone())]);
    scene.issue("One");
    server.run_jobs();
    assert_eq!(scene.receiver.take()[0].header("accept-encoding"), None);
    let event = scene.alice.get(&format!("{}/events", scene.hook)).json()[0].clone();
    assert_eq!((&event["state"], &event["response_body"]), (&json!("delivered"), &json!(packed)));
}

/// The kinds of events are read again when the body is made and when it is sent.
#[both_databases]
fn a_hook_that_no_longer_asks_for_it_is_not_sent_what_waited(server: &TestServer) {
    let scene = Scene::new(server);
    scene.issue("One");
    let _ = scene
        .alice
        .put(&scene.hook, json!({"url": scene.receiver.url("/in"), "issues_events": false}))
        .assert_status(200);
    server.run_jobs();
    assert_eq!(scene.receiver.take(), []);
}

#[both_databases]
fn who_is_no_maintainer_any_more_has_no_part_in_hooks(server: &TestServer) {
    let scene = Scene::new(server);
    let mia = server.user("mia");
    let members = format!("{}/members", scene.project);
    let _ = scene.alice.post(&members, json!({"user_id": mia.id, "access_level": 40})).assert_status(201);
    scene.issue("One");
    server.run_jobs();
    let events = format!("{}/events", scene.hook);
    let _ = mia.get(&events).assert_status(200);
    let _ = scene.alice.put(&format!("{members}/{}", mia.id), json!({"access_level": 30})).assert_status(200);
    for path in [&events, &scene.hook] {
        let _ = mia.get(path).assert_status(403);
    }
    let _ = mia.post(&format!("{events}/1/resend"), json!({})).assert_status(403);
    let _ = mia.post(&format!("{}/test/issues_events", scene.hook), json!({})).assert_status(403);
    let _ = mia.delete(&scene.hook).assert_status(403);
}

#[both_databases]
fn a_project_that_is_gone_sends_nothing(server: &TestServer) {
    let scene = Scene::new(server);
    scene.issue("One");
    let _ = scene.alice.delete(&scene.project).assert_status(202);
    server.run_jobs();
    assert_eq!(scene.receiver.take(), []);
}
