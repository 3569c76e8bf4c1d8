//! The fields of an issue that each caller may change.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn issues_of_others_are_edited_by_reporters(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = titled(&cast.owner, cast.project, "t");
    for body in [
        json!({"title": "u"}),
        json!({"description": "d"}),
        json!({"confidential": false}),
        json!({"state_event": "close"}),
        json!({"labels": "x"}),
        json!({"due_date": "2026-05-05"}),
        json!({"assignee_ids": []}),
        json!({"discussion_locked": false}),
    ] {
        assert_eq!(
            cast.statuses(|client| client.put(&path, body.clone())),
            [403, 403, 200, 200, 200, 200, 200],
            "{body}"
        );
    }
    cast.guest.put(&path, json!({"title": "mine"})).assert(403, forbidden());
    assert_eq!(cast.owner.get(&path).json()["title"], "u");
}

#[both_databases]
fn authors_and_assignees_edit_but_do_not_plan(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let goal = milestone(&cast.owner, &cast.path(), "v1");
    for author in [&cast.stranger, &cast.guest] {
        for assigned in [false, true] {
            let path = if assigned {
                issue(&cast.owner, cast.project, json!({"title": "t", "assignee_ids": [author.id]}))
            } else {
                titled(author, cast.project, "t")
            };
            let before = cast.owner.get(&path).json();
            let body = json!({
                "title": "mine", "description": "d", "confidential": true, "state_event": "close", "labels": "x",
                "milestone_id": goal, "assignee_ids": [cast.owner.id], "due_date": "2026-05-05", "discussion_locked": true,
                "updated_at": "2015-01-01T00:00:00Z",
            });
            let after = changed(author, &path, body);
            let open = (&after["title"], &after["description"], &after["confidential"], &after["state"]);
            assert_eq!(open, (&json!("mine"), &json!("d"), &json!(true), &json!("closed")), "{}", author.username);
            for name in ["labels", "milestone", "assignees", "due_date", "discussion_locked"] {
                assert_eq!(after[name], before[name], "{}: {name}", author.username);
            }
            assert_ne!(after["updated_at"], "2015-01-01T00:00:00.000Z");
        }
    }
    assert_eq!(cast.owner.get(&format!("{}/labels", cast.path())).json(), json!([]));
}

#[both_databases]
fn what_may_only_be_planned_is_ignored_and_not_refused(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = titled(&cast.guest, cast.project, "t");
    let after = changed(&cast.guest, &path, json!({"labels": "x", "add_labels": "y"}));
    assert_eq!(after["labels"], json!([]));
    assert_eq!(system_notes(&cast.owner, &path), [""; 0]);
}

#[both_databases]
fn the_date_of_the_change_is_chosen_by_owners_and_administrators(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = titled(&cast.guest, cast.project, "t");
    for (role, client) in cast.everybody().into_iter().skip(1) {
        let body = json!({"title": role, "updated_at": "2027-01-02T03:04:05Z"});
        let issue = changed(client, &path, body);
        let chosen = issue["updated_at"] == "2027-01-02T03:04:05.000Z";
        assert_eq!(chosen, matches!(role, "owner" | "admin"), "{role}: {}", issue["updated_at"]);
    }
}

#[both_databases]
fn a_locked_discussion_is_for_members(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = titled(&cast.stranger, cast.project, "t");
    changed(&cast.reporter, &path, json!({"discussion_locked": true}));
    let notes = format!("{path}/notes");
    assert_eq!(cast.statuses(|client| client.post(&notes, json!({"body": "b"}))), [403, 201, 201, 201, 201, 201, 201]);
    cast.stranger.post(&notes, json!({"body": "b"})).assert(403, forbidden());
    changed(&cast.reporter, &path, json!({"discussion_locked": false}));
    comment(&cast.stranger, &path, "again");
}

#[both_databases]
fn a_locked_issue_is_reopened_by_reporters_only(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = titled(&cast.guest, cast.project, "t");
    changed(&cast.reporter, &path, json!({"state_event": "close", "discussion_locked": true}));
    assert_eq!(changed(&cast.guest, &path, json!({"state_event": "reopen"}))["state"], "closed");
    assert_eq!(changed(&cast.reporter, &path, json!({"state_event": "reopen"}))["state"], "opened");
}

#[both_databases]
fn an_archived_project_is_for_reading(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = titled(&cast.owner, cast.project, "t");
    let note = comment(&cast.owner, &path, "said");
    let award = id(&made(&cast.owner, &format!("{path}/award_emoji"), json!({"name": "heart"})));
    label(&cast.owner, &cast.path(), "bug");
    let goal = milestone(&cast.owner, &cast.path(), "v1");
    let other = titled(&cast.owner, project(&cast.owner, "other", "public"), "t");
    let target = other.split('/').nth(2).expect("an id").to_owned();
    let _ = cast.owner.post(&format!("{}/archive", cast.path()), json!({})).assert_status(200);
    let writes: Vec<(&str, String, Value)> = vec![
        ("PUT", path.clone(), json!({"title": "u"})),
        ("DELETE", path.clone(), json!({})),
        ("POST", format!("{path}/notes"), json!({"body": "b"})),
        ("PUT", format!("{path}/notes/{note}"), json!({"body": "b"})),
        ("DELETE", format!("{path}/notes/{note}"), json!({})),
        ("POST", format!("{path}/discussions"), json!({"body": "b"})),
        ("POST", format!("{path}/time_estimate"), json!({"duration": "1h"})),
        ("POST", format!("{path}/add_spent_time"), json!({"duration": "1h"})),
        ("POST", format!("{path}/links"), json!({"target_project_id": target, "target_issue_iid": 1})),
        ("POST", format!("{}/labels", cast.path()), json!({"name": "x", "color": "red"})),
        ("PUT", format!("{}/labels", cast.path()), json!({"name": "bug", "color": "red"})),
        ("DELETE", format!("{}/labels?name=bug", cast.path()), json!({})),
        ("POST", format!("{}/milestones", cast.path()), json!({"title": "v2"})),
        ("PUT", format!("{}/milestones/{goal}", cast.path()), json!({"title": "v2"})),
        ("DELETE", format!("{}/milestones/{goal}", cast.path()), json!({})),
    ];
    for client in [cast.owner.clone(), cast.admin.clone()] {
        for (method, path, body) in &writes {
            let reply = client.send(method, path, Some("application/json"), body.to_string().into_bytes());
            assert_eq!((reply.status(), reply.json()), (403, forbidden()), "{method} {path}");
        }
        let status = client.post(&format!("{path}/award_emoji"), json!({"name": "tada"})).status();
        assert!(matches!(status, 403 | 404), "{status}");
        let status = client.delete(&format!("{path}/award_emoji/{award}")).status();
        assert!(matches!(status, 403 | 404), "{status}");
        let status = client.post(&format!("{path}/move"), json!({"to_project_id": target})).status();
        assert!(matches!(status, 400 | 403), "{status}");
        let status = client.post(&format!("{other}/move"), json!({"to_project_id": cast.project})).status();
        assert!(matches!(status, 400 | 403), "{status}");
    }
    for read in ["", "/notes", "/award_emoji", "/participants", "/time_stats", "/links", "/discussions"] {
        let _ = cast.guest.get(&format!("{path}{read}")).assert_status(200);
    }
    let _ = cast.guest.post(&format!("{path}/subscribe"), json!({})).assert_status(200);
    let _ = cast.guest.post(&format!("{path}/todo"), json!({})).assert_status(200);
    assert_eq!(iids(&cast.guest, &format!("{}/issues", cast.path())), [1]);
}
