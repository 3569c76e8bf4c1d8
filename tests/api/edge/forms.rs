//! The forms in which existing clients send parameters and credentials.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use crate::support::*;

fn send(client: &Client, method: &str, path: &str, kind: &str, body: &str) -> tenon_testkit::Reply {
    client.send(method, path, Some(kind), body.as_bytes().to_vec())
}

#[both_databases]
fn a_token_is_taken_from_every_place(server: &TestServer) {
    let alice = server.user("alice");
    let anonymous = server.anonymous();
    for client in [
        anonymous.header("PRIVATE-TOKEN", &alice.token),
        anonymous.header("private-token", &alice.token),
        anonymous.header("Authorization", &format!("Bearer {}", alice.token)),
        anonymous.header("Authorization", &format!("bearer {}", alice.token)),
    ] {
        assert_eq!(client.get("/user").assert_status(200).json()["id"], alice.id);
    }
    for name in ["private_token", "access_token", "bearer_token"] {
        assert_eq!(anonymous.get(&format!("/user?{name}={}", alice.token)).assert_status(200).json()["id"], alice.id);
        let made =
            anonymous.form("POST", "/projects", &format!("name={name}&{name}={}", alice.token)).assert_status(201);
        assert_eq!(made.json()["creator_id"], alice.id);
    }
    anonymous.header("Authorization", "Basic cm9vdDpyb290").get("/user").assert(401, unauthorized());
    let _ = anonymous.header("Authorization", "Basic cm9vdDpyb290").get("/projects").assert_status(200);
}

#[both_databases]
fn truth_is_written_in_many_ways(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let _ = alice.post(&format!("/projects/{tool}/archive"), json!({})).assert_status(200);
    for yes in ["true", "True", "TRUE", "1", "t", "yes", "y", "on"] {
        assert_eq!(alice.get(&format!("/projects?archived={yes}")).header("x-total"), "1", "{yes}");
    }
    for no in ["false", "False", "0", "f", "no", "n", "off"] {
        assert_eq!(alice.get(&format!("/projects?archived={no}")).header("x-total"), "0", "{no}");
    }
    assert_eq!(alice.get("/projects?archived=").header("x-total"), "1");
    alice.get("/projects?archived=maybe&owned=2").assert(400, parameter("archived is invalid, owned is invalid"));
    let _ =
        alice.post("/projects", json!({"name": "x", "wiki_enabled": 1, "issues_enabled": "False"})).assert_status(201);
}

#[both_databases]
fn a_read_may_announce_a_body_that_is_not_there(server: &TestServer) {
    for kind in ["application/json", "application/x-www-form-urlencoded", "text/xml"] {
        let _ = send(&server.root(), "GET", "/projects", kind, "").assert_status(200);
        let _ = send(&server.root(), "GET", "/user", kind, "").assert_status(200);
    }
    let _ = send(&server.root(), "POST", "/projects/999999/star", "application/json", "").assert_status(404);
}

#[both_databases]
fn bodies_are_read_by_their_type(server: &TestServer) {
    let root = server.root();
    let made =
        send(&root, "POST", "/projects", "application/json; charset=utf-8", r#"{"name":"a"}"#).assert_status(201);
    assert_eq!(made.json()["name"], "a");
    let _ = send(&root, "POST", "/projects?name=b", "application/json", "[1]").assert_status(201);
    let _ = send(&root, "POST", "/projects?name=c", "text/plain", "name=d").assert_status(201);
    let broken = send(&root, "POST", "/projects", "application/json", "{\"name\":").assert_status(400);
    assert!(
        broken.json()["error"]
            .as_str()
            .is_some_and(|text| text.contains("message body does not match declared format")),
        "{}",
        broken.text()
    );
    send(&root, "POST", "/projects", "text/xml", "<a/>")
        .assert(415, json!({"error": "The provided content-type 'text/xml' is not supported."}));
    let over = send(&root, "POST", "/projects?name=from-query", "application/json", r#"{"name":"from-body"}"#)
        .assert_status(201);
    assert_eq!(over.json()["name"], "from-body");
    let path = format!("/projects/{}", id(&over.json()));
    let kept = root.put(&path, json!({"id": 1, "description": "d"})).assert_status(200).json();
    assert_eq!(kept["id"], over.json()["id"]);
}

#[both_databases]
fn a_read_takes_its_parameters_from_a_form_too(server: &TestServer) {
    let alice = server.user("alice");
    for name in ["one", "two", "three"] {
        project(&alice, name, "private");
    }
    let read = |path: &str, form: &str| alice.form("GET", path, form).assert_status(200);
    let paths = |reply: &tenon_testkit::Reply| -> Vec<String> {
        reply
            .json()
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| one["path"].as_str().expect("a path").to_owned())
            .collect()
    };
    let first = read("/projects?owned=true", "per_page=2&page=1&order_by=id&sort=asc");
    assert_eq!(
        (paths(&first), first.header("x-next-page")),
        (vec!["one".to_owned(), "two".to_owned()], "2".to_owned())
    );
    let next = "/api/v4/projects?order_by=id&owned=true&page=2&per_page=2&sort=asc>; rel=\"next\"";
    assert!(
        first.header("link").contains(next),
        "a client follows the link without the form: {}",
        first.header("link")
    );
    assert_eq!(
        paths(&read("/projects?page=1", "page=2&per_page=2&order_by=id&sort=asc")),
        ["three"],
        "the body decides"
    );
    let multipart = alice.multipart("GET", "/projects", &tenon_testkit::Multipart::default().text("search", "three"));
    assert_eq!(paths(&multipart.assert_status(200)), ["three"]);
    let by_token =
        server.anonymous().form("GET", "/user", &format!("private_token={}", alice.token)).assert_status(200);
    assert_eq!(by_token.json()["username"], "alice");
    alice.form("GET", "/projects", "page=x").assert(400, parameter("page is invalid"));
    let long = alice.form("GET", "/projects", &format!("search={}", "a".repeat(9_000)));
    let _ = long.assert_status(400);
    // Other types are announced on reads, and their content is ignored.
    let _ = send(&alice, "GET", "/projects", "application/json", r#"{"page":"x"}"#).assert_status(200);
    let _ = send(&alice, "GET", "/projects", "text/xml", "<a/>").assert_status(200);
}

#[both_databases]
fn unknown_parameters_are_ignored(server: &TestServer) {
    let _ = server.root().get("/projects?all=True&as_list=False&iterator=1&foo[bar][]=1").assert_status(200);
    let _ = server.root().get("/user?per_page=100&page=2").assert_status(200);
    let _ = server.root().post("/projects", json!({"name": "x", "nonsense": {"a": [1]}})).assert_status(201);
}

#[both_databases]
fn null_is_like_nothing(server: &TestServer) {
    let alice = server.user("alice");
    let body = json!({"name": "t", "scopes": ["api"], "expires_at": null, "description": null});
    assert_eq!(
        made(&server.root(), &format!("/users/{}/personal_access_tokens", alice.id), body)["expires_at"],
        Value::Null
    );
    let _ = alice
        .post("/projects", json!({"name": "x", "namespace_id": null, "visibility": null, "wiki_enabled": null}))
        .assert_status(201);
    let _ = alice.get("/projects?order_by=&sort=&visibility=&search=&min_access_level=").assert_status(200);
    let tool = project(&alice, "tool", "public");
    let issues = format!("/projects/{tool}/issues");
    for title in ["one", "two"] {
        made(&alice, &issues, json!({"title": title}));
    }
    let linked = made(&alice, &format!("{issues}/1/links"), json!({"target_project_id": null, "target_issue_iid": 2}));
    assert_eq!(linked["target_issue"]["project_id"], tool);
    // Null neither shadows another name nor counts if one of several is to be sent.
    let begun = made(&alice, &format!("{issues}/1/discussions"), json!({"body": "a"}));
    let (thread, note) = (begun["id"].as_str().expect("an id").to_owned(), id(&begun["notes"][0]));
    let edited =
        alice.put(&format!("{issues}/1/discussions/{thread}/notes/{note}"), json!({"body": "b", "resolved": null}));
    assert_eq!(edited.assert_status(200).json()["body"], "b");
    let named = made(&alice, "/projects", json!({"name": "y", "jobs_enabled": null, "builds_enabled": false}));
    assert_eq!(named["jobs_enabled"], false);
    alice
        .post("/projects", json!({"name": null, "path": null}))
        .assert(400, parameter("name, path are missing, at least one parameter must be provided"));
    let _ = alice.put(&format!("{issues}/1"), json!({"due_date": "2026-12-01"})).assert_status(200);
    assert_eq!(
        alice.put(&format!("{issues}/1"), json!({"due_date": null})).assert_status(200).json()["due_date"],
        Value::Null
    );
}

#[both_databases]
fn sudo_goes_in_the_query_of_any_request(server: &TestServer) {
    let alice = server.user("alice");
    let made = made(&server.root(), &format!("/projects?sudo={}", alice.id), json!({"name": "one"}));
    assert_eq!(made["owner"]["id"], alice.id);
    assert_eq!(server.root().get("/user?sudo=alice").json()["id"], alice.id);
}

#[both_databases]
fn a_list_of_numbers_is_written_in_many_ways(server: &TestServer) {
    let alice = server.user("alice");
    let (one, two) = (group(&alice, "one", "public"), group(&alice, "two", "public"));
    group(&alice, "three", "public");
    for query in [
        format!("skip_groups[]={one}&skip_groups[]={two}"),
        format!("skip_groups%5B%5D={one}&skip_groups%5B%5D={two}"),
        format!("skip_groups={one}&skip_groups={two}"),
        format!("skip_groups={one},{two}"),
    ] {
        assert_eq!(names(&alice.get(&format!("/groups?{query}")).assert_status(200)), ["three"], "{query}");
    }
    alice.get("/groups?skip_groups[]=x").assert(400, parameter("skip_groups is invalid"));
}
