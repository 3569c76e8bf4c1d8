//! For the routes of issues, labels and milestones: the bodies to send there.

use serde_json::{Value, json};
use tenon_testkit::Client;

use crate::fixture::Tracker;
use crate::requests::Body;
use crate::statements::{ROWS, made};

/// The requests to one route. Some are made about a confidential issue as well.
pub(crate) fn variants(method: &str, path: &str) -> Vec<(&'static str, Body)> {
    let nothing: Body = |_, _| Value::Null;
    let body: Body = match (method, path) {
        (
            "GET" | "DELETE",
            "/projects/{id}/issues/{issue_iid}"
            | "/projects/{id}/issues/{issue_iid}/notes"
            | "/projects/{id}/issues/{issue_iid}/participants",
        ) => return vec![("", nothing), ("confidential", nothing)],
        ("PUT", "/projects/{id}/issues/{issue_iid}") => {
            return vec![("", |_, _| json!({"title": "t"})), ("confidential", |_, _| json!({"title": "t"}))];
        }
        ("POST", "/projects/{id}/issues/{issue_iid}/notes") => {
            return vec![("", |_, _| json!({"body": "b"})), ("confidential", |_, _| json!({"body": "b"}))];
        }
        ("GET" | "DELETE", _) => nothing,
        ("POST", "/projects/{id}/issues") => |_, _| json!({"title": "t"}),
        ("PUT", "/projects/{id}/issues/{issue_iid}/reorder") => |_, place| json!({"move_after_id": place.tracker.last}),
        ("POST", "/projects/{id}/issues/{issue_iid}/move") => |fixture, _| json!({"to_project_id": fixture.runway}),
        ("POST", "/projects/{id}/issues/{issue_iid}/links") => {
            |_, place| json!({"target_project_id": place.project, "target_issue_iid": 2})
        }
        ("POST", path) if path.ends_with("_estimate") || path.ends_with("_spent_time") => {
            |_, _| json!({"duration": "1h"})
        }
        ("POST", path) if path.ends_with("/award_emoji") => |_, _| json!({"name": "heart"}),
        ("PUT", "/projects/{id}/issues/{issue_iid}/discussions/{discussion_id}") => |_, _| json!({"resolved": true}),
        ("POST" | "PUT", path) if path.contains("/discussions") => |_, _| json!({"body": "b"}),
        ("PUT", path) if path.contains("/notes/") => |_, _| json!({"body": "b"}),
        ("POST", "/projects/{id}/labels" | "/groups/{id}/labels") => |_, _| json!({"name": "new", "color": "red"}),
        ("PUT", "/projects/{id}/labels") => |_, _| json!({"name": "bug", "color": "blue"}),
        ("PUT", "/groups/{id}/labels") => |_, _| json!({"name": "team", "color": "blue"}),
        ("PUT", path) if path.ends_with("/labels/{label_id}") => |_, _| json!({"color": "blue"}),
        ("POST", path) if path.ends_with("/milestones") => |_, _| json!({"title": "t"}),
        ("PUT", path) if path.ends_with("/milestones/{milestone_id}") => |_, _| json!({"title": "t"}),
        ("POST" | "PUT", path)
            if ["/promote", "/subscribe", "/unsubscribe", "/todo"].iter().any(|end| path.ends_with(end)) =>
        {
            |_, _| json!({})
        }
        _ => panic!("{method} {path}: write down in tracker.rs what to send there"),
    };
    vec![("", body)]
}

/// The value in a path for the segment that comes after `before`.
pub(crate) fn segment(path: &str, before: &str, home: &str, tracker: &Tracker) -> Option<String> {
    let [label_event, milestone_event, state_event] = tracker.events;
    let id = match (before, home) {
        ("issues", _) => 1,
        ("labels", "groups") => tracker.group_label,
        ("labels", _) => tracker.label,
        ("milestones", "groups") => tracker.group_milestone,
        ("milestones", _) => tracker.milestone,
        ("notes", _) => tracker.note,
        ("award_emoji", _) if path.contains("/notes/") => tracker.note_award,
        ("award_emoji", _) => tracker.award,
        ("links", _) => tracker.link,
        ("resource_label_events", _) => label_event,
        ("resource_milestone_events", _) => milestone_event,
        ("resource_state_events", _) => state_event,
        ("todos", _) => tracker.todo,
        ("discussions", _) => return Some(tracker.discussion.clone()),
        _ => return None,
    };
    Some(id.to_string())
}

/// Makes boards with lists, of which the first has very many. Yields the first.
pub(crate) fn add_boards(root: &Client, home: &str, group: i64) -> i64 {
    let labels = root.get(&format!("/groups/{group}/labels?search=g&per_page={ROWS}")).json();
    let labels: Vec<i64> =
        labels.as_array().expect("labels").iter().map(|label| label["id"].as_i64().expect("id")).collect();
    let boards: Vec<i64> = (0..ROWS).map(|_| made(root, &format!("{home}/boards"), json!({"name": "n"}))).collect();
    for board in &boards {
        let count = if *board == boards[0] { ROWS } else { 1 };
        for label in labels.iter().take(count) {
            made(root, &format!("{home}/boards/{board}/lists"), json!({"label_id": label}));
        }
    }
    boards[0]
}
