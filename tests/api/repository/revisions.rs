//! One grammar of revisions: every route with a `ref`, `sha`, `ref_name`, `from` or `to` understands the same, and
//! refuses the rest.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, User, both_databases};

use super::*;

/// Parameters that name commits.
const NAMES: [&str; 6] = ["ref", "ref_name", "sha", "from", "to", "refs[]"];

/// Routes whose parameter of such a name is something else: the id of a blob, the head that a merge expects, a date.
const OTHERS: [&str; 3] = ["/repository/blobs/", "/merge_requests/{merge_request_iid}/merge", "/user/activities"];

/// Revisions that no route may understand, encoded.
const WRONG: [&str; 14] = [
    "HEAD%40%7B1%7D",
    "%40%7B-1%7D",
    "%40",
    "-x",
    "--upload-pack%3Dx",
    "main%3Aa.txt",
    "%3A%2Ffix",
    "main%0Ax",
    "refs%2Fheads%2F..%2Fmain",
    "main~x",
    "main%5E%7Btree%7D",
    "main..main..main",
    "main%20x",
    "main~1%3Aa.txt",
];

struct Route {
    path: String,
    /// The parameter, and whether it is part of the path.
    name: String,
    in_path: bool,
}

/// The routes that read, with each parameter that names a commit.
fn routes(server: &TestServer) -> Vec<Route> {
    let document = server.anonymous().get("/openapi.json").assert_status(200).json();
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        if OTHERS.iter().any(|other| path.contains(other)) {
            continue;
        }
        for parameter in methods["get"]["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().expect("a name");
            if NAMES.contains(&name) {
                found.push(Route { path: path.clone(), name: name.to_owned(), in_path: parameter["in"] == "path" });
            }
        }
    }
    found
}

/// The address of a route of this project, with this value and whatever else it demands.
fn address(route: &Route, project: i64, value: &str) -> String {
    let sha = if route.in_path { value } else { "main" };
    let path = route.path.replace("{id}", &project.to_string()).replace("{file_path}", "a.txt");
    let path = path.replace("{sha}", sha).replace("{format}", "tar");
    let mut query = Vec::new();
    let mut add = |name: &str, usual: &str| {
        let value = if route.name == name { value } else { usual };
        query.push(format!("{name}={value}"));
    };
    if path.ends_with("/compare") {
        add("from", "main");
        add("to", "main");
    } else if path.ends_with("/merge_base") {
        add("refs[]", "main");
        query.push("refs[]=main".to_owned());
    } else if !route.in_path {
        add(&route.name, "main");
    }
    format!("{path}?{}", query.join("&"))
}

fn world(server: &TestServer) -> (User, i64, Vec<String>) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let mut ids = vec![tip(&alice, tool, "main").expect("a commit")];
    ids.push(write(&alice, tool, "main", "a.txt", "one"));
    ids.push(write(&alice, tool, "main", "b.txt", "two"));
    made(&alice, &format!("{}/tags", at(tool)), json!({"tag_name": "v1", "ref": "main", "message": "One"}));
    (alice, tool, ids)
}

#[both_databases]
fn what_is_no_revision_is_refused_everywhere(server: &TestServer) {
    let (alice, tool, _) = world(server);
    let routes = routes(server);
    assert!(routes.len() >= 20, "{}", routes.len());
    for route in &routes {
        for value in WRONG {
            let path = address(route, tool, value);
            let status = alice.get(&path).status();
            assert!(matches!(status, 400 | 404), "{path}: {status}");
        }
        // A range is one of the list of commits only. A pipeline may be of a branch that is gone.
        let is_list = route.name == "ref_name";
        let is_filter = route.name == "ref" && !route.path.contains("/files/") && !route.path.ends_with("/tree");
        for (value, is_refused) in [("nowhere", !is_filter), ("v1~1..main", !is_list), ("nowhere..main", true)] {
            let path = address(route, tool, value);
            let status = alice.get(&path).status();
            assert_eq!(matches!(status, 400 | 404), is_refused, "{path}: {status}");
        }
    }
    let post = |path: &str, body: Value| alice.post(&format!("/projects/{tool}{path}"), body).status();
    for value in ["HEAD@{1}", "-x", "main:a.txt", "main\nx", "main~x", "main^{tree}", "v1..main"] {
        assert_eq!(post("/repository/branches", json!({"branch": "x", "ref": value})), 400, "{value:?}");
        assert_eq!(post("/repository/tags", json!({"tag_name": "x", "ref": value})), 400, "{value:?}");
        let release = json!({"tag_name": "x", "description": "x", "ref": value});
        assert!(matches!(post("/releases", release), 400 | 422), "{value:?}");
        assert_eq!(post("/statuses/main", json!({"state": "success", "ref": value})), 400, "{value:?}");
    }
}

#[both_databases]
fn every_revision_is_understood_everywhere(server: &TestServer) {
    let (alice, tool, ids) = world(server);
    let short = &ids[1][..8];
    let short_parent = format!("{short}%5E");
    let values = [
        "main",
        "HEAD",
        "v1",
        "refs%2Fheads%2Fmain",
        short,
        &ids[1],
        "main~1",
        "HEAD~",
        "v1%5E0",
        "main%5E1",
        "main~0",
    ];
    for route in routes(server) {
        // Pipelines are of names, and their commits may be gone.
        if route.name == "ref" && (route.path.ends_with("/pipelines") || route.path.ends_with("/statuses")) {
            continue;
        }
        for value in values {
            let path = address(&route, tool, value);
            let status = alice.get(&path).status();
            // These commits have neither signatures nor, some of them, anything in common but themselves.
            let is_fine = status == 200 || (status == 404 && route.path.ends_with("/signature"));
            assert!(is_fine, "{path}: {status}");
        }
    }
    let id_of = |text: &str| alice.get(&format!("{}/commits/{text}", at(tool))).assert_status(200).json()["id"].clone();
    for (text, want) in
        [("main~1", 1), ("main~2", 0), ("HEAD^", 1), ("v1%5E%5E", 0), ("main~1%5E", 0), (short, 1), (&short_parent, 0)]
    {
        assert_eq!(id_of(text), json!(ids[want]), "{text}");
    }
    for beyond in ["main~3", "main%5E2", "HEAD~1000000"] {
        let _ = alice.get(&format!("{}/commits/{beyond}", at(tool))).assert_status(404);
    }
    let made = made(&alice, &format!("{}/branches", at(tool)), json!({"branch": "older", "ref": "main~1"}));
    assert_eq!(made["commit"]["id"], json!(ids[1]));
}

#[both_databases]
fn a_list_of_commits_has_ranges(server: &TestServer) {
    let (alice, tool, ids) = world(server);
    branch(&alice, tool, "older", "main~2");
    let apart = write(&alice, tool, "older", "c.txt", "three");
    let list = |name: &str| {
        let reply = alice.get(&format!("{}/commits?ref_name={name}", at(tool))).assert_status(200);
        (reply.each("id"), reply.header("x-total"))
    };
    let want = |ids: &[&String]| (ids.iter().map(|id| json!(id)).collect::<Vec<_>>(), ids.len().to_string());
    assert_eq!(list("main~1..main"), want(&[&ids[2]]));
    assert_eq!(list("older..main"), want(&[&ids[2], &ids[1]]));
    assert_eq!(list("older..").0.len(), 2);
    assert_eq!(list("main..older"), want(&[&apart]));
    assert_eq!(list("main...older").1, "3");
    assert_eq!(list("main..main"), want(&[]));
    assert_eq!(list("older..main&path=a.txt"), want(&[&ids[1]]));
    for name in ["nowhere..main", "main..nowhere", "main...nowhere", "nowhere"] {
        alice.get(&format!("{}/commits?ref_name={name}", at(tool))).assert(404, missing("Commit"));
    }
    // The same holds if the default branch has gone, but not if there is nothing at all.
    let repository = server.data().join(format!("repositories/{:03}/{tool}.git", tool % 1000));
    std::fs::write(repository.join("HEAD"), "ref: refs/heads/gone\n").expect("a file");
    server.database().execute(&format!("UPDATE projects SET default_branch = 'gone' WHERE id = {tool}"));
    alice.get(&format!("{}/commits?ref_name=nowhere", at(tool))).assert(404, missing("Commit"));
    assert_eq!(list("older").0.len(), 2);
    let empty = made(&alice, "/projects", json!({"name": "empty"}))["id"].as_i64().expect("an id");
    assert_eq!(alice.get(&format!("{}/commits?ref_name=nowhere", at(empty))).assert_status(200).json(), json!([]));
}
