//! The callers who see confidential issues and those of hidden projects.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn confidential_issues_are_for_reporters_authors_and_assignees(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let hidden = issue(&cast.owner, cast.project, json!({"title": "secret", "confidential": true}));
    let own = issue(&cast.guest, cast.project, json!({"title": "secret", "confidential": true}));
    let assigned = issue(
        &cast.owner,
        cast.project,
        json!({"title": "secret", "confidential": true, "assignee_ids": [cast.stranger.id]}),
    );
    let status = |path: &str| cast.statuses(|client| client.get(path));
    assert_eq!(status(&hidden), [404, 404, 200, 200, 200, 200, 200]);
    assert_eq!(status(&own), [404, 200, 200, 200, 200, 200, 200]);
    assert_eq!(status(&assigned), [200, 404, 200, 200, 200, 200, 200]);
    cast.guest.get(&hidden).assert(404, not_found());
    let lists = [format!("{}/issues?sort=asc", cast.path()), "/issues?scope=all&sort=asc".to_owned()];
    for list in &lists {
        assert_eq!(iids(&cast.stranger, list), [3], "{list}");
        assert_eq!(iids(&cast.guest, list), [2], "{list}");
        assert_eq!(iids(&cast.reporter, list), [1, 2, 3], "{list}");
        assert_eq!(iids(&cast.admin, list), [1, 2, 3], "{list}");
        assert_eq!(iids(&cast.guest, &format!("{list}&search=secret")), [2], "{list}");
        assert_eq!(iids(&cast.guest, &format!("{list}&iids[]=1")), [0; 0], "{list}");
        assert_eq!(iids(&cast.guest, &format!("{list}&confidential=true")), [2], "{list}");
    }
    let link = cast.guest.get(&format!("{}&per_page=1", lists[0])).header("link");
    assert!(!link.contains("rel=\"next\""), "{link}");
}

#[both_databases]
fn whatever_belongs_to_a_confidential_issue_is_missing_for_others(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = issue(&cast.owner, cast.project, json!({"title": "secret", "confidential": true}));
    let note = comment(&cast.owner, &path, "secret");
    let open = titled(&cast.owner, cast.project, "open");
    let discussion = made(&cast.owner, &format!("{path}/discussions"), json!({"body": "secret"}))["id"].clone();
    let discussion = discussion.as_str().expect("an id");
    let award = id(&made(&cast.owner, &format!("{path}/award_emoji"), json!({"name": "heart"})));
    let note_award = id(&made(&cast.owner, &format!("{path}/notes/{note}/award_emoji"), json!({"name": "heart"})));
    changed(&cast.owner, &path, json!({"labels": "x", "state_event": "close"}));
    let event = ids(&cast.owner.get(&format!("{path}/resource_state_events")))[0];
    for client in [&cast.stranger, &cast.guest] {
        for read in [
            String::new(),
            "/notes".to_owned(),
            format!("/notes/{note}"),
            "/discussions".to_owned(),
            format!("/discussions/{discussion}"),
            "/participants".to_owned(),
            "/closed_by".to_owned(),
            "/related_merge_requests".to_owned(),
            "/time_stats".to_owned(),
            "/links".to_owned(),
            "/resource_label_events".to_owned(),
            "/resource_milestone_events".to_owned(),
            "/resource_state_events".to_owned(),
            format!("/resource_state_events/{event}"),
        ] {
            client.get(&format!("{path}{read}")).assert(404, not_found());
        }
        for read in [
            "/award_emoji".to_owned(),
            format!("/award_emoji/{award}"),
            format!("/notes/{note}/award_emoji"),
            format!("/notes/{note}/award_emoji/{note_award}"),
        ] {
            let reply = client.get(&format!("{path}{read}"));
            assert_eq!(reply.status(), 404, "{read}: {}", reply.text());
        }
        for (write, body) in [
            ("/subscribe", json!({})),
            ("/unsubscribe", json!({})),
            ("/todo", json!({})),
            ("/notes", json!({"body": "b"})),
            ("/discussions", json!({"body": "b"})),
            ("/award_emoji", json!({"name": "tada"})),
            ("/time_estimate", json!({"duration": "1h"})),
            ("/add_spent_time", json!({"duration": "1h"})),
            ("/reset_spent_time", json!({})),
            ("/links", json!({"target_project_id": cast.project, "target_issue_iid": 2})),
        ] {
            let reply = client.post(&format!("{path}{write}"), body);
            assert!(matches!(reply.status(), 403 | 404), "{write}: {} {}", reply.status(), reply.text());
            assert!(!reply.text().contains("secret"), "{write}: {}", reply.text());
        }
        // The answer is that for one that was never there. Edits are the exception: their rule is 403.
        let edit = client.put(&path, json!({"title": "u"}));
        assert!(matches!(edit.status(), 403 | 404), "{}", edit.status());
        let status = client.delete(&path).status();
        assert!(matches!(status, 403 | 404), "{status}");
        let link =
            client.post(&format!("{open}/links"), json!({"target_project_id": cast.project, "target_issue_iid": 1}));
        assert!(matches!(link.status(), 403 | 404), "{}", link.status());
    }
}

#[both_databases]
fn an_issue_that_becomes_confidential_is_gone_for_others(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = titled(&cast.owner, cast.project, "t");
    let _ = cast.guest.post(&format!("{path}/todo"), json!({})).assert_status(200);
    changed(&cast.owner, &path, json!({"confidential": true}));
    server.run_jobs();
    cast.guest.get(&path).assert(404, not_found());
    assert_eq!(cast.guest.get("/todos").json(), json!([]));
    assert_eq!(cast.guest.get("/todos").header("x-total"), "0");
    changed(&cast.owner, &path, json!({"confidential": false}));
    let _ = cast.guest.get(&path).assert_status(200);
}

#[both_databases]
fn authors_who_are_no_longer_members_of_a_private_project_see_nothing(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let path = issue(&cast.guest, cast.project, json!({"title": "mine"}));
    assert_eq!(cast.statuses(|client| client.get(&path)), [404, 200, 200, 200, 200, 200, 200]);
    cast.stranger.get(&path).assert(404, missing("Project"));
    let _ = cast.owner.delete(&format!("{}/members/{}", cast.path(), cast.guest.id)).assert_status(204);
    cast.guest.get(&path).assert(404, missing("Project"));
    assert_eq!(iids(&cast.guest, "/issues"), [0; 0]);
    assert_eq!(iids(&cast.guest, "/issues?scope=all"), [0; 0]);
}

#[both_databases]
fn internal_projects_are_for_those_with_an_account_of_the_house(server: &TestServer) {
    let cast = Cast::of(server, "internal");
    let path = titled(&cast.owner, cast.project, "t");
    let outsider = server.user_with("outsider", &json!({"external": true}));
    let _ = cast.stranger.get(&path).assert_status(200);
    assert_eq!(iids(&cast.stranger, "/issues?scope=all"), [1]);
    outsider.get(&path).assert(404, missing("Project"));
    assert_eq!(iids(&outsider, "/issues?scope=all"), [0; 0]);
    member(&cast.owner, &cast.path(), outsider.id, 10);
    let _ = outsider.get(&path).assert_status(200);
}

#[both_databases]
fn groups_list_only_what_the_caller_sees(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let team = group(&alice, "team", "public");
    let (open, hidden) = (project_in(&alice, team, "open", "public"), project_in(&alice, team, "hidden", "private"));
    titled(&alice, open, "open");
    titled(&alice, hidden, "hidden");
    issue(&alice, open, json!({"title": "confidential", "confidential": true}));
    let list = format!("/groups/{team}/issues");
    assert_eq!(titles(&bob, &list), ["open"]);
    assert_eq!(bob.get(&list).header("x-total"), "1");
    assert_eq!(titles(&alice, &list), ["confidential", "hidden", "open"]);
    let secret = group(&alice, "secret", "private");
    bob.get(&format!("/groups/{secret}/issues")).assert(404, missing("Group"));
}

#[both_databases]
fn readers_of_a_shared_project_see_as_much_as_the_share_gives(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let friends = group(&bob, "friends", "public");
    let tool = project(&alice, "tool", "private");
    titled(&alice, tool, "open");
    issue(&alice, tool, json!({"title": "confidential", "confidential": true}));
    let list = format!("/projects/{tool}/issues");
    made(&alice, &format!("/projects/{tool}/share"), json!({"group_id": friends, "group_access": 10}));
    assert_eq!(titles(&bob, &list), ["open"]);
    let _ = alice.delete(&format!("/projects/{tool}/share/{friends}")).assert_status(204);
    bob.get(&list).assert(404, missing("Project"));
    made(&alice, &format!("/projects/{tool}/share"), json!({"group_id": friends, "group_access": 20}));
    assert_eq!(titles(&bob, &list), ["confidential", "open"]);
}

#[both_databases]
fn a_read_only_token_opens_no_issues(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let path = titled(&alice, tool, "t");
    let narrow = server.client(&server.token(alice.id, &["read_user"]));
    for reply in [
        narrow.get(&path),
        narrow.get("/issues"),
        narrow.post(&format!("/projects/{tool}/issues"), json!({"title": "t"})),
        narrow.get("/todos"),
    ] {
        assert_eq!((reply.status(), &reply.json()["error"]), (403, &json!("insufficient_scope")));
    }
    assert_eq!(server.client("no such token").get(&path).assert_status(401).json(), unauthorized());
    assert_ne!(alice.get(&path).json(), Value::Null);
}
