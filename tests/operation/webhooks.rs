//! Hooks, served by several processes, and by one that ends in the middle.

use serde_json::{Value, json};
use tenon_app::Limits;
use tenon_app::jobs::Pace;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Backend, Received, Receiver, TestServer, both_databases};

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

#[test]
fn two_processes_share_a_budget_of_mails() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let mut limits = Limits::without_rates();
        limits.services.mails_per_user = 5;
        let server = TestServer::start_with_mail_and(backend, limits);
        let other = TestServer::beside_with_mail(&server);
        let projects = ["one", "two", "three", "four"].map(|name| {
            let id = server.root().post("/projects", json!({"name": name})).assert_status(201).json()["id"].clone();
            let service = format!("/projects/{id}/services/emails-on-push");
            let _ = server.root().put(&service, json!({"recipients": "a@example.com"})).assert_status(200);
            format!("/projects/{id}/repository/commits")
        });
        for number in 0..12 {
            let node = if number % 2 == 0 { &server } else { &other };
            let action = json!({"action": "create", "file_path": format!("{number}"), "content": "x"});
            let commit = json!({"branch": "master", "commit_message": "x", "actions": [action]});
            let _ = node.root().post(&projects[number % projects.len()], commit).assert_status(201);
        }
        std::thread::scope(|scope| {
            for node in [&server, &other] {
                scope.spawn(|| node.run_jobs());
            }
        });
        server.run_jobs();
        let unsent = "SELECT COUNT(*) FROM hook_deliveries WHERE error LIKE 'no mail was sent: %'";
        assert_eq!((server.mails("a@example.com").len(), server.database().count(unsent)), (5, 7));
    }
}

#[both_databases]
fn two_processes_send_each_event_once_and_in_order(server: &TestServer) {
    let (receiver, issues) = scene(server);
    let other = TestServer::beside(server);
    let _jobs = (server.start_jobs(Pace::default()), other.start_jobs(Pace::default()));
    for number in 0..60 {
        let node = if number % 2 == 0 { server } else { &other };
        let _ = node.root().post(&issues, json!({"title": "x"})).assert_status(201);
    }
    let calls = receiver.wait(|all| all.len() >= 60);
    assert_eq!(iids(&calls), (1..=60).map(Value::from).collect::<Vec<_>>());
}

#[both_databases]
fn what_a_process_had_in_hand_when_it_ended_is_sent_by_another(server: &TestServer) {
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
