//! Opening merge requests.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use super::{branch, cast, offer, offered, repository, simple, some, text, tip, with, work, write};
use crate::support::*;

#[both_databases]
fn a_new_merge_request_has_every_field(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let base = tip(&alice, tool, "main").expect("a branch");
    let head = work(&alice, tool, "topic");
    let request = offered(&alice, tool, "topic", "main", &json!({"title": "  First  "}));
    let url = server.base();
    let want = json!({
        "iid": 1, "project_id": tool, "source_project_id": tool, "target_project_id": tool, "title": "First",
        "description": null, "state": "opened", "source_branch": "topic", "target_branch": "main", "upvotes": 0,
        "downvotes": 0, "assignee": null, "assignees": [], "reviewers": [], "labels": [], "work_in_progress": false,
        "draft": false, "milestone": null, "merge_when_pipeline_succeeds": false, "merge_status": "can_be_merged",
        "detailed_merge_status": "mergeable", "has_conflicts": false, "sha": head, "merge_commit_sha": null,
        "squash_commit_sha": null, "user_notes_count": 0, "discussion_locked": null, "should_remove_source_branch": null,
        "force_remove_source_branch": false,
    });
    let more = json!({
        "allow_collaboration": false, "allow_maintainer_to_push": false,
        "web_url": format!("{url}/alice/tool/-/merge_requests/1"), "squash": false, "subscribed": true, "changes_count": "1",
        "merged_by": null, "merged_at": null, "closed_at": null, "closed_by": null, "latest_build_started_at": null,
        "latest_build_finished_at": null, "first_deployed_to_production_at": null, "pipeline": null, "head_pipeline": null,
        "diff_refs": {"base_sha": base, "start_sha": base, "head_sha": head}, "user": {"can_merge": true},
        "references": {"short": "!1", "relative": "!1", "full": "alice/tool!1"}, "reference": "!1", "merge_error": null,
        "time_stats": {
            "time_estimate": 0, "total_time_spent": 0, "human_time_estimate": null, "human_total_time_spent": null,
        },
    });
    for (name, value) in with(want, &more).as_object().expect("an object") {
        assert_eq!(request.get(name), Some(value), "{name}");
    }
    assert_eq!(request["author"]["username"], "alice");
    assert_has(&request["author"], &BASIC_USER);
    assert_eq!(request["created_at"], request["updated_at"]);
    assert_lacks(
        &request,
        &["diverged_commits_count", "title_html", "description_html", "changes", "rebase_in_progress"],
    );
    assert_eq!(alice.get(&format!("/projects/{tool}/merge_requests/1")).assert_status(200).json(), request);
}

#[both_databases]
fn every_refusal_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    work(&alice, tool, "topic");
    let requests = format!("/projects/{tool}/merge_requests");
    let good = json!({"source_branch": "topic", "target_branch": "main", "title": "t"});
    let refused = |more: Value, status: u16, body: Value| {
        let reply = alice.post(&requests, with(good.clone(), &more));
        assert_eq!((reply.status(), reply.json()), (status, body), "{more}");
    };
    let nothing = "title is missing, source_branch is missing, target_branch is missing";
    alice.post(&requests, json!({})).assert(400, parameter(nothing));
    alice
        .post(&requests, json!({"source_branch": "topic", "title": "t"}))
        .assert(400, parameter("target_branch is missing"));
    for blank in ["", "   ", "\t\n"] {
        refused(json!({"title": blank}), 400, field("title", "can't be blank"));
    }
    refused(json!({"title": "é".repeat(256)}), 400, field("title", "is too long (maximum is 255 characters)"));
    for odd in ["missing", "", "refs/heads/topic", "../topic", "topic..main"] {
        refused(json!({"source_branch": odd}), 400, field("source_branch", "does not exist"));
        refused(json!({"target_branch": odd}), 400, field("target_branch", "does not exist"));
    }
    for (name, value) in [
        ("milestone_id", json!("x")),
        ("assignee_id", json!("x")),
        ("target_project_id", json!("x")),
        ("squash", json!("maybe")),
        ("remove_source_branch", json!("maybe")),
        ("allow_collaboration", json!("maybe")),
        ("assignee_ids", json!(["x"])),
    ] {
        refused(json!({name: value}), 400, parameter(&format!("{name} is invalid")));
    }
    refused(
        json!({"source_branch": "main"}),
        422,
        parameter("You can not use same project/branch for source and target"),
    );
    let other = repository(&alice, "other", "public");
    let stranger = "Source project is not a fork of the target project";
    refused(json!({"target_project_id": other}), 422, parameter(stranger));
    refused(json!({"target_project_id": 999_999}), 404, not_found());
    offer(&alice, tool, "topic", "main", &json!({}));
    let again = json!({"message": ["Another open merge request already exists for this source branch: !1"]});
    refused(json!({}), 409, again);
    assert_eq!(iids(&alice, &requests), [1]);
    server.anonymous().post(&requests, good.clone()).assert(401, unauthorized());
    // Faults of the request come before missing objects.
    alice
        .post("/projects/999999/merge_requests", json!({"title": "t", "source_branch": "a"}))
        .assert(400, parameter("target_branch is missing"));
    alice.post("/projects/999999/merge_requests", good).assert(404, missing("Project"));
}

#[both_databases]
fn those_who_may_push_open_them(server: &TestServer) {
    let cast = cast(server, "public");
    let requests = format!("{}/merge_requests", cast.path());
    for (role, client) in cast.everybody() {
        work(&cast.owner, cast.project, role);
        let body = json!({"source_branch": role, "target_branch": "main", "title": role});
        let reply = client.post(&requests, body.clone());
        if matches!(role, "stranger" | "guest" | "reporter") {
            assert_eq!((reply.status(), reply.json()), (403, forbidden()), "{role}");
            // Only those who may open one learn that a title is blank.
            client.post(&requests, with(body, &json!({"title": ""}))).assert(403, forbidden());
        } else {
            assert_eq!(
                reply.assert_status(201).json()["author"]["username"],
                if role == "admin" { "root" } else { role }
            );
        }
    }
    let hidden = repository(&cast.owner, "hidden", "private");
    let body = json!({"source_branch": "a", "target_branch": "main", "title": "t"});
    cast.stranger.post(&format!("/projects/{hidden}/merge_requests"), body).assert(404, missing("Project"));
}

#[both_databases]
fn a_project_without_merge_requests_takes_none(server: &TestServer) {
    let cast = cast(server, "public");
    let requests = format!("{}/merge_requests", cast.path());
    work(&cast.owner, cast.project, "topic");
    let body = json!({"source_branch": "topic", "target_branch": "main", "title": "t"});
    changed(&cast.owner, &cast.path(), json!({"merge_requests_enabled": false}));
    for (role, client) in cast.everybody() {
        assert_eq!(client.post(&requests, body.clone()).status(), 403, "{role}");
        assert_eq!(client.get(&requests).status(), 403, "{role}");
    }
    changed(&cast.owner, &cast.path(), json!({"merge_requests_enabled": true}));
    let _ = cast.owner.post(&requests, body).assert_status(201);
}

#[both_databases]
fn what_git_says_is_in_the_answer(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    work(&alice, tool, "conflict");
    branch(&alice, tool, "empty", "main");
    write(&alice, tool, "main", "conflict.txt", "something else\n");
    let conflict = offered(&alice, tool, "conflict", "main", &json!({}));
    let fields = ["merge_status", "has_conflicts", "detailed_merge_status", "changes_count"];
    assert_eq!(some(&conflict, &fields), json!(["cannot_be_merged", true, "conflict", "1"]));
    let empty = offered(&alice, tool, "empty", "main", &json!({}));
    assert_eq!(
        some(&empty, &["merge_status", "has_conflicts", "changes_count"]),
        json!(["cannot_be_merged", false, null])
    );
    let list = alice.get(&format!("/projects/{tool}/merge_requests"));
    assert_eq!(list.each("merge_status"), [json!("cannot_be_merged"), json!("cannot_be_merged")]);
}

#[both_databases]
fn what_belongs_to_it_is_set_by_developers(server: &TestServer) {
    let cast = cast(server, "public");
    let goal = milestone(&cast.owner, &cast.path(), "v1");
    label(&cast.owner, &cast.path(), "bug");
    work(&cast.developer, cast.project, "topic");
    let more = json!({
        "labels": "bug,new one", "milestone_id": goal, "assignee_id": cast.reporter.id, "description": "what\n/estimate 3h",
        "remove_source_branch": true, "squash": true, "allow_collaboration": true, "reviewer_ids": [cast.maintainer.id],
    });
    let request = offered(&cast.developer, cast.project, "topic", "main", &more);
    let fields = ["labels", "description", "force_remove_source_branch", "squash", "allow_collaboration"];
    assert_eq!(some(&request, &fields), json!([["bug", "new one"], "what", true, true, false]));
    let people =
        (&request["assignee"]["username"], &request["reviewers"][0]["username"], &request["milestone"]["title"]);
    assert_eq!(people, (&json!("reporter"), &json!("maintainer"), &json!("v1")));
    assert_eq!(request["time_stats"]["human_time_estimate"], "3h");
    branch(&cast.developer, cast.project, "next", "main");
    let list = offered(&cast.developer, cast.project, "topic", "next", &json!({"labels": ["b", "a"]}));
    assert_eq!(list["labels"], json!(["a", "b"]));
}

#[both_databases]
fn an_assignee_who_cannot_read_it_is_passed_over(server: &TestServer) {
    let cast = cast(server, "private");
    for (assignee, want) in [
        (cast.stranger.id, json!(null)),
        (cast.guest.id, json!(null)),
        (999_999, json!(null)),
        (cast.reporter.id, json!("reporter")),
    ] {
        let name = format!("for{assignee}");
        work(&cast.owner, cast.project, &name);
        let request = offered(&cast.developer, cast.project, &name, "main", &json!({"assignee_id": assignee}));
        assert_eq!(request["assignee"]["username"], want, "{assignee}");
    }
}

#[both_databases]
fn titles_that_say_not_yet_make_drafts(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for (name, title, draft) in [
        ("a", "WIP: x", true),
        ("b", " [wip] x", true),
        ("c", "wip x", true),
        ("d", "Draft: x", true),
        ("e", "Wipwap x", false),
        ("f", "x WIP: y", false),
    ] {
        work(&alice, tool, name);
        let request = offered(&alice, tool, name, "main", &json!({"title": title}));
        assert_eq!(
            some(&request, &["work_in_progress", "draft", "merge_status"]),
            json!([draft, draft, "can_be_merged"]),
            "{title}"
        );
        assert_eq!(request["detailed_merge_status"], if draft { "draft_status" } else { "mergeable" }, "{title}");
    }
}

#[both_databases]
fn only_an_open_one_stands_in_the_way_of_another(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let first = simple(&alice, tool, "topic");
    branch(&alice, tool, "next", "main");
    offer(&alice, tool, "topic", "next", &json!({}));
    changed(&alice, &first, json!({"state_event": "close"}));
    assert_eq!(offer(&alice, tool, "topic", "main", &json!({})), format!("/projects/{tool}/merge_requests/3"));
    // Issues are counted for themselves.
    assert_eq!(titled(&alice, tool, "t"), format!("/projects/{tool}/issues/1"));
}

#[both_databases]
fn their_commits_can_be_had_under_the_number(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let head = work(&alice, tool, "topic");
    offer(&alice, tool, "topic", "main", &json!({}));
    let found = alice.get(&format!("/projects/{tool}/repository/commits/refs%2Fmerge-requests%2F1%2Fhead"));
    assert_eq!(text(&found.assert_status(200).json()["id"]), head);
}

#[both_databases]
fn renamed_parameters_and_forms_count_as_well(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    work(&alice, tool, "topic");
    let form = "source_branch=topic&target_branch=main&title=t&labels[]=x&labels[]=y&squash=1&remove_source_branch=yes";
    let request = alice.form("POST", &format!("/projects/{tool}/merge_requests"), form).assert_status(201).json();
    assert_eq!(some(&request, &["labels", "squash", "force_remove_source_branch"]), json!([["x", "y"], true, true]));
    alice.get(&format!("/projects/{tool}/merge_requests/x")).assert(400, parameter("merge_request_iid is invalid"));
    alice.get(&format!("/projects/{tool}/merge_requests/9")).assert(404, not_found());
    server.anonymous().get(&format!("/projects/{tool}/merge_requests/1")).assert(401, unauthorized());
}
