//! Links between issues.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use crate::support::*;

fn link(client: &Client, from: &str, project: i64, iid: i64, kind: &str) -> Value {
    let body = json!({"target_project_id": project, "target_issue_iid": iid, "link_type": kind});
    made(client, &format!("{from}/links"), body)
}

#[both_databases]
fn a_link_is_seen_from_both_ends(server: &TestServer) {
    let alice = server.user("alice");
    let (one, two) = (project(&alice, "one", "public"), project(&alice, "two", "public"));
    let (from, to) = (titled(&alice, one, "from"), titled(&alice, two, "to"));
    let made = made(&alice, &format!("{from}/links"), json!({"target_project_id": two, "target_issue_iid": 1}));
    assert_eq!((&made["source_issue"]["title"], &made["target_issue"]["title"]), (&json!("from"), &json!("to")));
    assert_eq!(made["link_type"], "relates_to");
    for (path, other) in [(&from, "to"), (&to, "from")] {
        let list = alice.get(&format!("{path}/links")).assert_status(200).json();
        assert_eq!(list.as_array().map(Vec::len), Some(1));
        assert_eq!((&list[0]["title"], &list[0]["link_type"]), (&json!(other), &json!("relates_to")));
        assert_has(&list[0], &["issue_link_id", "link_created_at", "link_updated_at", "iid", "project_id", "state"]);
    }
    let link = alice.get(&format!("{to}/links")).json()[0]["issue_link_id"].clone();
    let gone = alice.delete(&format!("{to}/links/{link}")).assert_status(200).json();
    assert_has(&gone, &["source_issue", "target_issue", "link_type"]);
    assert_eq!(alice.get(&format!("{from}/links")).json(), json!([]));
    alice.delete(&format!("{to}/links/{link}")).assert(404, not_found());
}

#[both_databases]
fn a_link_has_a_direction_where_its_kind_has_one(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let paths = ["a", "b", "c"].map(|title| titled(&alice, tool, title));
    assert_eq!(link(&alice, &paths[0], tool, 2, "blocks")["link_type"], "blocks");
    assert_eq!(link(&alice, &paths[0], tool, 3, "is_blocked_by")["link_type"], "is_blocked_by");
    let kinds = |path: &str| texts(&alice.get(&format!("{path}/links")), "link_type");
    assert_eq!(kinds(&paths[0]), ["blocks", "is_blocked_by"]);
    assert_eq!(kinds(&paths[1]), ["is_blocked_by"]);
    assert_eq!(kinds(&paths[2]), ["blocks"]);
}

#[both_databases]
fn each_end_notes_how_it_stands_to_the_other(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, far) = (project(&alice, "tool", "public"), project(&alice, "far", "public"));
    let from = titled(&alice, tool, "from");
    for (iid, kind, here, there) in [
        (1, "relates_to", "related to", "related to"),
        (2, "blocks", "blocking", "blocked by"),
        (3, "is_blocked_by", "blocked by", "blocking"),
    ] {
        let to = titled(&alice, far, kind);
        link(&alice, &from, far, iid, kind);
        assert_eq!(
            system_notes(&alice, &from).last(),
            Some(&format!("marked this issue as {here} far#{iid}")),
            "{kind}"
        );
        assert_eq!(system_notes(&alice, &to), [format!("marked this issue as {there} tool#1")], "{kind}");
    }
    // Nothing is written in an archived project.
    let to = titled(&alice, far, "kept");
    let _ = alice.post(&format!("/projects/{far}/archive"), json!({})).assert_status(200);
    link(&alice, &from, far, 4, "blocks");
    assert_eq!(system_notes(&alice, &from).last().map(String::as_str), Some("marked this issue as blocking far#4"));
    assert_eq!(system_notes(&alice, &to), [""; 0]);
}

#[both_databases]
fn two_issues_are_linked_once(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let (one, two) = (titled(&alice, tool, "a"), titled(&alice, tool, "b"));
    link(&alice, &one, tool, 2, "relates_to");
    for (from, to) in [(&one, 2), (&two, 1)] {
        for kind in ["relates_to", "blocks"] {
            let body = json!({"target_project_id": tool, "target_issue_iid": to, "link_type": kind});
            let _ = alice.post(&format!("{from}/links"), body).assert_status(409);
        }
    }
    let itself = alice.post(&format!("{one}/links"), json!({"target_project_id": tool, "target_issue_iid": 1}));
    assert!(matches!(itself.status(), 400 | 409), "{}", itself.text());
    assert_eq!(alice.get(&format!("{one}/links")).header("x-total"), "1");
}

#[both_databases]
fn every_refusal_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let links = format!("{}/links", titled(&alice, tool, "a"));
    alice.post(&links, json!({})).assert(400, parameter("target_project_id is missing, target_issue_iid is missing"));
    alice
        .post(&links, json!({"target_project_id": tool, "target_issue_iid": "x"}))
        .assert(400, parameter("target_issue_iid is invalid"));
    let odd = json!({"target_project_id": tool, "target_issue_iid": 1, "link_type": "hates"});
    alice.post(&links, odd).assert(400, parameter("link_type does not have a valid value"));
    let _ = alice.post(&links, json!({"target_project_id": tool, "target_issue_iid": 9})).assert_status(404);
    let _ = alice.post(&links, json!({"target_project_id": 999_999, "target_issue_iid": 1})).assert_status(404);
    server
        .anonymous()
        .post(&links, json!({"target_project_id": tool, "target_issue_iid": 1}))
        .assert(401, unauthorized());
    server.anonymous().get(&links).assert(401, unauthorized());
    // A path serves as well as an id.
    titled(&alice, tool, "b");
    made(&alice, &links, json!({"target_project_id": "alice/tool", "target_issue_iid": 2}));
}

#[both_databases]
fn links_are_made_by_reporters(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let from = titled(&cast.owner, cast.project, "from");
    for (role, client) in cast.everybody() {
        let to = titled(&cast.owner, cast.project, role);
        let iid: i64 = to.rsplit('/').next().expect("a number").parse().expect("a number");
        let status = client
            .post(&format!("{from}/links"), json!({"target_project_id": cast.project, "target_issue_iid": iid}))
            .status();
        assert_eq!(status, if matches!(role, "stranger" | "guest") { 403 } else { 201 }, "{role}");
    }
    let one = cast.owner.get(&format!("{from}/links")).json()[0]["issue_link_id"].clone();
    cast.guest.delete(&format!("{from}/links/{one}")).assert(403, forbidden());
}

#[both_databases]
fn the_other_end_is_shown_to_those_who_see_it(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let hidden = project(&cast.owner, "hidden", "private");
    titled(&cast.owner, hidden, "secret one");
    let path = titled(&cast.owner, cast.project, "open");
    issue(&cast.owner, cast.project, json!({"title": "secret two", "confidential": true}));
    titled(&cast.owner, cast.project, "open as well");
    link(&cast.owner, &path, hidden, 1, "relates_to");
    link(&cast.owner, &path, cast.project, 2, "blocks");
    link(&cast.owner, &path, cast.project, 3, "relates_to");
    let links = format!("{path}/links");
    for (client, want) in [
        (&cast.stranger, vec!["open as well"]),
        (&cast.guest, vec!["open as well"]),
        (&cast.reporter, vec!["secret two", "open as well"]),
        (&cast.owner, vec!["secret one", "secret two", "open as well"]),
    ] {
        let reply = client.get(&links);
        assert_eq!(
            (texts(&reply, "title"), reply.header("x-total")),
            (want.iter().map(ToString::to_string).collect(), want.len().to_string())
        );
        let notes = client.get(&format!("{path}/notes"));
        assert_eq!(notes.text().contains("hidden"), client.username == "owner", "{}", client.username);
        assert_eq!(notes.text().contains("#2"), want.contains(&"secret two"), "{}: {}", client.username, notes.text());
    }
    // A link that cannot be seen cannot be taken away.
    let first = cast.owner.get(&links).json()[0]["issue_link_id"].clone();
    cast.reporter.delete(&format!("{links}/{first}")).assert(404, not_found());
}
