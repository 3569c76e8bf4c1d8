//! The consequences of a receiver's answer. An answered delivery is sent once, unless the answer asks for another try.

use serde_json::json;
use tenon_domain::limits::Limits;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Answer, Backend, Received, TestServer, both_databases};

use super::deliveries::Scene;
use crate::support::*;

/// Answers that no repeat would change.
const FINAL: [u16; 22] =
    [200, 201, 202, 204, 300, 304, 400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 451, 500, 501, 505, 511];
/// Answers of a receiver that could not take it now.
const NOT_NOW: [u16; 6] = [408, 425, 429, 502, 503, 504];
/// The headers that name an event, and its delivery.
const NAMES: [&str; 4] = ["x-gitlab-event-uuid", "x-gitlab-webhook-uuid", "idempotency-key", "webhook-id"];

fn status(status: u16) -> Answer {
    Answer::Status(status, Vec::new(), String::new())
}

/// A refusal that says when to come again.
fn later(status: u16, retry_after: &str) -> Answer {
    Answer::Status(status, vec![("retry-after", retry_after.to_owned())], String::new())
}

/// The deliveries within so much time.
fn within(server: &TestServer, scene: &Scene, time: TimeDelta) -> Vec<Received> {
    server.advance(time);
    server.run_jobs();
    scene.receiver.take()
}

fn state(scene: &Scene) -> String {
    let events = scene.alice.get(&format!("{}/events", scene.hook)).assert_status(200).json();
    events[0]["state"].as_str().expect("a state").to_owned()
}

#[both_databases]
fn what_a_receiver_has_answered_is_not_sent_again(server: &TestServer) {
    let scene = Scene::new(server);
    for answer in FINAL {
        scene.receiver.answer([status(answer)]);
        scene.issue(&format!("{answer}"));
        server.run_jobs();
        assert_eq!(scene.receiver.take().len(), 1, "{answer}");
        assert_eq!(state(&scene), if answer < 300 { "delivered" } else { "parked" }, "{answer}");
        for hours in [1, 5, 30] {
            assert_eq!(within(server, &scene, TimeDelta::hours(hours)), [], "{answer} after {hours} hours");
        }
    }
}

#[both_databases]
fn what_a_receiver_could_not_take_is_sent_again_with_the_same_names(server: &TestServer) {
    let scene = Scene::new(server);
    for answer in NOT_NOW {
        scene.receiver.answer([status(answer)]);
        scene.issue(&format!("{answer}"));
        server.run_jobs();
        let first = scene.receiver.take();
        let again = within(server, &scene, TimeDelta::minutes(5));
        assert_eq!((first.len(), again.len(), state(&scene).as_str()), (1, 1, "delivered"), "{answer}");
        assert_eq!(again[0].body, first[0].body, "{answer}");
        for name in NAMES {
            assert!(first[0].header(name).is_some_and(|known| again[0].header(name) == Some(known)), "{answer} {name}");
        }
    }
}

#[both_databases]
fn what_was_refused_can_be_sent_again_on_request(server: &TestServer) {
    let scene = Scene::new(server);
    scene.receiver.answer([status(500)]);
    scene.issue("One");
    server.run_jobs();
    let first = scene.receiver.take();
    let events = scene.alice.get(&format!("{}/events", scene.hook)).json();
    let again = format!("{}/events/{}/resend", scene.hook, id(&events[0]));
    scene.alice.post(&again, json!({})).assert(201, json!({"response_status": "200"}));
    let second = scene.receiver.take();
    assert_eq!(second.len(), 1);
    for name in NAMES {
        assert_eq!(first[0].header(name), second[0].header(name), "{name}");
    }
    assert_eq!(state(&scene), "delivered");
}

#[both_databases]
fn a_receiver_says_when_it_wants_to_be_called_again(server: &TestServer) {
    let scene = Scene::new(server);
    for answer in [429, 503] {
        scene.receiver.answer([later(answer, "600")]);
        scene.issue("First");
        server.run_jobs();
        assert_eq!(scene.receiver.take().len(), 1, "{answer}");
        scene.issue("Second");
        server.run_jobs();
        assert_eq!(within(server, &scene, TimeDelta::minutes(9)), [], "{answer}: nothing is sent to it before");
        assert_eq!(within(server, &scene, TimeDelta::minutes(6)).len(), 2, "{answer}: both are sent after it");
    }
    let date = (server.now() + TimeDelta::minutes(20)).to_rfc2822().replace("+0000", "GMT");
    scene.receiver.answer([later(503, &date)]);
    scene.issue("Third");
    server.run_jobs();
    let _ = scene.receiver.take();
    assert_eq!(within(server, &scene, TimeDelta::minutes(19)), [], "{date}");
    assert_eq!(within(server, &scene, TimeDelta::minutes(10)).len(), 1, "{date}");
    // Values that are no number, and those of more than two hours.
    for (odd, minutes) in [("soon", 5), ("-5", 5), ("0", 5), ("99999999999999999999", 5), ("31536000", 180)] {
        scene.receiver.answer([later(503, odd)]);
        scene.issue(odd);
        server.run_jobs();
        let _ = scene.receiver.take();
        assert_eq!(within(server, &scene, TimeDelta::minutes(minutes)).len(), 1, "{odd}");
    }
}

#[both_databases]
fn a_redirect_without_an_end_and_a_forbidden_address_are_not_tried_again(server: &TestServer) {
    let scene = Scene::new(server);
    let around = Answer::Status(307, vec![("location", scene.receiver.url("/in"))], String::new());
    scene.receiver.answer(std::iter::repeat_n(around, 6));
    scene.issue("One");
    server.run_jobs();
    assert_eq!((scene.receiver.take().len(), state(&scene).as_str()), (6, "parked"));
    assert_eq!(within(server, &scene, TimeDelta::hours(5)), []);
    let away = Answer::Status(307, vec![("location", "http://localhost:1/".to_owned())], String::new());
    scene.receiver.answer([away]);
    server.set("allow_local_requests_from_hooks_and_services", &json!(false));
    scene.issue("Two");
    server.run_jobs();
    assert_eq!((scene.receiver.take().len(), state(&scene).as_str()), (0, "parked"));
    server.set("allow_local_requests_from_hooks_and_services", &json!(true));
    assert_eq!(within(server, &scene, TimeDelta::hours(5)), []);
}

#[both_databases]
fn services_are_not_sent_again_either_what_their_receiver_has_answered(server: &TestServer) {
    let scene = Scene::new(server);
    let _ = scene.alice.delete(&scene.hook).assert_status(204);
    let slack = format!("{}/services/slack", scene.project);
    let _ = scene.alice.put(&slack, json!({"webhook": scene.receiver.url("/in")})).assert_status(200);
    for (answer, again) in [(500, 0), (404, 0), (503, 1)] {
        scene.receiver.answer([status(answer)]);
        scene.issue("One");
        server.run_jobs();
        assert_eq!(scene.receiver.take().len(), 1, "{answer}");
        assert_eq!(within(server, &scene, TimeDelta::hours(1)).len(), again, "{answer}");
    }
}

/// A receiver that has sent its status has answered, whatever becomes of the rest.
#[test]
fn an_answer_without_an_end_is_an_answer() {
    let mut limits = Limits::without_rates();
    limits.hooks.call = std::time::Duration::from_secs(1);
    let server = TestServer::start_with(Backend::Sqlite, limits);
    let scene = Scene::new(&server);
    scene.receiver.answer([Answer::Drip]);
    scene.issue("One");
    server.run_jobs();
    assert_eq!((scene.receiver.take().len(), state(&scene).as_str()), (1, "delivered"));
    assert_eq!(within(&server, &scene, TimeDelta::hours(5)), []);
}
