//! For the routes of merge requests: the bodies to send there, and the objects to ask for.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer};

use crate::fixture::{Place, id};
use crate::requests::Body;
use crate::statements::{EMOJI, ROWS, made};

/// The objects of merge request 1 of one project, which offers next to main. All of them are the owner's.
pub(crate) struct Merging {
    discussion: String,
    note: i64,
    award: i64,
    note_award: i64,
    version: i64,
    /// A change of labels, of the milestone and of the state.
    events: [i64; 3],
    /// A rule about approvals.
    rule: i64,
    /// A change of a line.
    suggestion: i64,
}

/// Makes it.
pub(crate) fn merging(owner: &Client, project: &str, milestone: i64) -> Merging {
    let own = |path: &str, body: Value| owner.post(path, body).assert_status(201).json();
    let offer = json!({
        "source_branch": "next", "target_branch": "main", "title": "Next", "labels": "bug", "milestone_id": milestone,
    });
    own(&format!("{project}/merge_requests"), offer);
    own(&format!("{project}/approvals"), json!({"merge_requests_author_approval": true}));
    let one = format!("{project}/merge_requests/1");
    for state_event in ["close", "reopen"] {
        let _ = owner.put(&one, json!({"state_event": state_event})).assert_status(200);
    }
    let discussion = own(&format!("{one}/discussions"), json!({"body": "What about it?"}));
    let note = id(&discussion["notes"][0]);
    let first = |path: &str| id(&owner.get(&format!("{one}/{path}")).assert_status(200).json()[0]);
    Merging {
        discussion: discussion["id"].as_str().expect("an id").to_owned(),
        note,
        award: id(&own(&format!("{one}/award_emoji"), json!({"name": "thumbsup"}))),
        note_award: id(&own(&format!("{one}/notes/{note}/award_emoji"), json!({"name": "thumbsup"}))),
        version: first("versions"),
        events: ["resource_label_events", "resource_milestone_events", "resource_state_events"].map(first),
        suggestion: suggestion(owner, &one),
        rule: id(&own(&format!("{project}/approval_rules"), json!({"name": "None", "approvals_required": 0}))),
    }
}

/// A change of the first line that the merge request brings.
fn suggestion(owner: &Client, one: &str) -> i64 {
    let refs = owner.get(one).assert_status(200).json()["diff_refs"].clone();
    let file = owner.get(&format!("{one}/diffs")).assert_status(200).json()[0]["new_path"].clone();
    let position = json!({
        "base_sha": refs["base_sha"], "start_sha": refs["start_sha"], "head_sha": refs["head_sha"],
        "new_path": file, "new_line": 1,
    });
    let body = json!({"body": "```suggestion\nother\n```", "position": position});
    let discussion = owner.post(&format!("{one}/discussions"), body).assert_status(201).json();
    id(&discussion["notes"][0]["suggestions"][0])
}

/// True if a route is one of these.
pub(crate) fn is_one(path: &str) -> bool {
    (path.contains("/merge_requests") && !path.contains("/deployments/"))
        || path.contains("/approval")
        || path.starts_with("/suggestions/")
}

/// The requests to one route.
pub(crate) fn variants(method: &str, path: &str) -> Vec<(&'static str, Body)> {
    let one = path.strip_prefix("/projects/{id}/merge_requests").unwrap_or_default();
    let body: Body = match (method, one.strip_prefix("/{merge_request_iid}").unwrap_or(one)) {
        ("GET" | "DELETE", _) => |_, _| Value::Null,
        ("POST", _) if path.ends_with("/approval_rules") => |_, _| json!({"name": "fresh", "approvals_required": 0}),
        ("PUT", _) if path.contains("/approval_rules/") => |_, _| json!({"name": "fresh"}),
        ("POST", _) if path == "/projects/{id}/approvals" => |_, _| json!({"reset_approvals_on_push": false}),
        ("POST", "") => |_, _| json!({"source_branch": "side", "target_branch": "main", "title": "t"}),
        ("PUT", "") => |_, _| json!({"title": "t"}),
        ("PUT", "/discussions/{discussion_id}") => |_, _| json!({"resolved": true}),
        ("POST", below) if below.ends_with("_estimate") || below.ends_with("_spent_time") => {
            |_, _| json!({"duration": "1h"})
        }
        ("POST", below) if below.ends_with("/award_emoji") => |_, _| json!({"name": "heart"}),
        ("POST" | "PUT", below) if below.contains("/discussions") || below.contains("/notes") => {
            |_, _| json!({"body": "b"})
        }
        ("PUT", _) if path == "/suggestions/batch_apply" => |_, place| json!({"ids": [place.merging.suggestion]}),
        ("POST" | "PUT", _) => |_, _| json!({}),
        _ => panic!("{method} {path}: write down in merging.rs what to send there"),
    };
    vec![("", body)]
}

/// The value in a path for the segment that comes after `before`.
pub(crate) fn segment(path: &str, before: &str, place: &Place) -> Option<String> {
    let merging = &place.merging;
    let [label_event, milestone_event, state_event] = merging.events;
    let id = match before {
        "merge_requests" => 1,
        "notes" => merging.note,
        "award_emoji" if path.contains("/notes/") => merging.note_award,
        "award_emoji" => merging.award,
        "versions" => merging.version,
        "approval_rules" => merging.rule,
        "suggestions" => merging.suggestion,
        "resource_label_events" => label_event,
        "resource_milestone_events" => milestone_event,
        "resource_state_events" => state_event,
        "discussions" => return Some(merging.discussion.clone()),
        _ => return None,
    };
    Some(id.to_string())
}

/// The target branches of the others.
const TARGETS: [&str; 2] = ["summer", "winter"];

/// Fills the first merge request of a project with everything, and makes more beside it. Yields a note of the first.
pub(crate) fn fill(server: &TestServer, keeper: &Client, project: i64, milestones: [i64; 2]) -> i64 {
    let root = server.root();
    let project = format!("/projects/{project}");
    let requests = format!("{project}/merge_requests");
    push(&root, &project, 0);
    // Every issue: those that nothing closes need fewer statements.
    let closed: Vec<String> = (1..=2 * ROWS + 1).map(|number| format!("#{number}")).collect();
    let offer = json!({
        "source_branch": "feature", "target_branch": "main", "title": "merge 0",
        "description": format!("Closes {}", closed.join(", ")),
    });
    made(&root, &requests, offer);
    for target in TARGETS {
        made(&root, &format!("{project}/repository/branches"), json!({"branch": target, "ref": "main"}));
    }
    let first = format!("{requests}/1");
    for number in 0..ROWS {
        let rule = json!({"name": format!("r{number}"), "approvals_required": 1, "usernames": [format!("x{number}")]});
        made(&root, &format!("{project}/approval_rules"), rule);
    }
    let note = made(keeper, &format!("{first}/notes"), json!({"body": "note"}));
    for (number, emoji) in EMOJI.iter().enumerate() {
        push(&root, &project, number + 1);
        let head = root.get(&first).json()["sha"].as_str().expect("a head").to_owned();
        made(&root, &format!("{project}/statuses/{head}"), json!({"state": "running", "ref": "feature"}));
        let speaker = root.header("Sudo", &format!("s{number}"));
        made(&speaker, &format!("{first}/notes"), json!({"body": "and I"}));
        made(keeper, &format!("{first}/notes"), json!({"body": "and again"}));
        for awards in [format!("{first}/award_emoji"), format!("{first}/notes/{note}/award_emoji")] {
            made(&root, &awards, json!({"name": emoji}));
        }
        let change = json!({"milestone_id": milestones[number % 2], "add_labels": format!("l{number}")});
        for change in [change, json!({"state_event": "close"}), json!({"state_event": "reopen"})] {
            let _ = root.put(&first, change).assert_status(200);
        }
        for (milestone, target) in milestones.into_iter().zip(TARGETS) {
            let offer = json!({
                "source_branch": format!("b{number}"), "target_branch": target,
                "title": format!("merge {number}"), "labels": ["all"], "milestone_id": milestone,
                "assignee_ids": [1], "reviewer_ids": [1], "description": "Closes #1",
            });
            made(&root, &requests, offer);
        }
    }
    // Merge requests that bring one and the same commit.
    for number in 1..ROWS {
        let offer = json!({
            "source_branch": "feature", "target_branch": format!("b{number}"), "title": format!("merge {number}"),
            "labels": ["all"], "milestone_id": milestones[number % 2], "assignee_ids": [1], "reviewer_ids": [1],
            "description": "Closes #1",
        });
        made(&root, &requests, offer);
    }
    for iid in 1..=3 * ROWS {
        made(&root.header("Sudo", "x0"), &format!("{requests}/{iid}/approve"), json!({}));
    }
    note
}

/// One more commit to the branch that the first merge request offers.
fn push(root: &Client, project: &str, number: usize) {
    let actions = json!([{"action": "create", "file_path": format!("feature{number}"), "content": "x"}]);
    let mut commit = json!({"branch": "feature", "commit_message": "one more", "actions": actions});
    if number == 0 {
        commit["start_branch"] = json!("main");
    }
    let _ = root.post(&format!("{project}/repository/commits"), commit).assert_status(201);
}
