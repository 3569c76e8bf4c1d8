//! Merge requests that are deleted, and those of archived projects.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::{cast, offer, repository, simple, some, status, text, tip, work, write};
use crate::support::*;

#[both_databases]
fn owners_delete(server: &TestServer) {
    let cast = cast(server, "public");
    for (role, client) in cast.everybody() {
        let path = simple(&cast.developer, cast.project, role);
        let reply = client.delete(&path);
        if matches!(role, "owner" | "admin") {
            assert_eq!((reply.status(), reply.text().as_str()), (204, ""), "{role}");
            cast.owner.get(&path).assert(404, not_found());
            cast.owner.delete(&path).assert(404, not_found());
            cast.owner.put(&path, json!({"title": "t"})).assert(404, not_found());
        } else {
            assert_eq!((reply.status(), reply.json()), (403, forbidden()), "{role}");
        }
        // The branch is not touched.
        assert!(tip(&cast.owner, cast.project, role).is_some(), "{role}");
    }
    // Numbers are taken for good.
    assert_eq!(simple(&cast.owner, cast.project, "next"), format!("{}/merge_requests/8", cast.path()));
    assert_eq!(iids(&cast.owner, &format!("{}/merge_requests?sort=asc", cast.path())), [1, 2, 3, 4, 5, 8]);
    server.anonymous().delete(&format!("{}/merge_requests/1", cast.path())).assert(401, unauthorized());
    cast.owner.delete(&format!("{}/merge_requests/99", cast.path())).assert(404, not_found());
}

#[both_databases]
fn what_is_deleted_keeps_no_ref(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    member(&alice, &format!("/projects/{tool}"), bob.id, 30);
    for client in [&alice, &alice, &bob] {
        let name = format!("b{}", heads(server, tool).len());
        simple(client, tool, &name);
    }
    assert_eq!(heads(server, tool), ["1", "2", "3"]);
    let _ = alice.delete(&format!("/projects/{tool}/merge_requests/2")).assert_status(204);
    server.run_jobs();
    assert_eq!(heads(server, tool), ["1", "3"]);
    // A push to its branch brings nothing back.
    write(&alice, tool, "b1", "again.txt", "again");
    server.run_jobs();
    assert_eq!(heads(server, tool), ["1", "3"]);
    let _ = server.root().delete(&format!("/users/{}?hard_delete=true", bob.id)).assert_status(204);
    server.run_jobs();
    assert_eq!(heads(server, tool), ["1"]);
}

#[both_databases]
fn what_has_changed_since_is_not_deleted(server: &TestServer) {
    let alice = server.user("alice");
    let path = simple(&alice, repository(&alice, "tool", "public"), "topic");
    let old = alice.header("If-Unmodified-Since", "Thu, 01 Jan 2015 00:00:00 GMT").delete(&path);
    old.assert(412, json!({"message": "412 Precondition Failed"}));
    let _ = alice.delete(&path).assert_status(204);
}

#[both_databases]
fn what_is_deleted_is_in_nobodys_way(server: &TestServer) {
    let cast = cast(server, "public");
    work(&cast.developer, cast.project, "topic");
    let path = offer(
        &cast.developer,
        cast.project,
        "topic",
        "main",
        &json!({"assignee_id": cast.reporter.id, "description": "Closes #1"}),
    );
    let issue = titled(&cast.owner, cast.project, "t");
    changed(&cast.developer, &path, json!({"description": "Closes #1!"}));
    assert_eq!(titles(&cast.owner, &format!("{issue}/closed_by")), ["topic"]);
    let _ = cast.owner.delete(&path).assert_status(204);
    server.run_jobs();
    assert_eq!(cast.owner.get(&format!("{issue}/closed_by")).json(), json!([]));
    assert_eq!(cast.reporter.get("/todos").json(), json!([]));
    assert_eq!(system_notes(&cast.reporter, &issue), [""; 0]);
    assert_eq!(
        offer(&cast.developer, cast.project, "topic", "main", &json!({})),
        format!("{}/merge_requests/2", cast.path())
    );
}

#[both_databases]
fn an_archived_project_is_read_only(server: &TestServer) {
    let cast = cast(server, "public");
    let path = simple(&cast.developer, cast.project, "topic");
    work(&cast.owner, cast.project, "other");
    let note = comment(&cast.owner, &path, "mine");
    let discussion = text(&made(&cast.owner, &format!("{path}/discussions"), json!({"body": "why?"}))["id"]);
    status(server, &cast.owner, &path, "running");
    changed(&cast.owner, &format!("{path}/merge"), json!({"merge_when_pipeline_succeeds": true}));
    let _ = cast.owner.post(&format!("{}/archive", cast.path()), json!({})).assert_status(200);
    let before = cast.owner.get(&path).assert_status(200).json();
    for (role, client) in [("owner", &*cast.owner), ("admin", &cast.admin), ("developer", &*cast.developer)] {
        let offered = json!({"source_branch": "other", "target_branch": "main", "title": "t"});
        client.post(&format!("{}/merge_requests", cast.path()), offered).assert(403, forbidden());
        client.put(&path, json!({"title": "t"})).assert(403, forbidden());
        client.put(&path, json!({"state_event": "close"})).assert(403, forbidden());
        client.put(&path, json!({"target_branch": "other"})).assert(403, forbidden());
        client.post(&format!("{path}/notes"), json!({"body": "b"})).assert(403, forbidden());
        client.put(&format!("{path}/notes/{note}"), json!({"body": "b"})).assert(403, forbidden());
        client.delete(&format!("{path}/notes/{note}")).assert(403, forbidden());
        client.post(&format!("{path}/discussions"), json!({"body": "b"})).assert(403, forbidden());
        client.put(&format!("{path}/discussions/{discussion}"), json!({"resolved": true})).assert(403, forbidden());
        client.post(&format!("{path}/time_estimate"), json!({"duration": "1h"})).assert(403, forbidden());
        client.put(&format!("{path}/rebase"), json!({})).assert(403, forbidden());
        assert_eq!(client.put(&format!("{path}/merge"), json!({})).status(), 401, "{role}");
        assert!(
            matches!(client.post(&format!("{path}/award_emoji"), json!({"name": "rocket"})).status(), 403 | 404),
            "{role}"
        );
        // A change of the caller's own data is no change of the project.
        assert!(matches!(client.post(&format!("{path}/subscribe"), json!({})).status(), 200 | 304), "{role}");
        assert_eq!(client.post(&format!("{path}/todo"), json!({})).status(), 200, "{role}");
    }
    let fields = ["title", "state", "merge_when_pipeline_succeeds", "updated_at"];
    assert_eq!(some(&cast.owner.get(&path).json(), &fields), some(&before, &fields));
    for below in ["commits", "changes", "versions", "notes"] {
        assert_eq!(cast.stranger.get(&format!("{path}/{below}")).status(), 200, "{below}");
    }
}

/// The numbers under which a project's repository keeps the heads of merge requests.
fn heads(server: &TestServer, project: i64) -> Vec<String> {
    let folder = server.data().join(format!("repositories/{:03}/{project}.git/refs/merge-requests", project % 1000));
    let folders = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let kept = folders.filter(|folder| folder.path().join("head").exists());
    let mut numbers: Vec<String> = kept.filter_map(|folder| folder.file_name().into_string().ok()).collect();
    numbers.sort();
    numbers
}
