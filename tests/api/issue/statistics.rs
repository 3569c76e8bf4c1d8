//! How many issues are in each state.

use serde_json::json;
use tenon_testkit::{Client, TestServer, both_databases};

use super::filters::Scene;
use crate::support::*;

#[both_databases]
fn statistics_count_what_the_list_shows(server: &TestServer) {
    let scene = Scene::of(server);
    let counts = |client: &Client, path: &str| {
        let body = client.get(path).assert_status(200).json();
        let counts = &body["statistics"]["counts"];
        assert_eq!(body, json!({"statistics": {"counts": counts}}));
        ["all", "opened", "closed"].map(|state| counts[state].as_i64().expect("a number"))
    };
    let bob = format!("author_id={}&", scene.bob.id);
    for (query, want) in [
        ("", [4, 3, 1]),
        ("state=closed", [4, 3, 1]),
        ("labels=bug", [2, 2, 0]),
        ("labels=bug,ui", [1, 1, 0]),
        (&bob, [1, 1, 0]),
        ("not[labels]=bug", [2, 1, 1]),
        ("milestone=None", [3, 2, 1]),
        ("confidential=true", [1, 1, 0]),
        ("search=bug", [2, 2, 0]),
        ("search=nothing", [0, 0, 0]),
        ("author_username=no-one", [0, 0, 0]),
        ("iids[]=1&iids[]=3", [2, 1, 1]),
    ] {
        for list in &scene.lists {
            let path = format!("{}{query}", list.replace("issues?", "issues_statistics?"));
            assert_eq!(counts(&scene.alice, &path), want, "{path}");
        }
    }
    // Without a scope the caller's own; confidential issues count only for those who see them.
    assert_eq!(counts(&scene.bob, "/issues_statistics"), [1, 1, 0]);
    let carol = server.user("carol");
    assert_eq!(counts(&carol, &format!("/projects/{}/issues_statistics", scene.project)), [3, 2, 1]);
    changed(&scene.alice, &format!("/projects/{}", scene.project), json!({"issues_enabled": false}));
    assert_eq!(counts(&scene.alice, &format!("/projects/{}/issues_statistics", scene.project)), [0, 0, 0]);
}

#[both_databases]
fn statistics_cost_the_same_whatever_they_count(server: &TestServer) {
    let scene = Scene::of(server);
    for query in ["", "not[labels]=bug", "author_username=bob"] {
        let path = format!("/projects/{}/issues_statistics?{query}", scene.project);
        let count = || {
            let _ = scene.alice.get(&path);
            server.count_statements(|| drop(scene.alice.get(&path).assert_status(200)))
        };
        let few = count();
        for number in 0..5 {
            titled(&scene.bob, scene.project, &format!("more {number}"));
        }
        assert_eq!(count(), few, "{query}");
    }
}
