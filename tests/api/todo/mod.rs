//! To-do lists.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, User, both_databases};

use crate::support::*;

/// Bob's entries: assigned by alice in `tool`, mentioned by carl in `tool`, marked in `other`, and one done.
struct Scene {
    bob: User,
    alice: User,
    carl: User,
    team: i64,
    tool: i64,
}

impl Scene {
    fn of(server: &TestServer) -> Self {
        let (alice, bob, carl) = (server.user("alice"), server.user("bob"), server.user("carl"));
        let team = group(&alice, "team", "public");
        let below = subgroup(&alice, team, "below", "public");
        let (tool, other) = (project_in(&alice, below, "tool", "public"), project(&alice, "other", "public"));
        issue(&alice, tool, json!({"title": "assigned", "assignee_ids": [bob.id]}));
        issue(&carl, tool, json!({"title": "mentioned", "description": "ask @bob"}));
        let marked = titled(&alice, other, "marked");
        let _ = bob.post(&format!("{marked}/todo"), json!({})).assert_status(200);
        issue(&alice, other, json!({"title": "done", "description": "@bob look"}));
        let last = ids(&bob.get("/todos"))[0];
        let _ = bob.post(&format!("/todos/{last}/mark_as_done"), json!({})).assert_status(201);
        Self { bob, alice, carl, team, tool }
    }

    /// The titles of the entries, newest first.
    fn list(&self, query: &str) -> Vec<String> {
        let reply = self.bob.get(&format!("/todos?{query}")).assert_status(200);
        let targets = reply.each("target");
        assert_eq!(reply.header("x-total"), targets.len().to_string());
        targets.iter().map(|target| target["title"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

#[both_databases]
fn entries_are_listed_newest_first_and_narrowed(server: &TestServer) {
    let scene = Scene::of(server);
    let by = |name: &str, id: i64| format!("{name}={id}");
    for (query, want) in [
        (String::new(), vec!["marked", "mentioned", "assigned"]),
        ("state=pending".to_owned(), vec!["marked", "mentioned", "assigned"]),
        ("state=done".to_owned(), vec!["done"]),
        ("action=assigned".to_owned(), vec!["assigned"]),
        ("action=mentioned".to_owned(), vec!["mentioned"]),
        ("action=marked".to_owned(), vec!["marked"]),
        ("action=directly_addressed".to_owned(), vec![]),
        ("action=directly_addressed&state=done".to_owned(), vec!["done"]),
        ("action=build_failed".to_owned(), vec![]),
        ("action=whatever".to_owned(), vec!["marked", "mentioned", "assigned"]),
        ("type=Issue".to_owned(), vec!["marked", "mentioned", "assigned"]),
        ("type=MergeRequest".to_owned(), vec![]),
        ("type=Whatever".to_owned(), vec!["marked", "mentioned", "assigned"]),
        (by("author_id", scene.alice.id), vec!["assigned"]),
        (by("author_id", scene.carl.id), vec!["mentioned"]),
        (by("author_id", scene.bob.id), vec!["marked"]),
        (by("project_id", scene.tool), vec!["mentioned", "assigned"]),
        (by("group_id", scene.team), vec!["mentioned", "assigned"]),
        (format!("project_id={}&action=assigned&author_id={}", scene.tool, scene.alice.id), vec!["assigned"]),
        (format!("project_id={}&author_id={}", scene.tool, scene.bob.id), vec![]),
    ] {
        assert_eq!(scene.list(&query), want, "{query}");
    }
    for unknown in ["author_id", "project_id", "group_id"] {
        scene.bob.get(&format!("/todos?{unknown}=999999")).assert(404, not_found());
        scene.bob.get(&format!("/todos?{unknown}=x")).assert(400, parameter(&format!("{unknown} is invalid")));
    }
    scene.bob.get("/todos?state=x").assert(400, parameter("state does not have a valid value"));
    let page = scene.bob.get("/todos?per_page=1&page=2");
    assert_eq!((page.each("target")[0]["title"].clone(), page.header("x-total")), (json!("mentioned"), "3".to_owned()));
    assert_eq!(scene.alice.get("/todos").json(), json!([]));
    server.anonymous().get("/todos").assert(401, unauthorized());
}

#[both_databases]
fn an_entry_is_dealt_with_once_and_by_its_owner(server: &TestServer) {
    let scene = Scene::of(server);
    let one = ids(&scene.bob.get("/todos"))[0];
    let path = format!("/todos/{one}/mark_as_done");
    scene.alice.post(&path, json!({})).assert(404, not_found());
    server.root().post(&path, json!({})).assert(404, not_found());
    server.anonymous().post(&path, json!({})).assert(401, unauthorized());
    for _ in 0..2 {
        let done = scene.bob.post(&path, json!({})).assert_status(201).json();
        assert_eq!(
            (&done["id"], &done["state"], &done["target"]["title"]),
            (&json!(one), &json!("done"), &json!("marked"))
        );
    }
    assert_eq!(scene.list(""), ["mentioned", "assigned"]);
    scene.bob.post("/todos/999999/mark_as_done", json!({})).assert(404, not_found());
}

#[both_databases]
fn all_entries_or_some_are_dealt_with_together(server: &TestServer) {
    let scene = Scene::of(server);
    let tool = json!({"project_id": scene.tool, "action": "assigned"});
    let reply = scene.bob.post("/todos/mark_as_done", tool).assert_status(204);
    assert_eq!(reply.text(), "");
    assert_eq!(scene.list(""), ["marked", "mentioned"]);
    issue(&scene.bob, scene.tool, json!({"title": "hers", "description": "@alice"}));
    let _ = scene.bob.post("/todos/mark_as_done", json!({})).assert_status(204);
    assert_eq!(scene.list(""), [""; 0]);
    assert_eq!(scene.list("state=done").len(), 4);
    assert_eq!(scene.alice.get("/todos").header("x-total"), "1");
    scene.bob.post("/todos/mark_as_done", json!({"group_id": 999_999})).assert(404, not_found());
    server.anonymous().post("/todos/mark_as_done", json!({})).assert(401, unauthorized());
}

#[both_databases]
fn who_assigns_himself_has_something_to_do(server: &TestServer) {
    let alice = server.user("alice");
    issue(&alice, project(&alice, "tool", "public"), json!({"title": "t", "assignee_ids": [alice.id]}));
    assert_eq!(texts(&alice.get("/todos"), "action_name"), ["assigned"]);
}

#[both_databases]
fn one_pending_entry_for_an_issue_is_enough(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = issue(
        &alice,
        project(&alice, "tool", "public"),
        json!({"title": "t", "assignee_ids": [bob.id], "description": "@bob"}),
    );
    comment(&alice, &path, "@bob again");
    assert_eq!(bob.get("/todos").header("x-total"), "1");
}

#[both_databases]
fn who_loses_access_loses_the_entry(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "private");
    member(&alice, &format!("/projects/{tool}"), bob.id, 20);
    issue(&alice, tool, json!({"title": "t", "assignee_ids": [bob.id], "confidential": true}));
    assert_eq!(bob.get("/todos").header("x-total"), "1");
    let _ = alice.delete(&format!("/projects/{tool}/members/{}", bob.id)).assert_status(204);
    server.run_jobs();
    let reply = bob.get("/todos");
    assert_eq!((reply.json(), reply.header("x-total")), (json!([]), "0".to_owned()));
}

#[both_databases]
fn an_entry_shows_nothing_to_who_lost_access(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let path = issue(&cast.owner, cast.project, json!({"title": "title", "description": "@guest"}));
    let todo = ids(&cast.guest.get("/todos"))[0];
    changed(&cast.owner, &path, json!({"title": "later", "confidential": true}));
    for gone in [false, true] {
        if gone {
            let _ = cast.owner.delete(&format!("{}/members/{}", cast.path(), cast.guest.id)).assert_status(204);
        }
        let late = cast.guest.post(&format!("/todos/{todo}/mark_as_done"), json!({}));
        assert!(!late.text().contains("later"), "{}", late.text());
        late.assert(404, not_found());
    }
}

#[both_databases]
fn what_ended_with_access_does_not_come_back_with_it(server: &TestServer) {
    let scene = Ending::of(server);
    let members = format!("/projects/{}/members", scene.tool);
    scene.enter(&members, 20);
    let _ = scene.alice.delete(&format!("{members}/{}", scene.bob.id)).assert_status(204);
    member(&scene.alice, &format!("/projects/{}", scene.tool), scene.bob.id, 20);
    scene.assert_over("removed");
    // A lower level hides confidential issues.
    let secret =
        issue(&scene.alice, scene.tool, json!({"title": "secret", "confidential": true, "description": "@bob"}));
    assert_eq!(scene.bob.get("/todos").header("x-total"), "1");
    for level in [10, 20] {
        changed(&scene.alice, &format!("{members}/{}", scene.bob.id), json!({"access_level": level}));
    }
    scene.assert_over(&secret);
}

#[both_databases]
fn leaving_a_group_ends_what_was_kept_below_it(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "private");
    let below = subgroup(&alice, team, "below", "private");
    let scene = Ending::in_project(alice, bob, |alice| project_in(alice, below, "tool", "private"));
    scene.enter(&format!("/groups/{team}/members"), 20);
    let _ = scene.bob.delete(&format!("/groups/{team}/members/{}", scene.bob.id)).assert_status(204);
    member(&scene.alice, &format!("/groups/{team}"), scene.bob.id, 20);
    scene.assert_over("left");
}

#[both_databases]
fn a_share_that_ends_ends_what_was_kept_through_it(server: &TestServer) {
    let scene = Ending::of(server);
    let friends = group(&scene.alice, "friends", "private");
    member(&scene.alice, &format!("/groups/{friends}"), scene.bob.id, 30);
    let share = || {
        made(&scene.alice, &format!("/projects/{}/share", scene.tool), json!({"group_id": friends, "group_access": 20}))
    };
    share();
    scene.follow();
    let _ = scene.alice.delete(&format!("/projects/{}/share/{friends}", scene.tool)).assert_status(204);
    server.run_jobs();
    share();
    scene.assert_over("unshared");
}

#[both_databases]
fn a_project_that_is_closed_ends_what_strangers_followed_there_and_in_its_forks(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let scene = Ending::in_project(alice, bob, |alice| project(alice, "tool", "public"));
    scene.follow();
    let fork = id(&made(&server.user("carl"), &format!("/projects/{}/fork", scene.tool), json!({})));
    let root = server.root();
    let forked = titled(&root, fork, "forked");
    let _ = scene.bob.post(&format!("{forked}/todo"), json!({})).assert_status(200);
    for visibility in ["private", "public"] {
        changed(&scene.alice, &format!("/projects/{}", scene.tool), json!({"visibility": visibility}));
        server.run_jobs();
    }
    changed(&root, &format!("/projects/{fork}"), json!({"visibility": "public"}));
    scene.assert_over("closed");
}

#[both_databases]
fn an_issue_that_becomes_confidential_leaves_the_lists_of_others(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    let path = titled(&alice, tool, "open");
    let _ = bob.post(&format!("{path}/todo"), json!({})).assert_status(200);
    for confidential in [true, false] {
        changed(&alice, &path, json!({"confidential": confidential}));
        server.run_jobs();
    }
    assert_eq!(bob.get("/todos").header("x-total"), "0");
}

#[both_databases]
fn what_is_still_seen_stays_and_an_expired_membership_shows_nothing(server: &TestServer) {
    let scene = Ending::of(server);
    let open = titled(&scene.alice, project(&scene.alice, "open", "public"), "open");
    let _ = scene.bob.post(&format!("{open}/todo"), json!({})).assert_status(200);
    let _ = scene.bob.post(&format!("{open}/subscribe"), json!({})).assert_status(200);
    let members = format!("/projects/{}/members", scene.tool);
    made(&scene.alice, &members, json!({"user_id": scene.bob.id, "access_level": 20, "expires_at": "2026-03-04"}));
    scene.follow();
    server.advance(TimeDelta::days(3));
    assert_eq!(texts_of(&scene.bob), ["open"]);
    let _ = scene.alice.delete(&format!("{members}/{}", scene.bob.id)).assert_status(204);
    member(&scene.alice, &format!("/projects/{}", scene.tool), scene.bob.id, 20);
    assert_eq!(texts_of(&scene.bob), ["open"]);
    assert_eq!(scene.bob.get(&open).json()["subscribed"], true);
}

#[both_databases]
fn what_is_switched_off_for_a_while_is_not_forgotten(server: &TestServer) {
    let scene = Ending::of(server);
    let tool = format!("/projects/{}", scene.tool);
    scene.enter(&format!("{tool}/members"), 30);
    let before = texts_of(&scene.bob);
    assert!(!before.is_empty());
    changed(&scene.alice, &tool, json!({"issues_enabled": false}));
    assert!(texts_of(&scene.bob).is_empty());
    changed(&scene.alice, &format!("{tool}/members/{}", scene.bob.id), json!({"access_level": 20}));
    changed(&scene.alice, &tool, json!({"issues_enabled": true}));
    assert_eq!(texts_of(&scene.bob), before);
}

/// The titles of the items on a list.
fn texts_of(user: &User) -> Vec<String> {
    let targets = user.get("/todos").assert_status(200).each("target");
    targets.iter().map(|target| target["title"].as_str().unwrap_or_default().to_owned()).collect()
}

/// An issue and a label of alice's that bob follows while he sees them.
struct Ending {
    alice: User,
    bob: User,
    tool: i64,
    issue: String,
    label: i64,
}

impl Ending {
    fn of(server: &TestServer) -> Self {
        Self::in_project(server.user("alice"), server.user("bob"), |alice| project(alice, "tool", "private"))
    }

    fn in_project(alice: User, bob: User, tool: impl FnOnce(&User) -> i64) -> Self {
        let tool = tool(&alice);
        let issue = titled(&alice, tool, "followed");
        let label = label(&alice, &format!("/projects/{tool}"), "bug");
        Self { alice, bob, tool, issue, label }
    }

    /// Makes bob a member by a path such as `/projects/7/members`, and lets him follow.
    fn enter(&self, members: &str, level: i64) {
        made(&self.alice, members, json!({"user_id": self.bob.id, "access_level": level}));
        self.follow();
    }

    /// Puts the issue on bob's list, and subscribes him to it and to the label.
    fn follow(&self) {
        let _ = self.bob.post(&format!("{}/todo", self.issue), json!({})).assert_status(200);
        let _ = self.bob.post(&format!("{}/subscribe", self.issue), json!({})).assert_status(200);
        let _ = self.bob.post(&format!("{}/subscribe", self.label_path()), json!({})).assert_status(201);
        assert!(texts_of(&self.bob).contains(&"followed".to_owned()));
    }

    fn label_path(&self) -> String {
        format!("/projects/{}/labels/{}", self.tool, self.label)
    }

    /// Nothing is kept for bob, although he sees it all again.
    #[track_caller]
    fn assert_over(&self, how: &str) {
        assert_eq!(texts_of(&self.bob), [""; 0], "{how}");
        assert_eq!(self.bob.get(&self.issue).assert_status(200).json()["subscribed"], false, "{how}");
        let label = self.bob.get(&self.label_path()).assert_status(200).json();
        assert_eq!(label["subscribed"], false, "{how}");
    }
}
