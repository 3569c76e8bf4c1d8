//! Searching.

use serde_json::{Value, json};
use tenon_app::PageRequest;
use tenon_app::error::AppError;
use tenon_app::identity::Identity;
use tenon_app::search::{self, Scope};
use tenon_testkit::{Client, TestServer, both_databases};

use crate::{commit, issue, member, of, project, wait};

/// One field of everything that is found.
fn found(client: &Client, path: &str, field: &str) -> Vec<Value> {
    client.get(path).assert_status(200).each(field)
}

/// Adds a file on `main`.
fn file(client: &Client, project: i64, path: &str, content: &str) {
    let body = json!({"branch": "main", "commit_message": "a file",
        "actions": [{"action": "create", "file_path": path, "content": content}]});
    client.post(&format!("/projects/{project}/repository/commits"), body).assert_status(201).json();
}

#[both_databases]
fn what_the_caller_may_not_see_is_not_found_anywhere(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (open, secret) = (project(&alice, "needle-open", "public"), project(&alice, "needle-secret", "private"));
    for id in [open, secret] {
        issue(&alice, id, "a needle");
        let body = json!({"title": "needle goal"});
        alice.post(&format!("/projects/{id}/milestones"), body).assert_status(201).json();
    }
    let hidden = json!({"title": "hidden needle", "confidential": true});
    alice.post(&format!("/projects/{open}/issues"), hidden).assert_status(201).json();
    for (scope, bobs, alices) in [("projects", 1, 2), ("issues", 1, 3), ("milestones", 1, 2)] {
        let path = format!("/search?scope={scope}&search=Needle");
        assert_eq!(bob.get(&path).assert_status(200).header("X-Total"), bobs.to_string(), "{scope}");
        assert_eq!(alice.get(&path).assert_status(200).header("X-Total"), alices.to_string(), "{scope}");
    }
    for scope in ["issues", "milestones", "notes", "commits", "blobs"] {
        let reply = bob.get(&format!("/projects/{secret}/search?scope={scope}&search=needle"));
        reply.assert(404, json!({"message": "404 Project Not Found"}));
    }
    assert_eq!(found(&bob, "/search?scope=users&search=alice", "username"), ["alice"]);
    assert_eq!(found(&bob, "/search?scope=snippet_titles&search=needle", "id"), [Value::Null; 0]);
}

#[both_databases]
fn strangers_find_what_is_public_and_no_accounts(server: &TestServer) {
    let alice = server.user("alice");
    for (name, visibility) in [("needle-open", "public"), ("needle-inside", "internal"), ("needle-secret", "private")] {
        let id = project(&alice, name, visibility);
        issue(&alice, id, "a needle");
        let body = json!({"title": "hidden needle", "confidential": true});
        alice.post(&format!("/projects/{id}/issues"), body).assert_status(201).json();
    }
    let scopes = [Scope::Projects, Scope::Issues, Scope::MergeRequests, Scope::Milestones, Scope::Users, Scope::Blobs];
    let totals = |identity: &Identity, text: &str| {
        let found = search::totals(server.app(), identity, None, scopes.to_vec(), text.to_owned());
        wait(found).expect("totals").into_iter().map(|(_, total)| total).collect::<Vec<_>>()
    };
    assert_eq!(totals(&Identity::anonymous(), "needle"), [1, 1, 0, 0]);
    assert_eq!(totals(&of(&alice), "needle"), [3, 6, 0, 0, 0]);
    assert_eq!(totals(&of(&alice), "alice"), [0, 0, 0, 0, 1]);
    let page = PageRequest::default();
    let stranger = Identity::anonymous();
    let people = search::search(server.app(), &stranger, None, Scope::Users, "alice".to_owned(), page.into());
    assert!(matches!(wait(people), Err(AppError::Unauthenticated)));
}

#[both_databases]
fn every_search_needs_an_account_a_scope_and_a_text(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let group = alice.post("/groups", json!({"name": "team", "path": "team"})).assert_status(201).json();
    let group = group["id"].as_i64().expect("an id");
    for (path, foreign) in [
        ("/search".to_owned(), "blobs"),
        (format!("/groups/{group}/search"), "blobs"),
        (format!("/groups/{group}/-/search"), "notes"),
        (format!("/projects/{tool}/search"), "projects"),
        (format!("/projects/{tool}/-/search"), "snippet_titles"),
    ] {
        assert_eq!(server.anonymous().get(&format!("{path}?scope=issues&search=x")).status(), 401, "{path}");
        for query in ["", "?scope=issues", "?search=x", "?scope=issues&search=%20", "?scope=nothing&search=x"] {
            assert_eq!(alice.get(&format!("{path}{query}")).status(), 400, "{path}{query}");
        }
        assert_eq!(alice.get(&format!("{path}?scope={foreign}&search=x")).status(), 400, "{path} {foreign}");
    }
    assert_eq!(alice.get("/groups/9999/search?scope=issues&search=x").status(), 404);
}

#[both_databases]
fn a_group_is_searched_with_what_is_below_it(server: &TestServer) {
    let alice = server.user("alice");
    let above = alice.post("/groups", json!({"name": "above", "path": "above"})).assert_status(201).json();
    let body = json!({"name": "below", "path": "below", "parent_id": above["id"]});
    let below = alice.post("/groups", body).assert_status(201).json();
    let body = json!({"name": "needle", "namespace_id": below["id"]});
    let inside = alice.post("/projects", body).assert_status(201).json()["id"].as_i64().expect("an id");
    let outside = project(&alice, "needle", "private");
    for id in [inside, outside] {
        issue(&alice, id, "needle");
    }
    let path = format!("/groups/{}/search", above["id"]);
    assert_eq!(found(&alice, &format!("{path}?scope=projects&search=needle"), "id"), [json!(inside)]);
    assert_eq!(found(&alice, &format!("{path}?scope=issues&search=needle"), "project_id"), [json!(inside)]);
    let goal = json!({"title": "needle"});
    alice.post(&format!("/groups/{}/milestones", below["id"]), goal).assert_status(201).json();
    assert_eq!(found(&alice, &format!("{path}?scope=milestones&search=needle"), "group_id"), [below["id"].clone()]);
}

#[both_databases]
fn a_number_at_the_end_names_an_issue(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    for title in ["one", "two"] {
        issue(&alice, tool, title);
    }
    let path = format!("/projects/{tool}/search?scope=issues&search=");
    assert_eq!(found(&alice, &format!("{path}%232"), "title"), ["two"]);
    assert_eq!(found(&alice, &format!("{path}ONE"), "title"), ["one"]);
}

#[both_databases]
fn notes_are_found_by_their_text_where_the_issue_is_seen(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    let body = json!({"title": "t", "confidential": true});
    alice.post(&format!("/projects/{tool}/issues"), body).assert_status(201).json();
    issue(&alice, tool, "t");
    for iid in [1, 2] {
        let body = json!({"body": format!("a needle {iid}")});
        alice.post(&format!("/projects/{tool}/issues/{iid}/notes"), body).assert_status(201).json();
    }
    // A note of the server's own with the same text is none.
    alice.put(&format!("/projects/{tool}/issues/2"), json!({"title": "needle"})).assert_status(200).json();
    let path = format!("/projects/{tool}/search?scope=notes&search=NEEDLE");
    assert_eq!(found(&alice, &path, "body"), ["a needle 2", "a needle 1"]);
    assert_eq!(found(&bob, &path, "body"), ["a needle 2"]);
}

#[both_databases]
fn commits_are_found_by_message_and_by_id(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    let sha = commit(&alice, tool, "main", None, "Sharpen the Needle (a.b)");
    commit(&alice, tool, "other", Some("main"), "needle elsewhere");
    let path = format!("/projects/{tool}/search?scope=commits&search=");
    let short = sha.get(..7).expect("digits");
    for text in ["needle", "(a.b)", short, &sha] {
        assert_eq!(found(&alice, &format!("{path}{text}"), "id"), [json!(sha)], "{text}");
    }
    for text in ["axb", ".*", "--all"] {
        assert_eq!(found(&alice, &format!("{path}{text}"), "id"), [Value::Null; 0], "{text}");
    }
    assert_eq!(found(&alice, &format!("{path}needle"), "project_id"), [json!(tool)]);
}

#[both_databases]
fn files_are_found_by_content_and_path(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    file(&alice, tool, "src/main.rs", "1\n2\n3\nlet Needle = 1;\n5\n6\n7\n");
    file(&alice, tool, "needle/empty", "");
    file(&alice, tool, "docs/needle.md", "# needle\n");
    let path = format!("/projects/{tool}/search?scope=blobs&search=");
    let hits = alice.get(&format!("{path}needle")).assert_status(200);
    assert_eq!(hits.each("filename"), ["docs/needle.md", "needle/empty", "src/main.rs"]);
    let hit = hits.json()[2].clone();
    assert_eq!(
        hit,
        json!({"basename": "src/main", "data": "2\n3\nlet Needle = 1;\n5\n6\n", "filename": "src/main.rs",
        "id": null, "ref": "main", "startline": 2, "project_id": tool})
    );
    for (text, names) in [
        ("needle%20extension:rs", json!(["src/main.rs"])),
        ("needle%20filename:NEEDLE*", json!(["docs/needle.md"])),
        ("needle%20path:docs", json!(["docs/needle.md"])),
        ("let.needle", json!([])),
        ("-e%20needle", json!([])),
    ] {
        assert_eq!(json!(found(&alice, &format!("{path}{text}"), "filename")), names, "{text}");
    }
    assert_eq!(found(&alice, &format!("{path}needle&per_page=1&page=2"), "filename"), ["needle/empty"]);
}

#[both_databases]
fn code_is_not_searched_for_who_may_not_read_it(server: &TestServer) {
    let (alice, guest) = (server.user("alice"), server.user("guest"));
    let tool = project(&alice, "tool", "private");
    member(&alice, tool, &guest, 10);
    file(&alice, tool, "needle", "needle");
    commit(&alice, tool, "main", None, "needle");
    for scope in ["commits", "blobs", "wiki_blobs"] {
        let path = format!("/projects/{tool}/search?scope={scope}&search=needle");
        assert_eq!(found(&guest, &path, "id"), [Value::Null; 0], "{scope}");
    }
    // Nothing is found in a project without a commit, either.
    let empty = alice.post("/projects", json!({"name": "empty"})).assert_status(201).json()["id"].clone();
    for scope in ["commits", "blobs"] {
        let path = format!("/projects/{empty}/search?scope={scope}&search=needle");
        assert_eq!(found(&alice, &path, "id"), [Value::Null; 0], "{scope}");
    }
}
