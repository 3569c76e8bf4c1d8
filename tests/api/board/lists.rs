//! The lists of boards.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use super::Scene;
use crate::support::*;

fn not_moved(text: &str) -> Value {
    json!({"message": {"error": text}})
}

/// The labels of a board's lists, in their order. The positions are 0, 1, 2, ...
fn order(client: &Client, board: &str) -> Vec<i64> {
    let lists = client.get(&format!("{board}/lists?per_page=100")).assert_status(200).json();
    let lists = lists.as_array().expect("a list").clone();
    let positions: Vec<i64> = lists.iter().map(|list| list["position"].as_i64().expect("a number")).collect();
    assert_eq!(positions, (0..).take(lists.len()).collect::<Vec<i64>>());
    assert_eq!(client.get(board).assert_status(200).json()["lists"], json!(lists));
    lists.iter().map(|list| id(&list["label"])).collect()
}

#[both_databases]
fn lists_are_added_moved_and_removed(server: &TestServer) {
    let scene = Scene::of(server);
    let [_, of_group] = scene.homes();
    let labels = ["a", "b", "c"].map(|name| label(&scene.alice, &of_group, name));
    for home in scene.homes() {
        let board = scene.board(&home);
        let lists = format!("{board}/lists");
        let made: Vec<i64> = labels
            .iter()
            .zip(0..)
            .map(|(label, position)| {
                let new = made(&scene.alice, &lists, json!({"label_id": label}));
                assert_eq!((id(&new["label"]), &new["position"]), (*label, &json!(position)));
                assert_eq!(keys(&new), ["id", "label", "position"].map(str::to_owned).into());
                assert_eq!(keys(&new["label"]), ["color", "description", "id", "name"].map(str::to_owned).into());
                id(&new)
            })
            .collect();
        let one = |number: usize| format!("{lists}/{}", made[number]);
        let [a, b, c] = labels;
        let moved = changed(&scene.alice, &one(1), json!({"position": 0}));
        assert_eq!((id(&moved), &moved["position"]), (made[1], &json!(0)));
        assert_eq!(order(&scene.alice, &board), [b, a, c]);
        for position in [0, -1, 3, i64::MAX, i64::MIN] {
            let want = not_moved("List could not be moved!");
            scene.alice.put(&one(1), json!({"position": position})).assert(400, want);
        }
        let _ = changed(&scene.alice, &one(1), json!({"position": 2}));
        assert_eq!(order(&scene.alice, &board), [a, c, b]);
        assert_eq!(scene.alice.get(&one(2)).assert_status(200).json()["position"], 1);
        let _ = scene.alice.delete(&one(0)).assert_status(204);
        assert_eq!(order(&scene.alice, &board), [c, b], "no gap");
        let early = scene.alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
        early.delete(&one(1)).assert(412, json!({"message": "412 Precondition Failed"}));
        let again = crate::support::made(&scene.alice, &lists, json!({"label_id": a}));
        assert_eq!(again["position"], 2);
        let page = scene.alice.get(&format!("{lists}?per_page=2&page=2"));
        assert_eq!((page.each("position"), page.header("x-total").as_str()), (vec![json!(2)], "3"));
    }
}

#[both_databases]
fn every_rule_of_a_list_has_its_text(server: &TestServer) {
    let scene = Scene::of(server);
    let [of_project, of_group] = scene.homes();
    let (own, shared) = (label(&scene.alice, &of_project, "own"), label(&scene.alice, &of_group, "shared"));
    let other = project(&scene.alice, "other", "public");
    let foreign = label(&scene.alice, &format!("/projects/{other}"), "foreign");
    let bob = server.user("bob");
    for home in [&of_project, &of_group] {
        let board = scene.board(home);
        let lists = format!("{board}/lists");
        scene.alice.post(&lists, json!({})).assert(400, parameter("label_id is missing"));
        let refused = not_moved("Label not found!");
        for label in [0, -1, foreign, i64::MAX] {
            scene.alice.post(&lists, json!({"label_id": label})).assert(400, refused.clone());
            bob.post(&lists, json!({"label_id": label})).assert(400, refused.clone());
        }
        let expected = if home == &of_project { 201 } else { 400 };
        let _ = scene.alice.post(&lists, json!({"label_id": own})).assert_status(expected);
        bob.post(&lists, json!({"label_id": shared})).assert(403, forbidden());
        let one = format!("{lists}/{}", id(&made(&scene.alice, &lists, json!({"label_id": shared}))));
        let taken = field("label_id", "has already been taken");
        scene.alice.post(&lists, json!({"label_id": shared})).assert(400, taken);
        scene.alice.put(&one, json!({})).assert(400, parameter("position is missing"));
        let none = format!("{lists}/0");
        for reply in [scene.alice.get(&none), scene.alice.delete(&none), bob.put(&none, json!({"position": 0}))] {
            reply.assert(404, json!({"message": "404 Not found"}));
        }
        bob.delete(&none).assert(403, forbidden());
        bob.put(&one, json!({"position": 0})).assert(403, forbidden());
        bob.delete(&one).assert(403, forbidden());
        let _ = bob.get(&one).assert_status(200);
    }
}

#[both_databases]
fn a_list_ends_with_its_label_and_follows_it_into_the_group(server: &TestServer) {
    let scene = Scene::of(server);
    let [of_project, of_group] = scene.homes();
    let board = scene.board(&of_project);
    let labels = ["a", "b", "c"].map(|name| label(&scene.alice, &of_project, name));
    for label in labels {
        made(&scene.alice, &format!("{board}/lists"), json!({"label_id": label}));
    }
    let [a, b, c] = labels;
    let _ = scene.alice.delete(&format!("{of_project}/labels/{a}")).assert_status(204);
    assert_eq!(order(&scene.alice, &board), [b, c]);
    // The label becomes one of the group, or another of that name takes its place.
    let _ = scene.alice.put(&format!("{of_project}/labels/{b}/promote"), json!({})).assert_status(200);
    assert_eq!(order(&scene.alice, &board), [b, c]);
    let other = project_in(&scene.alice, scene.group, "other", "public");
    let other = format!("/projects/{other}");
    let namesake = label(&scene.alice, &other, "c");
    let second = scene.board(&other);
    made(&scene.alice, &format!("{second}/lists"), json!({"label_id": namesake}));
    let _ = scene.alice.put(&format!("{of_project}/labels/{c}/promote"), json!({})).assert_status(200);
    assert_eq!((order(&scene.alice, &board), order(&scene.alice, &second)), (vec![b, c], vec![c]));
    let _ = scene.alice.delete(&format!("{of_group}/labels/{c}")).assert_status(204);
    assert_eq!((order(&scene.alice, &board), order(&scene.alice, &second)), (vec![b], vec![]));
}

#[both_databases]
fn lists_of_a_project_that_moves_keep_their_labels_by_name(server: &TestServer) {
    let scene = Scene::of(server);
    let [of_project, of_group] = scene.homes();
    let board = scene.board(&of_project);
    let shared = label(&scene.alice, &of_group, "shared");
    made(&scene.alice, &format!("{board}/lists"), json!({"label_id": shared}));
    let target = group(&scene.alice, "target", "public");
    let _ = scene.alice.put(&format!("{of_project}/transfer"), json!({"namespace": target})).assert_status(200);
    let lists = scene.alice.get(&format!("{board}/lists")).assert_status(200).json();
    assert_eq!((&lists[0]["label"]["name"], lists.as_array().map(Vec::len)), (&json!("shared"), Some(1)));
    assert_ne!(id(&lists[0]["label"]), shared);
}

#[both_databases]
fn a_board_of_a_group_that_moves_loses_the_lists_of_labels_above(server: &TestServer) {
    let scene = Scene::of(server);
    let [_, of_group] = scene.homes();
    let sub = subgroup(&scene.alice, scene.group, "sub", "public");
    let home = format!("/groups/{sub}");
    let board = scene.board(&home);
    let (above, own) = (label(&scene.alice, &of_group, "above"), label(&scene.alice, &home, "own"));
    for label in [above, own] {
        made(&scene.alice, &format!("{board}/lists"), json!({"label_id": label}));
    }
    assert_eq!(order(&scene.alice, &board), [above, own]);
    let _ = scene.alice.post(&format!("{home}/transfer"), json!({})).assert_status(201);
    assert_eq!(order(&scene.alice, &board), [own]);
}

#[both_databases]
fn lists_that_are_moved_at_once_keep_their_places_apart(server: &TestServer) {
    let scene = Scene::of(server);
    let [_, of_group] = scene.homes();
    let board = scene.board(&of_group);
    let labels: Vec<i64> = (0..6).map(|number| label(&scene.alice, &of_group, &format!("l{number}"))).collect();
    let lists: Vec<i64> = labels
        .iter()
        .map(|label| id(&made(&scene.alice, &format!("{board}/lists"), json!({"label_id": label}))))
        .collect();
    std::thread::scope(|scope| {
        for list in &lists {
            let (client, path) = (&scene.alice, format!("{board}/lists/{list}"));
            scope.spawn(move || {
                for position in 0..6 {
                    let reply = client.put(&path, json!({"position": position}));
                    assert!([200, 400].contains(&reply.status()));
                }
            });
        }
    });
    let mut found = order(&scene.alice, &board);
    found.sort_unstable();
    assert_eq!(found, labels);
}
