//! The order in which users put issues.

use serde_json::json;
use tenon_testkit::{Client, TestServer, both_databases};

use super::Scene;
use crate::support::*;

/// The numbers of a project's issues in the order of users.
fn order(client: &Client, project: i64) -> Vec<i64> {
    let list = format!("/projects/{project}/issues?order_by=relative_position");
    let numbers = |query: &str| -> Vec<i64> {
        let found = client.get(&format!("{list}&{query}")).assert_status(200).each("iid");
        found.iter().map(|iid| iid.as_i64().expect("a number")).collect()
    };
    let all = numbers("per_page=100");
    let by_page: Vec<i64> =
        (1..=all.len().div_ceil(3)).flat_map(|page| numbers(&format!("per_page=3&page={page}"))).collect();
    assert_eq!(by_page, all, "pages do not overlap");
    assert_eq!(numbers("per_page=100&sort=asc"), all, "there is one direction");
    all
}

/// Makes so many issues, and yields their ids by their numbers, from 1 on.
fn issues(client: &Client, project: i64, count: i64) -> impl Fn(i64) -> i64 + use<> {
    let path = format!("/projects/{project}/issues");
    let ids: Vec<i64> =
        (1..=count).map(|number| id(&made(client, &path, json!({"title": format!("Issue {number}")})))).collect();
    move |iid| ids[usize::try_from(iid).expect("a number") - 1]
}

#[both_databases]
fn an_issue_is_put_before_behind_and_between_others(server: &TestServer) {
    let scene = Scene::of(server);
    let of = issues(&scene.alice, scene.project, 5);
    let place = |iid: i64| format!("/projects/{}/issues/{iid}/reorder", scene.project);
    assert_eq!(order(&scene.alice, scene.project), [5, 4, 3, 2, 1]);
    for (moved, before, after, want) in [
        (1, Some(4), None, [5, 4, 1, 3, 2]),
        (5, None, Some(2), [4, 1, 3, 5, 2]),
        (2, Some(4), Some(1), [4, 2, 1, 3, 5]),
        // Whichever of the two comes first.
        (5, Some(1), Some(2), [4, 2, 5, 1, 3]),
        (3, None, Some(4), [3, 4, 2, 5, 1]),
        (3, Some(1), None, [4, 2, 5, 1, 3]),
        // Beside itself it stays.
        (3, Some(3), None, [4, 2, 5, 1, 3]),
    ] {
        let body = json!({"move_before_id": before.map(&of), "move_after_id": after.map(&of)});
        let moved = changed(&scene.alice, &place(moved), body);
        assert_eq!(moved["title"].as_str().map(|title| title.starts_with("Issue")), Some(true));
        assert_eq!(order(&scene.alice, scene.project), want);
    }
    issue(&scene.alice, scene.project, json!({"title": "New"}));
    assert_eq!(order(&scene.alice, scene.project), [6, 4, 2, 5, 1, 3], "newer ones come first");
}

#[both_databases]
fn there_is_always_room_between_two_issues(server: &TestServer) {
    let scene = Scene::of(server);
    let of = issues(&scene.alice, scene.project, 3);
    // Halves the room between two of them until there is none, many times over.
    for number in 0..70 {
        let (moved, other) = if number % 2 == 0 { (1, 2) } else { (2, 1) };
        let body = json!({"move_before_id": of(3), "move_after_id": of(other)});
        changed(&scene.alice, &format!("/projects/{}/issues/{moved}/reorder", scene.project), body);
        assert_eq!(order(&scene.alice, scene.project), [3, moved, other]);
    }
    for number in 0..70 {
        let (moved, other) = if number % 2 == 0 { (1, 2) } else { (2, 1) };
        let body = json!({"move_before_id": of(other)});
        changed(&scene.alice, &format!("/projects/{}/issues/{moved}/reorder", scene.project), body);
        assert_eq!(order(&scene.alice, scene.project), [3, other, moved]);
    }
}

#[both_databases]
fn a_crowd_of_moved_issues_keeps_its_order_when_room_is_made(server: &TestServer) {
    let scene = Scene::of(server);
    let of = issues(&scene.alice, scene.project, 60);
    // All of them lie without any room between them, directly behind the newest.
    for (iid, position) in (1..60).rev().zip(1_i64..) {
        server.database().execute(&format!(
            "INSERT INTO issue_positions (issuable_id, position) VALUES ({}, {} * -16777216 + {position} * 2 - 1)",
            of(iid),
            of(60),
        ));
    }
    let mut want: Vec<i64> = (1..=60).rev().collect();
    assert_eq!(order(&scene.alice, scene.project), want);
    for (moved, before) in [(1, 60), (2, 30), (60, 3), (30, 1), (59, 58)] {
        let path = format!("/projects/{}/issues/{moved}/reorder", scene.project);
        changed(&scene.alice, &path, json!({"move_before_id": of(before)}));
        want.retain(|iid| *iid != moved);
        let at = want.iter().position(|iid| *iid == before).expect("the other");
        want.insert(at + 1, moved);
        assert_eq!(order(&scene.alice, scene.project), want, "{moved} behind {before}");
    }
}

#[both_databases]
fn who_may_set_labels_may_order_issues(server: &TestServer) {
    let scene = Scene::of(server);
    let of = issues(&scene.alice, scene.project, 2);
    let bob = server.user("bob");
    let path = format!("/projects/{}/issues/1/reorder", scene.project);
    let body = json!({"move_after_id": of(2)});
    server.anonymous().put(&path, body.clone()).assert(401, unauthorized());
    bob.put(&path, body.clone()).assert(403, forbidden());
    member(&scene.alice, &format!("/projects/{}", scene.project), bob.id, 20);
    let _ = bob.put(&path, body.clone()).assert_status(200);
    assert_eq!(order(&scene.alice, scene.project), [1, 2]);
    let text = "move_after_id, move_before_id are missing, at least one parameter must be provided";
    bob.put(&path, json!({})).assert(400, parameter(text));
    bob.put(&path, json!({"move_after_id": "x"})).assert(400, parameter("move_after_id is invalid"));
    // An issue that the caller may not see is as one that is not there.
    let hidden = project(&scene.alice, "hidden", "private");
    let secret = issues(&scene.alice, hidden, 1);
    for other in [0, -1, i64::MAX, secret(1)] {
        bob.put(&path, json!({"move_before_id": other})).assert(404, json!({"message": "404 Not found"}));
    }
    let none = format!("/projects/{}/issues/9/reorder", scene.project);
    let _ = bob.put(&none, body).assert_status(404);
}

#[both_databases]
fn issues_that_are_moved_at_once_have_one_order(server: &TestServer) {
    let scene = Scene::of(server);
    let of = issues(&scene.alice, scene.project, 6);
    std::thread::scope(|scope| {
        for moved in 1..=6 {
            let (client, of, project) = (&scene.alice, &of, scene.project);
            scope.spawn(move || {
                for other in (1..=6).filter(|other| *other != moved) {
                    let body = json!({"move_before_id": of(other), "move_after_id": of(other % 6 + 1)});
                    let reply = client.put(&format!("/projects/{project}/issues/{moved}/reorder"), body);
                    assert_eq!(reply.status(), 200);
                }
            });
        }
    });
    let mut found = order(&scene.alice, scene.project);
    assert_eq!(found, order(&scene.alice, scene.project));
    found.sort_unstable();
    assert_eq!(found, [1, 2, 3, 4, 5, 6]);
}
