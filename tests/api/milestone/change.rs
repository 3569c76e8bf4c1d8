//! Making, changing and removing milestones.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

/// The refusal of a title that is taken.
fn taken(verb: &str) -> Value {
    let text = "already being used for another group or project milestone.";
    json!({"message": format!("Failed to {verb} milestone {{:title=>[\"{text}\"]}}")})
}

#[both_databases]
fn a_milestone_has_every_field(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    let tool = project_in(&alice, team, "tool", "public");
    let body = json!({"title": "v1", "description": "d", "start_date": "2026-01-01", "due_date": "2026-02-01"});
    for (source, owner, page) in [
        (format!("/projects/{tool}"), ("project_id", tool), "/team/tool/-/milestones/1"),
        (format!("/groups/{team}"), ("group_id", team), "/groups/team/-/milestones/1"),
    ] {
        let mut body = body.clone();
        body["title"] = json!(source);
        let goal = made(&alice, &format!("{source}/milestones"), body.clone());
        let want = json!({
            "iid": 1, owner.0: owner.1, "title": source, "description": "d", "state": "active",
            "start_date": "2026-01-01", "due_date": "2026-02-01", "web_url": format!("{}{page}", server.base()),
        });
        for (name, value) in want.as_object().expect("an object") {
            assert_eq!(&goal[name], value, "{name}");
        }
        assert_has(&goal, &["id", "created_at", "updated_at"]);
        assert_lacks(&goal, &[if owner.0 == "group_id" { "project_id" } else { "group_id" }]);
        assert_eq!(alice.get(&format!("{source}/milestones/{}", goal["id"])).assert_status(200).json(), goal);
    }
}

#[both_databases]
fn milestones_are_changed_by_developers(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let at = format!("{}/milestones", cast.path());
    let one = format!("{at}/{}", milestone(&cast.owner, &cast.path(), "v0"));
    let number = std::cell::Cell::new(0);
    let statuses = cast.statuses(|client| {
        number.set(number.get() + 1);
        client.post(&at, json!({"title": format!("v{}", number.get())}))
    });
    assert_eq!(statuses, [403, 403, 403, 201, 201, 201, 201]);
    assert_eq!(
        cast.statuses(|client| client.put(&one, json!({"description": "d"}))),
        [403, 403, 403, 200, 200, 200, 200]
    );
    cast.reporter.put(&one, json!({"description": "d"})).assert(403, forbidden());
    for (role, client) in cast.everybody() {
        let one = format!("{at}/{}", milestone(&cast.owner, &cast.path(), role));
        let status = client.delete(&one).status();
        assert_eq!(status, if matches!(role, "stranger" | "guest" | "reporter") { 403 } else { 204 }, "{role}");
    }
    server.anonymous().post(&at, json!({"title": "x"})).assert(401, unauthorized());
}

#[both_databases]
fn milestones_of_groups_are_changed_by_developers(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    for (level, status) in [(10, 403), (20, 403), (30, 201), (40, 201), (50, 201)] {
        let user = server.user(&format!("u{level}"));
        member(&alice, &format!("/groups/{team}"), user.id, level);
        let reply = user.post(&format!("/groups/{team}/milestones"), json!({"title": format!("v{level}")}));
        assert_eq!(reply.status(), status, "{level}");
    }
    let hidden = group(&alice, "hidden", "private");
    let stranger = server.user("stranger");
    stranger.get(&format!("/groups/{hidden}/milestones")).assert(404, missing("Group"));
    let _ = stranger.get(&format!("/groups/{team}/milestones")).assert_status(200);
}

#[both_databases]
fn every_attribute_can_be_changed(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let one = format!("/projects/{tool}/milestones/{}", milestone(&alice, &format!("/projects/{tool}"), "v1"));
    for (body, name, want) in [
        (json!({"title": "v2"}), "title", json!("v2")),
        (json!({"description": "d"}), "description", json!("d")),
        (json!({"due_date": "2026-05-01"}), "due_date", json!("2026-05-01")),
        (json!({"due_date": "2020-01-01T00:00:00Z"}), "due_date", json!("2020-01-01")),
        (json!({"due_date": ""}), "due_date", Value::Null),
        (json!({"start_date": "2026-05-01"}), "start_date", json!("2026-05-01")),
        (json!({"start_date": null}), "start_date", Value::Null),
        (json!({"state_event": "close"}), "state", json!("closed")),
        (json!({"state_event": "close"}), "state", json!("closed")),
        (json!({"state_event": "activate"}), "state", json!("active")),
    ] {
        assert_eq!(changed(&alice, &one, body.clone())[name], want, "{body}");
    }
}

#[both_databases]
fn every_refusal_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    let tool = project_in(&alice, team, "tool", "public");
    let at = format!("/projects/{tool}/milestones");
    let one = format!("{at}/{}", milestone(&alice, &format!("/projects/{tool}"), "own"));
    milestone(&alice, &format!("/groups/{team}"), "above");
    alice.post(&at, json!({})).assert(400, parameter("title is missing"));
    alice
        .post(&at, json!({"title": ""}))
        .assert(400, json!({"message": "Failed to create milestone {:title=>[\"can't be blank\"]}"}));
    let long = alice.post(&at, json!({"title": "x".repeat(256)})).assert_status(400);
    assert!(long.text().contains("is too long (maximum is 255 characters)"), "{}", long.text());
    for title in ["own", "above"] {
        alice.post(&at, json!({"title": title})).assert(400, taken("create"));
    }
    alice.put(&one, json!({"title": "above"})).assert(400, taken("update"));
    alice.post(&format!("/groups/{team}/milestones"), json!({"title": "own"})).assert(400, taken("create"));
    let order = json!({"title": "x", "start_date": "2026-02-02", "due_date": "2026-02-01"});
    let reply = alice.post(&at, order).assert_status(400);
    assert_eq!(
        reply.json(),
        json!({"message": "Failed to create milestone {:due_date=>[\"must be greater than start date\"]}"})
    );
    for (name, value) in [("due_date", "x"), ("start_date", "2026-02-30")] {
        alice.post(&at, json!({"title": "x", name: value})).assert(400, parameter(&format!("{name} is invalid")));
    }
    alice.put(&one, json!({})).assert(400, parameter("title, description, start_date, due_date, state_event are missing, at least one parameter must be provided"));
    alice.put(&one, json!({"state_event": "reopen"})).assert(400, parameter("state_event does not have a valid value"));
    for (method, path) in
        [("GET", format!("{at}/999999")), ("DELETE", format!("{at}/999999")), ("GET", format!("{at}/999999/issues"))]
    {
        alice.send(method, &path, None, Vec::new()).assert(404, not_found());
    }
    alice.put(&format!("{at}/999999"), json!({"title": "x"})).assert(404, not_found());
    alice.get("/projects/999999/milestones").assert(404, missing("Project"));
}

#[both_databases]
fn a_deleted_milestone_is_taken_off_its_issues(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let goal = milestone(&alice, &format!("/projects/{tool}"), "v1");
    let one = format!("/projects/{tool}/milestones/{goal}");
    let path = issue(&alice, tool, json!({"title": "t", "milestone_id": goal}));
    let early = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    early.delete(&one).assert(412, json!({"message": "412 Precondition Failed"}));
    let _ = alice.delete(&one).assert_status(204);
    alice.get(&one).assert(404, not_found());
    assert_eq!(alice.get(&path).json()["milestone"], Value::Null);
    assert_eq!(iids(&alice, &format!("/projects/{tool}/issues?milestone=v1")), [0; 0]);
    // Its number is not given again.
    let next = milestone(&alice, &format!("/projects/{tool}"), "v2");
    assert_eq!(alice.get(&format!("/projects/{tool}/milestones/{next}")).json()["iid"], 2);
}

#[both_databases]
fn a_milestone_moves_up_to_the_group(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    let tool = project_in(&alice, team, "tool", "public");
    let goal = milestone(&alice, &format!("/projects/{tool}"), "v1");
    let path = issue(&alice, tool, json!({"title": "t", "milestone_id": goal}));
    let reply = alice.post(&format!("/projects/{tool}/milestones/{goal}/promote"), json!({}));
    assert!(matches!(reply.status(), 200 | 201), "{}", reply.text());
    assert_eq!(titles(&alice, &format!("/groups/{team}/milestones")), ["v1"]);
    let milestone = alice.get(&path).json()["milestone"].clone();
    assert_eq!((&milestone["title"], &milestone["group_id"]), (&json!("v1"), &json!(team)));
}
