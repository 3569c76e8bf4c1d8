//! To-do lists (reference: section 5).

use serde_json::json;
use tenon_testkit::{TestServer, User, on_both};

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

on_both! {
    fn entries_are_listed_newest_first_and_narrowed(server) {
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

    fn an_entry_is_dealt_with_once_and_by_its_owner(server) {
        let scene = Scene::of(server);
        let one = ids(&scene.bob.get("/todos"))[0];
        let path = format!("/todos/{one}/mark_as_done");
        scene.alice.post(&path, json!({})).assert(404, not_found());
        server.root().post(&path, json!({})).assert(404, not_found());
        server.anonymous().post(&path, json!({})).assert(401, unauthorized());
        for _ in 0..2 {
            let done = scene.bob.post(&path, json!({})).assert_status(201).json();
            assert_eq!((&done["id"], &done["state"], &done["target"]["title"]), (&json!(one), &json!("done"), &json!("marked")));
        }
        assert_eq!(scene.list(""), ["mentioned", "assigned"]);
        scene.bob.post("/todos/999999/mark_as_done", json!({})).assert(404, not_found());
    }

    fn all_entries_or_some_are_dealt_with_together(server) {
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

    fn who_assigns_himself_has_something_to_do(server) {
        let alice = server.user("alice");
        issue(&alice, project(&alice, "tool", "public"), json!({"title": "t", "assignee_ids": [alice.id]}));
        assert_eq!(texts(&alice.get("/todos"), "action_name"), ["assigned"]);
    }

    fn one_pending_entry_for_an_issue_is_enough(server) {
        let (alice, bob) = (server.user("alice"), server.user("bob"));
        let path = issue(&alice, project(&alice, "tool", "public"), json!({"title": "t", "assignee_ids": [bob.id], "description": "@bob"}));
        comment(&alice, &path, "@bob again");
        assert_eq!(bob.get("/todos").header("x-total"), "1");
    }

    fn who_loses_access_loses_the_entry(server) {
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

    /// Case 6.
    fn an_entry_shows_nothing_to_who_lost_access(server) {
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
}
