//! Namespaces.

use serde_json::json;
use tenon_testkit::{Multipart, TestServer, both_databases};

use crate::support::*;

const FIELDS: [&str; 6] = ["id", "name", "path", "kind", "full_path", "parent_id"];

#[both_databases]
fn callers_see_their_own_namespaces(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    let below = subgroup(&alice, team, "below", "public");
    member(&alice, &format!("/groups/{below}"), bob.id, 10);
    let own = alice.get("/namespaces").assert_status(200);
    assert_eq!(texts(&own, "full_path"), ["alice", "team", "team/below"]);
    assert_eq!(texts(&own, "kind"), ["user", "group", "group"]);
    assert_has(&own.json()[0], &FIELDS);
    assert!(ids(&own).is_sorted());
    assert_eq!(texts(&bob.get("/namespaces"), "full_path"), ["bob", "team/below"]);
    assert_eq!(server.root().get("/namespaces").header("x-total"), "5");
    server.anonymous().get("/namespaces").assert(401, unauthorized());
    assert_eq!(texts(&alice.get("/namespaces?search=TEAM"), "path"), ["team"]);
    assert_eq!(alice.get("/namespaces?search=te").json(), json!([]));
}

#[both_databases]
fn a_namespace_is_found_by_id_and_by_path(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    subgroup(&alice, team, "below", "public");
    for path in [team.to_string(), "team".to_owned(), "TEAM".to_owned(), "team%2Fbelow".to_owned(), "alice".to_owned()]
    {
        assert_has(&alice.get(&format!("/namespaces/{path}")).assert_status(200).json(), &FIELDS);
        let _ = server.root().get(&format!("/namespaces/{path}")).assert_status(200);
        bob.get(&format!("/namespaces/{path}")).assert(404, missing("Namespace"));
    }
    alice.get("/namespaces/999999").assert(404, missing("Namespace"));
    alice.get("/namespaces/bob").assert(404, missing("Namespace"));
    let shown = alice.get("/namespaces/team%2Fbelow").json();
    assert_eq!(
        (&shown["kind"], &shown["parent_id"], &shown["full_path"]),
        (&json!("group"), &json!(team), &json!("team/below"))
    );
}

#[both_databases]
fn only_owners_see_how_many_belong_to_a_group(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    member(&alice, &format!("/groups/{team}"), bob.id, 40);
    let path = format!("/namespaces/{team}");
    assert_eq!(alice.get(&path).json()["members_count_with_descendants"], 2);
    assert_lacks(&bob.get(&path).json(), &["members_count_with_descendants"]);
    assert_lacks(&alice.get("/namespaces/alice").json(), &["members_count_with_descendants"]);
}

#[both_databases]
fn whether_a_path_is_taken_can_be_asked(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "private");
    subgroup(&alice, team, "below", "private");
    let exists = |path: &str| alice.get(path).assert_status(200).json()["exists"].clone();
    assert_eq!(
        [exists("/namespaces/TEAM/exists"), exists("/namespaces/free/exists"), exists("/namespaces/below/exists")],
        [json!(true), json!(false), json!(false)]
    );
    assert_eq!(exists(&format!("/namespaces/below/exists?parent_id={team}")), true);
    assert!(alice.get("/namespaces/team/exists").json()["suggests"].as_array().is_some_and(|names| !names.is_empty()));
}

#[both_databases]
fn a_namespace_shows_its_picture(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    let tool = project_in(&alice, team, "tool", "public");
    let own = project(&alice, "own", "public");
    let avatar = |path: &str| alice.get(path).assert_status(200).json()["namespace"]["avatar_url"].clone();
    for path in [format!("/projects/{tool}"), format!("/projects/{own}")] {
        assert_eq!(avatar(&path), alice.get(&path).json()["owner"].get("avatar_url").cloned().unwrap_or_default());
    }
    let picture = Multipart::default().file("avatar", "a.png", PIXEL);
    let group = alice.multipart("PUT", &format!("/groups/{team}"), &picture).assert_status(200).json();
    let user = server.root().multipart("PUT", &format!("/users/{}", alice.id), &picture).assert_status(200).json();
    for (path, want) in
        [(format!("/projects/{tool}"), &group["avatar_url"]), (format!("/projects/{own}"), &user["avatar_url"])]
    {
        assert!(want.is_string(), "{want}");
        assert_eq!(&avatar(&path), want);
        assert_eq!(&server.anonymous().get(&path).json()["namespace"]["avatar_url"], want);
    }
    let listed = alice.get("/namespaces").assert_status(200);
    assert_eq!(listed.each("avatar_url"), [user["avatar_url"].clone(), group["avatar_url"].clone()]);
    assert_has(&alice.get("/namespaces/team").json(), &["avatar_url", "web_url"]);
}
