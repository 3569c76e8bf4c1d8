//! How often a project was fetched.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, Reply, TestServer, both_databases};

use crate::merge_request::{cast, tip};
use crate::support::*;

/// A request of version 2 of the protocol of Git.
fn ask(client: &Client, project: &str, command: &str, more: &str) -> Reply {
    let line = format!("command={command}\n");
    let body = format!("{:04x}{line}{more}0000", line.len() + 4);
    let client = client.header("git-protocol", "version=2");
    let path = format!("//{project}.git/git-upload-pack");
    client.send("POST", &path, Some("application/x-git-upload-pack-request"), body.into_bytes()).assert_status(200)
}

#[both_databases]
fn fetches_are_counted_by_day(server: &TestServer) {
    let cast = cast(server, "public");
    let project = cast.owner.get(&cast.path()).assert_status(200).json();
    let path = project["path_with_namespace"].as_str().expect("a path");
    let head = tip(&cast.owner, cast.project, "main").expect("a branch");
    let fetch = || {
        let want = format!("want {head}\n");
        let more = format!("0001{:04x}{want}0009done\n", want.len() + 4);
        let _ = ask(&server.anonymous(), path, "fetch", &more);
    };
    let found = || {
        server.flush_usage();
        cast.maintainer.get(&format!("{}/statistics", cast.path())).assert_status(200).json()
    };
    assert_eq!(found(), json!({"fetches": {"total": 0, "days": []}}));
    // To see the refs is no fetch.
    let _ = ask(&server.anonymous(), path, "ls-refs", "");
    fetch();
    fetch();
    let today = server.now().date_naive();
    assert_eq!(found(), json!({"fetches": {"total": 2, "days": [{"count": 2, "date": today.to_string()}]}}));
    server.advance(TimeDelta::days(1));
    fetch();
    let days = json!([
        {"count": 1, "date": (today + TimeDelta::days(1)).to_string()},
        {"count": 2, "date": today.to_string()},
    ]);
    assert_eq!(found(), json!({"fetches": {"total": 3, "days": days}}));
    server.advance(TimeDelta::days(29));
    assert_eq!(found()["fetches"]["total"], 1);
    server.advance(TimeDelta::days(1));
    assert_eq!(found(), json!({"fetches": {"total": 0, "days": []}}));
}

#[both_databases]
fn reporters_see_how_often_it_was_fetched(server: &TestServer) {
    let cast = cast(server, "public");
    let path = format!("{}/statistics", cast.path());
    for (role, client) in cast.everybody() {
        let may = matches!(role, "reporter" | "developer" | "maintainer" | "owner" | "admin");
        assert_eq!(client.get(&path).status(), if may { 200 } else { 403 }, "{role}");
    }
    server.anonymous().get(&path).assert(401, unauthorized());
}
