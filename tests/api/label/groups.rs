//! Labels of groups, and those that move up to one.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn a_group_has_labels_of_its_own(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    let labels = format!("/groups/{team}/labels");
    let bug = label(&alice, &format!("/groups/{team}"), "bug");
    assert_eq!(bob.get(&format!("{labels}/{bug}")).assert_status(200).json()["name"], "bug");
    bob.post(&labels, json!({"name": "x", "color": "red"})).assert(403, forbidden());
    bob.put(&labels, json!({"name": "bug", "color": "red"})).assert(403, forbidden());
    bob.delete(&format!("{labels}?name=bug")).assert(403, forbidden());
    member(&alice, &format!("/groups/{team}"), bob.id, 20);
    assert_eq!(changed(&bob, &labels, json!({"name": "bug", "new_name": "defect"}))["name"], "defect");
    bob.post(&labels, json!({"name": "defect", "color": "red"}))
        .assert(409, json!({"message": "Label already exists"}));
    let _ = bob.post(&format!("{labels}/defect/subscribe"), json!({})).assert_status(201);
    let _ = bob.post(&format!("{labels}/defect/unsubscribe"), json!({})).assert_status(201);
    let _ = bob.delete(&format!("{labels}/{bug}")).assert_status(204);
    bob.get(&format!("{labels}/{bug}")).assert(404, missing("Label"));
    server.anonymous().get(&labels).assert(401, unauthorized());
    let hidden = group(&alice, "hidden", "private");
    bob.get(&format!("/groups/{hidden}/labels")).assert(404, missing("Group"));
}

#[both_databases]
fn a_label_moves_up_to_the_group(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    let (one, two) = (project_in(&alice, team, "one", "public"), project_in(&alice, team, "two", "public"));
    let paths = [one, two].map(|project| issue(&alice, project, json!({"title": "t", "labels": "bug"})));
    member(&alice, &format!("/projects/{one}"), bob.id, 40);
    for (project, priority) in [(one, 3), (two, 7)] {
        changed(&alice, &format!("/projects/{project}/labels/bug"), json!({"priority": priority}));
    }
    let _ = bob.post(&format!("/projects/{two}/labels/bug/subscribe"), json!({})).assert_status(201);
    let promote = format!("/projects/{one}/labels/bug/promote");
    bob.put(&promote, json!({})).assert(403, forbidden());
    let promoted = changed(&alice, &promote, json!({}));
    assert_eq!(promoted["name"], "bug");
    assert_eq!(names(&alice.get(&format!("/groups/{team}/labels"))), ["bug"]);
    for path in &paths {
        assert_eq!(alice.get(path).json()["labels"], json!(["bug"]));
    }
    for project in [one, two] {
        let labels = alice.get(&format!("/projects/{project}/labels"));
        assert_eq!(labels.each("is_project_label"), [json!(false)], "{}", labels.text());
    }
    // The priority of the label in each project, and its subscribers, stay.
    for (project, priority) in [(one, 3), (two, 7)] {
        let labels = bob.get(&format!("/projects/{project}/labels"));
        assert_eq!((labels.each("priority"), labels.each("subscribed")), (vec![json!(priority)], vec![json!(true)]));
    }
    assert_eq!(iids(&alice, &format!("/groups/{team}/issues?labels=bug")), [1, 1]);
}

#[both_databases]
fn a_project_of_a_group_may_not_repeat_its_labels(server: &TestServer) {
    let alice = server.user("alice");
    let top = group(&alice, "top", "public");
    let below = subgroup(&alice, top, "below", "public");
    let tool = project_in(&alice, below, "tool", "public");
    label(&alice, &format!("/groups/{top}"), "bug");
    for source in [format!("/groups/{below}"), format!("/projects/{tool}")] {
        let again = alice.post(&format!("{source}/labels"), json!({"name": "bug", "color": "red"}));
        again.assert(409, json!({"message": "Label already exists"}));
    }
}
