//! Two processes on one database.

use serde_json::json;
use tenon_testkit::{Multipart, TestServer, both_databases};

#[both_databases]
fn what_one_writes_the_other_reads(server: &TestServer) {
    let other = TestServer::beside(server);
    let alice = server.user("alice");
    let there = other.client(&alice.token);
    let project = there.post("/projects", json!({"name": "tool"})).assert_status(201).json()["id"].clone();
    let _ = alice.get(&format!("/projects/{project}")).assert_status(200);
    let _ = alice.put(&format!("/projects/{project}"), json!({"description": "d"})).assert_status(200);
    assert_eq!(there.get(&format!("/projects/{project}")).json()["description"], "d");
    let _ = other.root().post(&format!("/users/{}/block", alice.id), json!({})).assert_status(201);
    let _ = alice.get("/user").assert_status(403);
}

#[both_databases]
fn a_changed_setting_reaches_the_other_process(server: &TestServer) {
    let other = TestServer::beside(server);
    let alice = server.user("alice");
    let there = other.client(&alice.token);
    let _ = there.get("/user").assert_status(200);
    server.set("default_project_visibility", &json!("internal"));
    let made = there.post("/projects", json!({"name": "tool"})).assert_status(201).json();
    assert_eq!(made["visibility"], "internal");
    // Settings that are read before a transaction begins are read again each second.
    let throttle =
        json!({"throttle_authenticated_api_enabled": true, "throttle_authenticated_api_requests_per_period": 1});
    let _ = server.root().put("/application/settings", throttle).assert_status(200);
    other.app().refresh_settings().expect("settings");
    assert_eq!([there.get("/user").status(), there.get("/user").status()], [200, 429]);
}

#[both_databases]
fn a_deletion_is_done_once(server: &TestServer) {
    let other = TestServer::beside(server);
    let root = server.root();
    let mut projects = Vec::new();
    for name in ["a", "b", "c", "d", "e", "f"] {
        let project = root.post("/projects", json!({"name": name})).assert_status(201).json()["id"].clone();
        let file = Multipart::default().file("file", "a.txt", b"text");
        let _ = root.multipart("POST", &format!("/projects/{project}/uploads"), &file).assert_status(201);
        projects.push(project);
    }
    for project in &projects {
        let _ = root.delete(&format!("/projects/{project}")).assert_status(202);
    }
    let done: usize = std::thread::scope(|scope| {
        let both = [server, &other].map(|each| scope.spawn(move || each.run_jobs()));
        both.into_iter().map(|running| running.join().expect("jobs done")).sum()
    });
    assert_eq!(done + server.run_jobs(), projects.len());
    assert_eq!(other.root().get("/projects").json(), json!([]));
}

#[both_databases]
fn of_two_who_make_the_same_project_one_succeeds(server: &TestServer) {
    let other = TestServer::beside(server);
    let start = std::sync::Barrier::new(2);
    let mut statuses: Vec<u16> = std::thread::scope(|scope| {
        let both = [server, &other].map(|each| {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                each.root().post("/projects", json!({"name": "tool"})).status()
            })
        });
        both.into_iter().map(|running| running.join().expect("an answer")).collect()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 400]);
}

#[both_databases]
fn a_server_that_starts_again_finds_everything(server: &TestServer) {
    let alice = server.user("alice");
    let project = alice.post("/projects", json!({"name": "tool"})).assert_status(201).json()["id"].clone();
    for _ in 0..3 {
        let again = TestServer::beside(server);
        assert_eq!(
            again.client(&alice.token).get(&format!("/projects/{project}")).assert_status(200).json()["name"],
            "tool"
        );
        assert_eq!(again.root().get("/users").header("x-total"), "2");
    }
}
