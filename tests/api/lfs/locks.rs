//! Locks of paths.

use serde_json::{Value, json};
use tenon_testkit::{Client, Reply, TestServer, both_databases};

use super::{at, lfs, said};
use crate::support::*;

fn lock(client: &Client, path: &str) -> Reply {
    client.post(&at("owner/tool", "locks"), json!({"path": path}))
}

fn unlock(client: &Client, lock: &Value, force: bool) -> Reply {
    let id = lock["id"].as_str().expect("an id");
    client.post(&at("owner/tool", &format!("locks/{id}/unlock")), json!({"force": force}))
}

fn paths(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().filter_map(|lock| lock["path"].as_str()).collect()
}

#[both_databases]
fn a_path_is_locked_by_one_user(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let [developer, maintainer, reporter] =
        [&cast.developer, &cast.maintainer, &cast.reporter].map(|user| lfs(server, &user.token));
    let made = lock(&developer, "art/logo.psd").assert_status(201).json()["lock"].clone();
    assert_eq!((&made["path"], &made["owner"]), (&json!("art/logo.psd"), &json!({"name": "developer"})));
    assert!(made["id"].is_string() && made["locked_at"].as_str().is_some_and(|at| at.ends_with('Z')), "{made}");
    for client in [&developer, &maintainer] {
        let again = lock(client, "art/logo.psd").assert_status(409).json();
        assert_eq!((&again["lock"], &again["message"]), (&made, &json!("already locked")));
    }
    let _ = lock(&reporter, "a").assert_status(403);
    let other = lock(&maintainer, "b").assert_status(201).json()["lock"].clone();

    let list = |query: &str| reporter.get(&at("owner/tool", &format!("locks{query}"))).assert_status(200).json();
    assert_eq!(list("")["locks"], json!([made, other]));
    assert_eq!(list("?path=b")["locks"], json!([other]));
    assert_eq!(list(&format!("?id={}", made["id"].as_str().unwrap_or_default()))["locks"], json!([made]));
    for query in ["?path=none", "?id=x", "?id=99999"] {
        assert_eq!(list(query), json!({"locks": []}), "{query}");
    }
    let first = list("?limit=1");
    assert_eq!(paths(&first["locks"]), ["art/logo.psd"]);
    let next = first["next_cursor"].as_str().expect("more");
    assert_eq!(list(&format!("?limit=1&cursor={next}")), json!({"locks": [other]}));
    let verified = developer.post(&at("owner/tool", "locks/verify"), json!({})).assert_status(200).json();
    assert_eq!((paths(&verified["ours"]), paths(&verified["theirs"])), (vec!["art/logo.psd"], vec!["b"]));
    let _ = reporter.post(&at("owner/tool", "locks/verify"), json!({})).assert_status(403);

    unlock(&maintainer, &made, false).assert(403, said(server, "art/logo.psd is locked by developer"));
    let only = "You must have maintainer access to force delete a lock";
    unlock(&developer, &other, true).assert(403, said(server, only));
    assert_eq!(unlock(&maintainer, &made, true).assert_status(200).json(), json!({"lock": made}));
    unlock(&developer, &made, false).assert(404, said(server, "Lock not found"));
    let _ = unlock(&maintainer, &other, false).assert_status(200);
    assert_eq!(list(""), json!({"locks": []}));
}

#[both_databases]
fn a_lock_belongs_to_one_project(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let made = lock(&lfs(server, &cast.owner.token), "a").assert_status(201).json()["lock"].clone();
    let _ = project(&cast.stranger, "own", "private");
    let stranger = lfs(server, &cast.stranger.token);
    let id = made["id"].as_str().unwrap_or_default();
    for project in ["stranger/own", "owner/tool"] {
        let path = at(project, &format!("locks/{id}/unlock"));
        let _ = stranger.post(&path, json!({"force": true})).assert_status(404);
    }
    assert_eq!(stranger.get(&at("stranger/own", "locks")).json(), json!({"locks": []}));
}

#[both_databases]
fn paths_that_name_no_file_are_not_locked(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let owner = lfs(server, &cast.owner.token);
    for path in ["", "/a", "a/", "../a", "a//b", "a\u{0}b", &"x".repeat(1025)] {
        lock(&owner, path).assert(422, said(server, "The path cannot be locked."));
    }
    for body in [json!({}), json!({"path": 1}), json!([])] {
        let _ = owner.post(&at("owner/tool", "locks"), body).assert_status(422);
    }
    let _ = owner.post(&at("owner/tool", "locks/x/unlock"), json!({})).assert_status(404);
}
