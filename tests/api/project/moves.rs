//! Projects that change their place.

use serde_json::json;
use tenon_domain::path::FORMER_PATHS;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn a_transferred_project_is_found_in_its_new_place(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    let tool = project(&alice, "tool", "public");
    let path = format!("/projects/{tool}/transfer");
    let moved = alice.put(&path, json!({"namespace": team})).assert_status(200).json();
    assert_eq!((&moved["path_with_namespace"], &moved["namespace"]["kind"]), (&json!("team/tool"), &json!("group")));
    let _ = alice.get("/projects/alice%2Ftool").assert_status(301);
    assert_eq!(
        alice.put(&path, json!({"namespace": "alice"})).assert_status(200).json()["path_with_namespace"],
        "alice/tool"
    );
}

#[both_databases]
fn reads_at_an_old_path_lead_to_the_project(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let [open, hidden] = ["public", "private"].map(|visibility| {
        let id = project(&alice, visibility, visibility);
        let _ = alice.put(&format!("/projects/{id}"), json!({"path": format!("new-{visibility}")})).assert_status(200);
        id
    });
    let there = format!("{}/api/v4/projects/{open}", server.base());
    for (path, want) in [
        ("/projects/alice%2Fpublic", there.clone()),
        ("/projects/ALICE%2FPublic/issues?state=all&labels=a%26b", format!("{there}/issues?state=all&labels=a%26b")),
        ("/projects/alice%2Fpublic/repository/files/a%2Fb?ref=x", format!("{there}/repository/files/a%2Fb?ref=x")),
    ] {
        for client in [&*alice, &*bob] {
            let reply = client.get(path).assert_status(301);
            assert_eq!(reply.header("location"), want);
            assert_eq!(reply.text(), format!("This resource has been moved permanently to {want}"));
            assert_eq!(reply.header("cache-control"), "max-age=0, private, must-revalidate");
        }
        let reply = alice.head(path).assert_status(301);
        assert_eq!((reply.header("location"), reply.text()), (want, String::new()));
    }
    let reply = server.anonymous().get("/projects/alice%2Fpublic").assert_status(301);
    assert_eq!(reply.header("location"), there);
    let text = json!({"message": "Non GET methods are not allowed for moved projects"});
    let refused = alice.put("/projects/alice%2Fpublic", json!({"description": "x"})).assert_status(405);
    assert_eq!((refused.json(), refused.header("allow")), (text.clone(), "GET, HEAD".to_owned()));
    alice.post("/projects/alice%2Fpublic/issues", json!({"title": "t"})).assert(405, text);
    // A project that a caller may not see is missing at both paths.
    for client in [&*bob, &server.anonymous()] {
        for below in ["", "/repository/branches"] {
            for path in ["alice%2Fprivate", "alice%2Fnew-private", "alice%2Fnothing"] {
                client.get(&format!("/projects/{path}{below}")).assert(404, missing("Project"));
            }
        }
        let answers = ["alice%2Fprivate", "alice%2Fnothing"].map(|path| {
            let reply = client.delete(&format!("/projects/{path}"));
            (reply.status(), reply.text())
        });
        assert_eq!(answers[0], answers[1]);
    }
    assert_eq!(id(&alice.get(&format!("/projects/{hidden}")).json()), hidden);
    let _ = alice.get("/projects/alice%2Fprivate").assert_status(301);
    // A project that takes the path is found there from then on.
    let next = id(&made(&alice, "/projects", json!({"name": "next", "path": "public", "visibility": "public"})));
    assert_eq!(id(&bob.get("/projects/alice%2Fpublic").assert_status(200).json()), next);
}

#[both_databases]
fn a_project_is_found_at_its_newest_old_paths(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool-0", "public");
    let renamed = |number: i64| {
        let _ = alice.put(&format!("/projects/{tool}"), json!({"path": format!("tool-{number}")})).assert_status(200);
    };
    (1..=FORMER_PATHS + 1).for_each(renamed);
    alice.get("/projects/alice%2Ftool-0").assert(404, missing("Project"));
    let _ = alice.get("/projects/alice%2Ftool-1").assert_status(301);
    let _ = alice.get(&format!("/projects/alice%2Ftool-{FORMER_PATHS}")).assert_status(301);
    // The group above keeps as many for each of its projects.
    let team = group(&alice, "team-0", "public");
    let below = project_in(&alice, team, "below", "public");
    for number in 1..=FORMER_PATHS + 1 {
        let _ = alice.put(&format!("/groups/{team}"), json!({"path": format!("team-{number}")})).assert_status(200);
    }
    alice.get("/groups/team-0").assert(404, missing("Group"));
    alice.get("/projects/team-0%2Fbelow").assert(404, missing("Project"));
    let _ = (alice.get("/groups/team-1").assert_status(301), alice.get("/projects/team-1%2Fbelow").assert_status(301));
    let count = server.database().count("SELECT count(*) FROM former_paths");
    assert_eq!(count, 3 * FORMER_PATHS, "{below}");
}

#[both_databases]
fn every_refusal_of_a_transfer_has_its_text(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    let team = group(&alice, "team", "public");
    project_in(&alice, team, "tool", "public");
    let foreign = group(&bob, "foreign", "public");
    let hidden = group(&bob, "hidden", "private");
    let path = format!("/projects/{tool}/transfer");
    for target in [json!(hidden), json!(999_999), json!("no-one")] {
        alice.put(&path, json!({"namespace": target})).assert(404, missing("Namespace"));
    }
    for target in [team, foreign] {
        let reply = alice.put(&path, json!({"namespace": target})).assert_status(400);
        assert!(
            reply.json()["message"].as_str().is_some_and(|text| text.starts_with("Failed to transfer project")),
            "{}",
            reply.text()
        );
    }
    alice.put(&path, json!({})).assert(400, parameter("namespace is missing"));
    bob.put(&path, json!({"namespace": foreign})).assert(403, forbidden());
    assert_eq!(alice.get(&format!("/projects/{tool}")).json()["path_with_namespace"], "alice/tool");
}

#[both_databases]
fn rights_follow_the_new_place(server: &TestServer) {
    let (alice, bob, carl) = (server.user("alice"), server.user("bob"), server.user("carl"));
    let (one, two) = (group(&alice, "one", "private"), group(&alice, "two", "private"));
    member(&alice, &format!("/groups/{one}"), bob.id, 30);
    member(&alice, &format!("/groups/{two}"), carl.id, 30);
    let tool = project_in(&alice, one, "tool", "private");
    let path = format!("/projects/{tool}");
    let _ = (bob.get(&path).assert_status(200), carl.get(&path).assert_status(404));
    let _ = alice.put(&format!("{path}/transfer"), json!({"namespace": two})).assert_status(200);
    let _ = (bob.get(&path).assert_status(404), carl.get(&path).assert_status(200));
}

#[both_databases]
fn a_new_path_frees_the_old_one(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let renamed = alice.put(&format!("/projects/{tool}"), json!({"path": "thing"})).assert_status(200).json();
    assert_eq!(renamed["web_url"], format!("{}/alice/thing", server.base()));
    let another = made(&alice, "/projects", json!({"name": "another", "path": "tool"}));
    assert_eq!(alice.get("/projects/alice%2Ftool").assert_status(200).json()["id"], another["id"]);
}
