//! The forms in which existing clients send parameters and credentials.

use serde_json::{Value, json};
use tenon_testkit::{Client, on_both};

use crate::support::*;

fn send(client: &Client, method: &str, path: &str, kind: &str, body: &str) -> tenon_testkit::Reply {
    client.send(method, path, Some(kind), body.as_bytes().to_vec())
}

on_both! {
    fn a_token_is_taken_from_every_place(server) {
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
            let made = anonymous.form("POST", "/projects", &format!("name={name}&{name}={}", alice.token)).assert_status(201);
            assert_eq!(made.json()["creator_id"], alice.id);
        }
        anonymous.header("Authorization", "Basic cm9vdDpyb290").get("/user").assert(401, unauthorized());
        let _ = anonymous.header("Authorization", "Basic cm9vdDpyb290").get("/projects").assert_status(200);
    }

    fn truth_is_written_in_many_ways(server) {
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
        let _ = alice.post("/projects", json!({"name": "x", "wiki_enabled": 1, "issues_enabled": "False"})).assert_status(201);
    }

    fn a_read_may_announce_a_body_that_is_not_there(server) {
        for kind in ["application/json", "application/x-www-form-urlencoded", "text/xml"] {
            let _ = send(&server.root(), "GET", "/projects", kind, "").assert_status(200);
            let _ = send(&server.root(), "GET", "/user", kind, "").assert_status(200);
        }
        let _ = send(&server.root(), "POST", "/projects/999999/star", "application/json", "").assert_status(404);
    }

    fn bodies_are_read_by_their_type(server) {
        let root = server.root();
        let made = send(&root, "POST", "/projects", "application/json; charset=utf-8", r#"{"name":"a"}"#).assert_status(201);
        assert_eq!(made.json()["name"], "a");
        let _ = send(&root, "POST", "/projects?name=b", "application/json", "[1]").assert_status(201);
        let _ = send(&root, "POST", "/projects?name=c", "text/plain", "name=d").assert_status(201);
        let broken = send(&root, "POST", "/projects", "application/json", "{\"name\":").assert_status(400);
        assert!(broken.json()["error"].as_str().is_some_and(|text| text.contains("message body does not match declared format")), "{}", broken.text());
        send(&root, "POST", "/projects", "text/xml", "<a/>").assert(415, json!({"error": "The provided content-type 'text/xml' is not supported."}));
        let over = send(&root, "POST", "/projects?name=from-query", "application/json", r#"{"name":"from-body"}"#).assert_status(201);
        assert_eq!(over.json()["name"], "from-body");
        let path = format!("/projects/{}", id(&over.json()));
        let kept = root.put(&path, json!({"id": 1, "description": "d"})).assert_status(200).json();
        assert_eq!(kept["id"], over.json()["id"]);
    }

    fn unknown_parameters_are_ignored(server) {
        let _ = server.root().get("/projects?all=True&as_list=False&iterator=1&foo[bar][]=1").assert_status(200);
        let _ = server.root().get("/user?per_page=100&page=2").assert_status(200);
        let _ = server.root().post("/projects", json!({"name": "x", "nonsense": {"a": [1]}})).assert_status(201);
    }

    fn null_is_like_nothing(server) {
        let alice = server.user("alice");
        let body = json!({"name": "t", "scopes": ["api"], "expires_at": null, "description": null});
        assert_eq!(made(&server.root(), &format!("/users/{}/personal_access_tokens", alice.id), body)["expires_at"], Value::Null);
        let _ = alice.post("/projects", json!({"name": "x", "namespace_id": null, "visibility": null, "wiki_enabled": null})).assert_status(201);
        let _ = alice.get("/projects?order_by=&sort=&visibility=&search=&min_access_level=").assert_status(200);
    }

    fn sudo_goes_in_the_query_of_any_request(server) {
        let alice = server.user("alice");
        let made = made(&server.root(), &format!("/projects?sudo={}", alice.id), json!({"name": "one"}));
        assert_eq!(made["owner"]["id"], alice.id);
        assert_eq!(server.root().get("/user?sudo=alice").json()["id"], alice.id);
    }

    fn a_list_of_numbers_is_written_in_many_ways(server) {
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
}
