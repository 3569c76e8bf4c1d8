//! Making, changing and removing labels of projects.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn labels_are_changed_by_reporters(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let labels = format!("{}/labels", cast.path());
    for (role, client) in cast.everybody() {
        let other = format!("other{role}");
        label(&cast.owner, &cast.path(), &other);
        let allowed = !matches!(role, "stranger" | "guest");
        let replies = [
            (client.post(&labels, json!({"name": role, "color": "red"})), 201),
            (client.put(&labels, json!({"name": other, "color": "blue"})), 200),
            (client.put(&format!("{labels}/{other}"), json!({"color": "green"})), 200),
            (client.delete(&format!("{labels}?name={other}")), 204),
        ];
        for (reply, success) in replies {
            assert_eq!(reply.status(), if allowed { success } else { 403 }, "{role}: {}", reply.text());
            assert!(allowed || reply.json() == forbidden(), "{role}: {}", reply.text());
        }
    }
    server.anonymous().post(&labels, json!({"name": "x", "color": "red"})).assert(401, unauthorized());
}

#[both_databases]
fn colours_are_digits_or_names(server: &TestServer) {
    let alice = server.user("alice");
    let labels = format!("/projects/{}/labels", project(&alice, "tool", "public"));
    for (number, (given, want)) in [
        ("#abc", "#abc"),
        ("#A1B2C3", "#A1B2C3"),
        ("red", "#FF0000"),
        ("RebeccaPurple", "#663399"),
        ("white", "#FFFFFF"),
    ]
    .into_iter()
    .enumerate()
    {
        let label = made(&alice, &labels, json!({"name": format!("l{number}"), "color": given}));
        assert!(label["color"].as_str().is_some_and(|color| color.eq_ignore_ascii_case(want)), "{given}: {label}");
    }
    for wrong in
        ["", "#ab", "#abcde", "#gggggg", "reddish", "rgb(1,2,3)", "#abc;x", "url(javascript:alert(1))", "#1234567"]
    {
        let reply = alice.post(&labels, json!({"name": "x", "color": wrong}));
        assert_eq!((reply.status(), reply.json()), (400, field("color", "must be a valid color code")), "{wrong:?}");
    }
}

#[both_databases]
fn every_refusal_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let top = group(&alice, "top", "public");
    let tool = project_in(&alice, top, "tool", "public");
    let labels = format!("/projects/{tool}/labels");
    label(&alice, &format!("/groups/{top}"), "above");
    label(&alice, &format!("/projects/{tool}"), "bug");
    alice.post(&labels, json!({})).assert(400, parameter("name is missing, color is missing"));
    alice.post(&labels, json!({"name": "x"})).assert(400, parameter("color is missing"));
    for used in ["bug", "above", " bug "] {
        alice
            .post(&labels, json!({"name": used, "color": "red"}))
            .assert(409, json!({"message": "Label already exists"}));
    }
    for wrong in ["", "a,b", "   "] {
        let reply = alice.post(&labels, json!({"name": wrong, "color": "red"}));
        assert_eq!(
            (reply.status(), &reply.json()["message"]["title"].get(0).cloned().unwrap_or_default().is_string()),
            (400, &true),
            "{wrong:?}: {}",
            reply.text()
        );
    }
    alice.post(&labels, json!({"name": "a,b", "color": "red"})).assert(400, field("title", "is invalid"));
    let long = alice.post(&labels, json!({"name": "x".repeat(256), "color": "red"})).assert_status(400);
    assert_eq!(long.json()["message"]["title"], json!(["is too long (maximum is 255 characters)"]));
    let _ = alice.post(&labels, json!({"name": "x".repeat(255), "color": "red"})).assert_status(201);
    alice
        .post(&labels, json!({"name": "p", "color": "red", "priority": "x"}))
        .assert(400, parameter("priority is invalid"));
    alice.put(&labels, json!({"name": "none", "color": "red"})).assert(404, missing("Label"));
    alice.put(&labels, json!({"name": "bug"})).assert(
        400,
        parameter("new_name, color, description, priority are missing, at least one parameter must be provided"),
    );
    alice.put(&labels, json!({"color": "red"})).assert(400, parameter("name is missing"));
    alice.put(&labels, json!({"name": "bug", "color": "x"})).assert(400, field("color", "must be a valid color code"));
    alice.put(&labels, json!({"name": "bug", "new_name": "a,b"})).assert(400, field("title", "is invalid"));
    alice.delete(&labels).assert(400, parameter("name is missing"));
    alice.delete(&format!("{labels}?name=none")).assert(404, missing("Label"));
    // Those of the group are not the project's to change.
    alice.put(&labels, json!({"name": "above", "color": "blue"})).assert(404, missing("Label"));
    alice.delete(&format!("{labels}?name=above")).assert(404, missing("Label"));
    alice.post("/projects/999999/labels", json!({"name": "x", "color": "red"})).assert(404, missing("Project"));
}

#[both_databases]
fn names_tell_upper_from_lower_case(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    for name in ["bug", "Bug", "BUG"] {
        label(&alice, &format!("/projects/{tool}"), name);
    }
    assert_eq!(alice.get(&format!("/projects/{tool}/labels")).header("x-total"), "3");
    let trimmed = made(&alice, &format!("/projects/{tool}/labels"), json!({"name": "  x  ", "color": "red"}));
    assert_eq!(trimmed["name"], "x");
}

#[both_databases]
fn a_name_has_no_tags(server: &TestServer) {
    let alice = server.user("alice");
    let labels = format!("/projects/{}/labels", project(&alice, "tool", "public"));
    let reply = alice.post(&labels, json!({"name": "<b>bold</b><script>alert(1)</script>", "color": "red"}));
    assert!(!reply.text().contains("<script"), "{}", reply.text());
    assert!(matches!(reply.status(), 201 | 400));
}

#[both_databases]
fn a_change_reaches_every_issue(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let labels = format!("/projects/{tool}/labels");
    let path = issue(&alice, tool, json!({"title": "t", "labels": "bug,ui"}));
    let renamed = changed(&alice, &labels, json!({"name": "bug", "new_name": "defect", "description": "d"}));
    assert_eq!(
        (&renamed["name"], &renamed["description"], &renamed["color"]),
        (&json!("defect"), &json!("d"), &json!("#428BCA"))
    );
    assert_eq!(alice.get(&path).json()["labels"], json!(["defect", "ui"]));
    alice
        .put(&labels, json!({"name": "ui", "new_name": "defect"}))
        .assert(409, json!({"message": "Label already exists"}));
    let _ = alice.delete(&format!("{labels}?name=defect")).assert_status(204);
    assert_eq!(alice.get(&path).json()["labels"], json!(["ui"]));
    let ui = id(&alice.get(&format!("{labels}/ui")).json());
    let _ = alice.delete(&format!("{labels}/{ui}")).assert_status(204);
    assert_eq!(alice.get(&path).json()["labels"], json!([]));
    assert_eq!(iids(&alice, &format!("/projects/{tool}/issues?labels=ui")), [0; 0]);
}

#[both_databases]
fn a_priority_is_set_and_taken_away(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let one = format!("/projects/{tool}/labels/{}", label(&alice, &format!("/projects/{tool}"), "bug"));
    assert_eq!(changed(&alice, &one, json!({"priority": 2}))["priority"], 2);
    assert_eq!(changed(&alice, &one, json!({"color": "blue"}))["priority"], 2);
    for empty in [json!(null), json!("")] {
        changed(&alice, &one, json!({"priority": 2}));
        assert_eq!(changed(&alice, &one, json!({"priority": empty}))["priority"], Value::Null);
    }
    assert_eq!(changed(&alice, &one, json!({"priority": 0}))["priority"], 0);
    let _ = alice.put(&one, json!({"priority": -1})).assert_status(400);
}

#[both_databases]
fn an_archived_label_is_shown_where_it_is(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "tool", "public");
    let labels = format!("/projects/{project}/labels");
    let old = made(&alice, &labels, json!({"name": "old", "color": "#FF0000", "archived": true}));
    assert_eq!(old["archived"], true);
    let new = made(&alice, &labels, json!({"name": "new", "color": "#FF0000"}));
    assert_eq!(new["archived"], false);
    let issue = issue(&alice, project, json!({"title": "x", "labels": "old,new"}));
    assert_eq!(changed(&alice, &format!("{labels}/new"), json!({"archived": true}))["archived"], true);
    assert_eq!(changed(&alice, &format!("{labels}/old"), json!({"archived": false}))["archived"], false);
    // Other changes leave it as it is.
    assert_eq!(changed(&alice, &format!("{labels}/new"), json!({"description": "y"}))["archived"], true);
    assert_eq!(alice.get(&issue).json()["labels"], json!(["new", "old"]));
    for (query, want) in
        [("", vec!["new", "old"]), ("archived=true", vec!["new"]), ("archived=false&search=o", vec!["old"])]
    {
        assert_eq!(names(&alice.get(&format!("{labels}?{query}")).assert_status(200)), want, "{query}");
    }
    alice.put(&format!("{labels}/new"), json!({"archived": "perhaps"})).assert(400, parameter("archived is invalid"));
    // Details of labels, also of a single issue.
    let detailed = alice.get(&format!("{issue}?with_labels_details=true")).assert_status(200).json();
    assert_eq!(detailed["labels"][0]["name"], "new");
    assert_eq!(detailed["labels"][0]["color"], "#FF0000");
    assert!(detailed["subscribed"].is_boolean());
}
