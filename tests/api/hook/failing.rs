//! Hooks that have failed for long are announced by mail, and administrators see them.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Answer, Mail, TestServer, both_databases};

use super::deliveries::Scene;
use crate::support::*;

fn mails(server: &TestServer, name: &str) -> Vec<Mail> {
    server.run_jobs();
    server.mails(&format!("{name}@example.org"))
}

/// The subject of the mail about the hook of a scene.
const SUBJECT: &str = "A hook of alice/tool fails";

/// How many mails now say that the hook fails.
fn announced(server: &TestServer) -> usize {
    mails(server, "alice").iter().filter(|mail| mail.subject() == SUBJECT).count()
}

/// Lets the receiver put off its deliveries for so many hours.
fn fail(server: &TestServer, scene: &Scene, hours: i64) {
    scene.receiver.answer(std::iter::repeat_n(Answer::Status(503, Vec::new(), String::new()), 200));
    for _ in 0..hours {
        server.run_jobs();
        server.advance(TimeDelta::hours(1));
    }
    server.run_jobs();
}

#[both_databases(mail)]
fn a_hook_that_fails_for_long_is_announced_once_to_those_who_manage_it(server: &TestServer) {
    let scene = Scene::new(server);
    for (name, level) in [("mia", 40), ("dan", 30)] {
        let user = server.user(name);
        let _ = scene
            .alice
            .post(&format!("{}/members", scene.project), json!({"user_id": user.id, "access_level": level}))
            .assert_status(201);
    }
    let _ = (mails(server, "alice"), mails(server, "mia"), mails(server, "dan"));
    scene.issue("One");
    fail(server, &scene, 5);
    assert_eq!(announced(server), 0, "not yet");
    fail(server, &scene, 12);
    let received = mails(server, "alice");
    let about: Vec<&Mail> = received.iter().filter(|mail| mail.subject() == SUBJECT).collect();
    let [mail] = about[..] else { panic!("one mail: {received:?}") };
    assert_eq!(mail.subject(), SUBJECT);
    let text = &mail.text;
    assert!(
        text.contains("since 2026-03-02 12:00 UTC") && text.contains(&format!("http://{}", scene.receiver.address())),
        "{text}"
    );
    assert!(!text.contains("/in"), "the rest of the address may be secret: {text}");
    assert_eq!(mails(server, "mia").len(), 1);
    assert_eq!(mails(server, "dan").len(), 0);
    // It fails on, and is not announced again.
    scene.issue("Two");
    fail(server, &scene, 12);
    assert_eq!(announced(server), 0);
    // It recovers, and fails anew.
    scene.receiver.answer([]);
    let events = scene.alice.get(&format!("{}/events", scene.hook)).json();
    while scene.alice.post(&format!("{}/events/{}/resend", scene.hook, id(&events[0])), json!({})).json()["response_status"]
        != "200"
    {}
    scene.issue("Three");
    fail(server, &scene, 12);
    assert_eq!(announced(server), 1);
}

#[both_databases(mail)]
fn a_service_that_fails_is_announced_by_its_name(server: &TestServer) {
    let scene = Scene::new(server);
    let webhook = json!({"webhook": scene.receiver.url("/in/secret")});
    let _ = scene.alice.put(&format!("{}/services/slack", scene.project), webhook).assert_status(200);
    let _ = scene.alice.delete(&scene.hook).assert_status(204);
    let _ = mails(server, "alice");
    scene.issue("One");
    fail(server, &scene, 12);
    let received = mails(server, "alice");
    let [mail] = &received[..] else { panic!("one mail: {received:?}") };
    assert_eq!(mail.subject(), "A service of alice/tool fails");
    let text = &mail.text;
    assert!(
        text.starts_with("The service Slack notifications of alice/tool has not delivered anything since "),
        "{text}"
    );
    assert!(!text.contains(&scene.receiver.address().to_string()) && !text.contains("hook"), "{text}");
}

#[both_databases(mail)]
fn what_has_recovered_is_not_announced(server: &TestServer) {
    let scene = Scene::new(server);
    let _ = mails(server, "alice");
    scene.issue("One");
    fail(server, &scene, 3);
    while scene.alice.post(&format!("{}/events/1/resend", scene.hook), json!({})).json()["response_status"] != "200" {
        scene.receiver.answer([]);
    }
    server.advance(TimeDelta::hours(8));
    scene.issue("Two");
    fail(server, &scene, 2);
    assert_eq!(announced(server), 0);
}

#[both_databases]
fn looking_at_failing_hooks_costs_the_same_however_many_there_are(server: &TestServer) {
    let scene = Scene::new(server);
    let count = || {
        let mut found = Vec::new();
        let statements =
            server.count_statements(|| found = tenon_app::webhook::failing(server.app(), 20).expect("hooks"));
        (found, statements)
    };
    scene.receiver.answer(std::iter::repeat_n(Answer::Status(503, Vec::new(), String::new()), 20));
    scene.issue("One");
    server.run_jobs();
    let (one, few) = count();
    assert_eq!(one.iter().map(|hook| (hook.waiting, hook.retrying, hook.parked)).collect::<Vec<_>>(), [(0, 1, 0)]);
    for _ in 0..4 {
        made(
            &scene.alice,
            &format!("{}/hooks", scene.project),
            json!({"url": scene.receiver.url("/in"), "issues_events": true}),
        );
    }
    scene.issue("Two");
    server.run_jobs();
    let (five, many) = count();
    assert_eq!((five.len(), many), (5, few));
}
