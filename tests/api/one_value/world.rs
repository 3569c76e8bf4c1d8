//! A server on which there is something of each kind.

use serde_json::{Value, json};
use tenon_testkit::{Client, Receiver, TestServer, User};

use crate::merge_request::{branch, commit, offer, start_with, work, write};
use crate::support::*;

/// The users, projects and other objects of the test.
pub(super) struct World {
    pub(super) alice: User,
    bob: User,
    guest: User,
    stranger: User,
    pub(super) project: String,
    pub(super) project_id: i64,
    /// A merge request with an open discussion.
    pub(super) request: String,
    pub(super) talk: String,
    issue: String,
    receiver: Receiver,
}

impl World {
    pub(super) fn new(server: &TestServer) -> Self {
        server.set("allow_local_requests_from_hooks_and_services", &json!(true));
        let [alice, bob, guest, stranger] = ["alice", "bob", "guest", "stranger"].map(|name| server.user(name));
        let receiver = Receiver::start();
        project(&alice, "own", "private");
        let team = group(&alice, "team", "public");
        let tools = subgroup(&alice, team, "tools", "public");
        let project_id = project_in(&alice, tools, "tool", "public");
        let project = format!("/projects/{project_id}");
        project_in(&alice, team, "empty", "public");
        member(&alice, &project, bob.id, 30);
        member(&alice, &project, guest.id, 10);
        member(&alice, &format!("/groups/{team}"), bob.id, 20);
        write(&alice, project_id, "main", "README.md", "# Tool");
        commit(
            &alice,
            project_id,
            "main",
            "Add a licence",
            &json!([{"action": "create", "file_path": "LICENSE", "content": "MIT License"}]),
        );
        for source in [project.clone(), format!("/groups/{team}")] {
            milestone(&alice, &source, &format!("v1 of {}", source.len()));
        }
        let label_id = label(&alice, &project, "bug");
        label(&alice, &format!("/groups/{team}"), "feature");
        made(&alice, &format!("{project}/labels/{label_id}/subscribe"), json!({}));
        let milestone_id = id(&alice.get(&format!("{project}/milestones")).json()[0]);
        let text = "- [x] done\n- [ ] open\n\nSee README.";
        let more = json!({"title": "One", "description": text, "labels": "bug,feature", "assignee_ids": [bob.id], "milestone_id": milestone_id, "due_date": "2026-12-24"});
        let issue = issue(&alice, project_id, more);
        let second = titled(&bob, project_id, "Two");
        made(&alice, &format!("{project}/issues"), json!({"title": "Secret", "confidential": true}));
        comment(&bob, &issue, "I see it too.");
        made(&bob, &format!("{issue}/award_emoji"), json!({"name": "thumbsup"}));
        let _ = alice.post(&format!("{issue}/time_estimate"), json!({"duration": "3h"}));
        let _ = alice.post(&format!("{issue}/add_spent_time"), json!({"duration": "1h"}));
        let _ = alice.post(&format!("{issue}/links"), json!({"target_project_id": project_id, "target_issue_iid": 2}));
        changed(&alice, &second, json!({"state_event": "close"}));
        work(&bob, project_id, "topic");
        work(&bob, project_id, "merged");
        work(&bob, project_id, "draft");
        let more = json!({"title": "Add topic", "description": format!("Closes #1\n\n{text}"), "labels": "bug", "assignee_id": alice.id, "reviewer_ids": [bob.id], "milestone_id": milestone_id});
        let request = offer(&bob, project_id, "topic", "main", &more);
        let talk = start_with(&alice, &request, "Is that right?");
        comment(&bob, &request, "It is.");
        made(&alice, &format!("{request}/award_emoji"), json!({"name": "thumbsup"}));
        let merged = offer(&bob, project_id, "merged", "main", &json!({}));
        let _ = alice.put(&format!("{merged}/merge"), json!({})).assert_status(200);
        let draft = offer(&bob, project_id, "draft", "main", &json!({"title": "Draft: later"}));
        changed(&bob, &draft, json!({"state_event": "close"}));
        let head = alice.get(&request).json()["sha"].clone();
        let statuses = format!("{project}/statuses/{}", head.as_str().unwrap_or_default());
        made(&alice, &statuses, json!({"state": "success", "ref": "topic", "name": "build", "coverage": 81.5}));
        branch(&alice, project_id, "release", "main");
        made(&alice, &format!("{project}/protected_branches"), json!({"name": "release"}));
        made(&alice, &format!("{project}/protected_tags"), json!({"name": "v*"}));
        made(
            &alice,
            &format!("{project}/releases"),
            json!({"tag_name": "v1", "ref": "main", "name": "One", "description": "First"}),
        );
        made(&alice, &format!("{project}/repository/tags"), json!({"tag_name": "v2", "ref": "main", "message": "Two"}));
        let comments = format!("{project}/repository/commits/main/comments");
        made(&alice, &comments, json!({"note": "Why?"}));
        let flags = json!({"url": receiver.url("/in"), "issues_events": true, "merge_requests_events": true, "note_events": true, "push_events": true});
        made(&alice, &format!("{project}/hooks"), flags);
        made(&server.root(), "/hooks", json!({"url": receiver.url("/system")}));
        let _ =
            made(&alice, &format!("{project}/fork"), json!({"namespace_id": alice.get("/namespaces").json()[0]["id"]}));
        made(&server.root(), "/broadcast_messages", json!({"message": "Hello"}));
        let _ = alice.put("/user/status", json!({"emoji": "coffee", "message": "busy"}));
        let _ = alice.post("/user/emails", json!({"email": "more@example.org"}));
        let _ = alice.post("/user/followers", json!({}));
        let _ = bob.post(&format!("/users/{}/follow", alice.id), json!({}));
        let _ = alice.post(&format!("{project}/star"), json!({}));
        let _ = server.root().put(&format!("{project}/custom_attributes/cost"), json!({"value": "1"}));
        server.run_jobs();
        let _ = (alice.get(&request), receiver.take());
        server.run_jobs();
        Self { alice, bob, guest, stranger, project, project_id, request, talk, issue, receiver }
    }

    /// The callers that read, from the most to the least powerful.
    pub(super) fn callers(&self, server: &TestServer) -> Vec<(&'static str, Client)> {
        vec![
            ("an administrator", server.root()),
            ("the owner", (*self.alice).clone()),
            ("a developer", (*self.bob).clone()),
            ("a guest", (*self.guest).clone()),
            ("a stranger", (*self.stranger).clone()),
            ("an anonymous caller", server.anonymous()),
        ]
    }

    /// Turns everything on that stands in the way of a merge.
    pub(super) fn demand_everything(&self, server: &TestServer) {
        let demands = json!({
            "only_allow_merge_if_all_discussions_are_resolved": true, "only_allow_merge_if_pipeline_succeeds": true,
            "merge_method": "rebase_merge", "public_builds": false,
        });
        changed(&self.alice, &self.project, demands);
        server.run_jobs();
        let _ = self.alice.get(&self.request);
    }

    /// Compares the delivery of a hook about a change with the later answer of the API.
    pub(super) fn compare_hooks(&self, server: &TestServer) {
        let _ = self.alice.put(&self.issue, json!({"title": "Another"})).assert_status(200);
        let _ = self.alice.put(&self.request, json!({"title": "Another"})).assert_status(200);
        let _ = self.alice.post(&format!("{}/notes", self.issue), json!({"body": "Well"})).assert_status(201);
        server.run_jobs();
        let received = self.receiver.take();
        let mut differing = Vec::new();
        for one in &received {
            let body = one.json();
            let Some(path) = (match body["object_kind"].as_str().unwrap_or_default() {
                "issue" => Some(self.issue.clone()),
                "merge_request" => Some(self.request.clone()),
                _ => None,
            }) else {
                continue;
            };
            let of = self.alice.get(&path).assert_status(200).json();
            let project = self.alice.get(&self.project).json();
            let user = self.alice.get("/user").json();
            for (part, names, answer) in
                [("object_attributes", ATTRIBUTES, &of), ("project", PROJECT, &project), ("user", USER, &user)]
            {
                for (name, other) in names {
                    let (said, shown) = (&body[part][name], at(answer, other));
                    // A text that is missing is an empty one for receivers.
                    let is_missing_text = *said == "" && shown.is_null();
                    if !said.is_null() && *said != shown && !is_missing_text {
                        differing.push(format!("{part}.{name}: {said} in the hook, {shown} in {path}"));
                    }
                }
            }
        }
        assert!(received.len() >= 3, "{received:#?}");
        assert!(differing.is_empty(), "{differing:#?}");
    }
}

/// Fields of hooks, and those of answers that mean the same.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("id", "id"),
    ("iid", "iid"),
    ("title", "title"),
    ("description", "description"),
    ("state", "state"),
    ("author_id", "author.id"),
    ("assignee_id", "assignee.id"),
    ("milestone_id", "milestone.id"),
    ("url", "web_url"),
    ("project_id", "project_id"),
    ("time_estimate", "time_stats.time_estimate"),
    ("total_time_spent", "time_stats.total_time_spent"),
    ("human_time_estimate", "time_stats.human_time_estimate"),
    ("human_total_time_spent", "time_stats.human_total_time_spent"),
    ("confidential", "confidential"),
    ("due_date", "due_date"),
    ("discussion_locked", "discussion_locked"),
    ("source_branch", "source_branch"),
    ("target_branch", "target_branch"),
    ("source_project_id", "source_project_id"),
    ("target_project_id", "target_project_id"),
    ("merge_status", "merge_status"),
    ("merge_error", "merge_error"),
    ("merge_commit_sha", "merge_commit_sha"),
    ("work_in_progress", "work_in_progress"),
    ("merge_when_pipeline_succeeds", "merge_when_pipeline_succeeds"),
];
const PROJECT: &[(&str, &str)] = &[
    ("id", "id"),
    ("name", "name"),
    ("description", "description"),
    ("web_url", "web_url"),
    ("avatar_url", "avatar_url"),
    ("git_ssh_url", "ssh_url_to_repo"),
    ("git_http_url", "http_url_to_repo"),
    ("path_with_namespace", "path_with_namespace"),
    ("default_branch", "default_branch"),
    ("ci_config_path", "ci_config_path"),
    ("namespace", "namespace.name"),
];
const USER: &[(&str, &str)] = &[("id", "id"), ("name", "name"), ("username", "username"), ("avatar_url", "avatar_url")];

/// A field of a field, such as `author.id`.
fn at(value: &Value, path: &str) -> Value {
    path.split('.').fold(value, |value, name| &value[name]).clone()
}
