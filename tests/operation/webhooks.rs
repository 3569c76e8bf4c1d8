//! Hooks, served by several processes, and by one that ends in the middle.

use serde_json::{Value, json};
use tenon_app::jobs::Pace;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Received, Receiver, TestServer, on_both};

/// A project whose issues are sent to a receiver.
fn scene(server: &TestServer) -> (Receiver, String) {
    server.set("allow_local_requests_from_hooks_and_services", &json!(true));
    let receiver = Receiver::start();
    let project = server.root().post("/projects", json!({"name": "tool"})).assert_status(201).json()["id"].clone();
    let hook = json!({"url": receiver.url("/"), "issues_events": true});
    let _ = server.root().post(&format!("/projects/{project}/hooks"), hook).assert_status(201);
    (receiver, format!("/projects/{project}/issues"))
}

fn iids(received: &[Received]) -> Vec<Value> {
    received.iter().map(|one| one.json()["object_attributes"]["iid"].clone()).collect()
}

on_both! {
    fn two_processes_send_each_event_once_and_in_order(server) {
        let (receiver, issues) = scene(server);
        let other = TestServer::beside(server);
        let _jobs = (server.start_jobs(Pace::default()), other.start_jobs(Pace::default()));
        for number in 0..60 {
            let node = if number % 2 == 0 { server } else { &other };
            let _ = node.root().post(&issues, json!({"title": "x"})).assert_status(201);
        }
        let received = receiver.wait(|received| received.len() >= 60);
        assert_eq!(iids(&received), (1..=60).map(Value::from).collect::<Vec<_>>());
    }

    fn what_a_process_had_in_hand_when_it_ended_is_sent_by_another(server) {
        let (receiver, issues) = scene(server);
        for _ in 0..3 {
            let _ = server.root().post(&issues, json!({"title": "x"})).assert_status(201);
        }
        assert!(server.abandon_job(TimeDelta::minutes(5)), "the bodies are about to be made");
        assert_eq!((server.run_jobs(), receiver.take()), (0, Vec::new()));
        server.advance(TimeDelta::minutes(6));
        server.run_jobs();
        assert_eq!(iids(&receiver.take()), [1, 2, 3]);
        let _ = server.root().post(&issues, json!({"title": "x"})).assert_status(201);
        server.run_jobs();
        assert_eq!(iids(&receiver.take()), [4]);
    }
}
