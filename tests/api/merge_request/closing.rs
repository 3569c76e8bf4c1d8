//! Issues and merge requests that name each other.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::{branch, cast, commit, fork, merge, offer, repository, work};
use crate::support::*;

#[both_databases]
fn what_it_will_close_is_known_before(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for title in ["one", "two", "three", "four"] {
        titled(&alice, tool, title);
    }
    branch(&alice, tool, "topic", "main");
    commit(&alice, tool, "topic", "Work\n\nFixes #3", &json!([{"action": "create", "file_path": "x", "content": "x"}]));
    let path = offer(
        &alice,
        tool,
        "topic",
        "main",
        &json!({"title": "Close #1", "description": "This relates to #4 and resolves #2"}),
    );
    let closes = |path: &str| titles(&alice, &format!("{path}/closes_issues"));
    assert_eq!(closes(&path), ["one", "two", "three"]);
    let list = alice.get(&format!("{path}/closes_issues?per_page=2&page=2"));
    assert_eq!((texts(&list, "title"), list.header("x-total")), (vec!["three".to_owned()], "3".to_owned()));
    assert_lacks(&list.json()[0], &["subscribed"]);
    assert_eq!(alice.get(&format!("{path}/related_issues")).status(), 200);
    for (iid, want) in [(1, vec!["Close #1"]), (3, vec!["Close #1"]), (4, vec![])] {
        let closed_by = titles(&alice, &format!("/projects/{tool}/issues/{iid}/closed_by"));
        assert_eq!(closed_by, want, "{iid}");
    }
    let list = alice.get(&format!("/projects/{tool}/issues?sort=asc"));
    assert_eq!(list.each("merge_requests_count"), [1, 1, 1, 0]);
    let related = |iid: i64| titles(&alice, &format!("/projects/{tool}/issues/{iid}/related_merge_requests"));
    assert_eq!([related(1), related(4)], [["Close #1"], ["Close #1"]]);
    // A later text counts, and a removed one does not.
    changed(&alice, &path, json!({"title": "t", "description": "closes #4"}));
    assert_eq!(closes(&path), ["three", "four"]);
    commit(
        &alice,
        tool,
        "topic",
        "More\n\nCloses #2",
        &json!([{"action": "create", "file_path": "y", "content": "y"}]),
    );
    server.run_jobs();
    assert_eq!(closes(&path), ["two", "three", "four"]);
    merge(&alice, &path, json!({}));
    assert_eq!(titles(&alice, &format!("/projects/{tool}/issues?state=opened")), ["one"]);
}

#[both_databases]
fn issues_of_another_tracker_are_named(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    titled(&alice, tool, "one");
    branch(&alice, tool, "topic", "main");
    commit(
        &alice,
        tool,
        "topic",
        "Work\n\nFixes ABC-7",
        &json!([{"action": "create", "file_path": "x", "content": "x"}]),
    );
    let path = offer(
        &alice,
        tool,
        "topic",
        "main",
        &json!({"title": "Close ABC-12", "description": "Closes #1 and ABC-12, not XY-3"}),
    );
    let closes = |query: &str| alice.get(&format!("{path}/closes_issues{query}"));
    assert_eq!(texts(&closes(""), "title"), ["one"], "the project uses no other tracker");
    let jira = json!({"url": "https://jira.example", "username": "u", "password": "p"});
    let service = format!("/projects/{tool}/services/jira");
    let _ = alice.put(&service, jira).assert_status(200);
    let list = closes("");
    assert_eq!(
        (texts(&list, "title"), list.header("x-total")),
        (vec!["one".to_owned(), "External Issue ABC-12".to_owned(), "External Issue ABC-7".to_owned()], "3".to_owned())
    );
    closes("?per_page=1&page=2").assert(200, json!([{"id": "ABC-12", "title": "External Issue ABC-12"}]));
    // A tracker of numbers has those of the project if its own issues are off.
    let _ = alice.delete(&service).assert_status(204);
    let addresses = json!({"new_issue_url": "https://t.example/new", "issues_url": "https://t.example/:id", "project_url": "https://t.example"});
    let _ = alice.put(&format!("/projects/{tool}/services/redmine"), addresses).assert_status(200);
    changed(&alice, &format!("/projects/{tool}"), json!({"issues_enabled": false}));
    let list = closes("");
    assert_eq!(list.each("id"), ["ABC-12", "ABC-7", "1"]);
    // Nothing is closed here.
    merge(&alice, &path, json!({}));
    changed(&alice, &format!("/projects/{tool}"), json!({"issues_enabled": true}));
    assert_eq!(titles(&alice, &format!("/projects/{tool}/issues?state=opened")), ["one"]);
}

#[both_databases]
fn only_a_merge_into_the_default_branch_will_close(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    titled(&alice, tool, "one");
    branch(&alice, tool, "next", "main");
    work(&alice, tool, "topic");
    let path = offer(&alice, tool, "topic", "next", &json!({"description": "Closes #1"}));
    let list = alice.get(&format!("{path}/closes_issues"));
    assert_eq!((list.json(), list.header("x-total")), (json!([]), "0".to_owned()));
    changed(&alice, &path, json!({"target_branch": "main"}));
    assert_eq!(titles(&alice, &format!("{path}/closes_issues")), ["one"]);
}

#[both_databases]
fn issues_that_a_reader_may_not_see_are_left_out(server: &TestServer) {
    let cast = cast(server, "public");
    let hidden = project(&cast.owner, "hidden", "private");
    titled(&cast.owner, hidden, "far");
    titled(&cast.owner, cast.project, "near");
    issue(&cast.owner, cast.project, json!({"title": "secret", "confidential": true}));
    work(&cast.owner, cast.project, "topic");
    let path =
        offer(&cast.owner, cast.project, "topic", "main", &json!({"description": "Closes #1, #2 and owner/hidden#1"}));
    for (client, want) in [
        (&cast.stranger, vec!["near"]),
        (&cast.reporter, vec!["near", "secret"]),
        (&cast.owner, vec!["far", "near", "secret"]),
    ] {
        let list = client.get(&format!("{path}/closes_issues"));
        let mut found = texts(&list, "title");
        found.sort();
        assert_eq!(
            (found, list.header("x-total")),
            (want.iter().map(ToString::to_string).collect(), want.len().to_string()),
            "{}",
            client.username
        );
    }
    changed(&cast.owner, &cast.path(), json!({"visibility": "private"}));
    cast.guest.get(&format!("{path}/closes_issues")).assert(403, forbidden());
    // A guest of a private project sees its issues, but not the merge requests that would close them.
    let near = format!("{}/issues/1", cast.path());
    assert_eq!(titles(&cast.guest, &format!("{near}/closed_by")), [""; 0]);
    assert_eq!(titles(&cast.guest, &format!("{near}/related_merge_requests")), [""; 0]);
    assert_eq!(titles(&cast.reporter, &format!("{near}/closed_by")), ["topic"]);
    for (client, want) in [(&cast.guest, 0), (&cast.reporter, 1), (&cast.owner, 1)] {
        assert_eq!(client.get(&near).json()["merge_requests_count"], want, "{}", client.username);
        let list = client.get(&format!("{}/issues?search=near", cast.path()));
        assert_eq!(list.each("merge_requests_count"), [want], "{}", client.username);
    }
    assert_eq!(cast.admin.get(&near).json()["merge_requests_count"], 1);
}

#[both_databases]
fn a_fork_closes_nothing_of_its_parent(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    member(&alice, &format!("/projects/{tool}"), bob.id, 40);
    let issue = titled(&alice, tool, "t");
    let copy = fork(server, &bob, tool);
    work(&bob, copy, "topic");
    let path = offer(&bob, copy, "topic", "main", &json!({"description": "Closes alice/tool#1"}));
    assert_eq!(bob.get(&format!("{path}/closes_issues")).json(), json!([]));
    merge(&bob, &path, json!({}));
    server.run_jobs();
    assert_eq!(alice.get(&issue).json()["state"], "opened");
    // Offered to the parent itself, it does.
    work(&bob, copy, "other");
    let path = offer(&bob, copy, "other", "main", &json!({"target_project_id": tool, "description": "Closes #1"}));
    assert_eq!(titles(&alice, &format!("{path}/closes_issues")), ["t"]);
}

#[both_databases]
fn each_notes_that_the_other_names_it(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let other = repository(&alice, "other", "public");
    let first = titled(&alice, tool, "one");
    work(&alice, tool, "topic");
    let path = offer(&alice, tool, "topic", "main", &json!({"description": "See #1"}));
    assert_eq!(system_notes(&alice, &first), ["mentioned in merge request !1"]);
    issue(&alice, tool, json!({"title": "two", "description": "because of !1"}));
    work(&alice, other, "topic");
    offer(&alice, other, "topic", "main", &json!({"description": "after alice/tool!1"}));
    comment(&alice, &first, "as in !1");
    let mut notes = system_notes(&alice, &path);
    notes.sort();
    assert_eq!(notes, ["mentioned in issue #1", "mentioned in issue #2", "mentioned in merge request other!1"]);
}

#[both_databases]
fn what_hidden_merge_requests_name_is_left_out(server: &TestServer) {
    let cast = cast(server, "public");
    let hidden = repository(&cast.owner, "hidden", "private");
    let issue = titled(&cast.owner, cast.project, "t");
    work(&cast.owner, hidden, "topic");
    offer(&cast.owner, hidden, "topic", "main", &json!({"description": "Closes owner/tool#1"}));
    assert_eq!(system_notes(&cast.owner, &issue), ["mentioned in merge request hidden!1"]);
    assert_eq!(system_notes(&cast.maintainer, &issue), [""; 0]);
    for list in ["closed_by", "related_merge_requests"] {
        let path = format!("{issue}/{list}");
        assert_eq!(
            (titles(&cast.owner, &path), titles(&cast.maintainer, &path)),
            (vec!["topic".to_owned()], vec![]),
            "{list}"
        );
    }
}

#[both_databases]
fn mentions_of_merge_requests_become_links(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    work(&alice, tool, "topic");
    offer(&alice, tool, "topic", "main", &json!({}));
    let html = alice
        .post("/markdown", json!({"text": "see !1", "gfm": true, "project": "alice/tool"}))
        .assert_status(201)
        .json();
    let want = format!("href=\"{}/alice/tool/-/merge_requests/1\"", server.base());
    assert!(html["html"].as_str().is_some_and(|html| html.contains(&want)), "{html}");
}

#[both_databases]
fn an_issue_that_came_after_the_text_is_closed_as_well(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    work(&alice, tool, "topic");
    let path = offer(&alice, tool, "topic", "main", &json!({"description": "Closes #1 and alice/later#1"}));
    let closes = || titles(&alice, &format!("{path}/closes_issues"));
    assert_eq!(closes(), [""; 0]);
    titled(&alice, tool, "one");
    let later = project(&alice, "later", "private");
    titled(&alice, later, "far");
    assert_eq!(closes(), ["one", "far"]);
    let _ = alice.delete(&format!("/projects/{later}/issues/1")).assert_status(204);
    assert_eq!(closes(), ["one"]);
    merge(&alice, &path, json!({}));
    assert_eq!(alice.get(&format!("/projects/{tool}/issues/1")).json()["state"], "closed");
}

#[both_databases]
fn an_issue_that_came_after_the_text_knows_what_closes_it(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    branch(&alice, tool, "topic", "main");
    let file = json!([{"action": "create", "file_path": "x", "content": "x"}]);
    commit(&alice, tool, "topic", "Work\n\nFixes #2 and Later#2", &file);
    let path = offer(
        &alice,
        tool,
        "topic",
        "main",
        &json!({"title": "It", "description": "Closes #1 and Alice/later#1 and #3"}),
    );
    let closed_by = |project: i64, iid: i64| titles(&alice, &format!("/projects/{project}/issues/{iid}/closed_by"));
    for title in ["one", "two", "three"] {
        titled(&alice, tool, title);
    }
    let later = project(&alice, "later", "private");
    titled(&alice, later, "far");
    titled(&alice, later, "farther");
    for iid in 1..=3 {
        assert_eq!(closed_by(tool, iid), ["It"], "{iid}");
    }
    for iid in 1..=2 {
        assert_eq!(closed_by(later, iid), ["It"], "{iid}");
    }
    assert_eq!(titles(&alice, &format!("/projects/{tool}/issues/1/related_merge_requests")), ["It"]);
    let counts = |project: i64| alice.get(&format!("/projects/{project}/issues?sort=asc")).each("merge_requests_count");
    assert_eq!((counts(tool), counts(later)), (vec![json!(1); 3], vec![json!(1); 2]));
    assert_eq!(titles(&alice, &format!("{path}/closes_issues")), ["one", "two", "three", "far", "farther"]);
    // A path names the project that has it when it is asked for. A number without a path stays with its project.
    changed(&alice, &format!("/projects/{later}"), json!({"path": "elsewhere"}));
    assert_eq!((closed_by(later, 1), closed_by(later, 2)), (vec![], vec![]));
    changed(&alice, &format!("/projects/{tool}"), json!({"path": "renamed"}));
    assert_eq!(closed_by(tool, 1), ["It"]);
    // Removed text does not count.
    changed(&alice, &path, json!({"description": "closes #3"}));
    assert_eq!(
        (closed_by(tool, 1), closed_by(tool, 2), closed_by(tool, 3)),
        (vec![], vec!["It".to_owned()], vec!["It".to_owned()])
    );
}

#[both_databases]
fn an_issue_that_has_moved_is_closed_by_what_names_its_new_place(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let other = project(&alice, "other", "public");
    titled(&alice, tool, "one");
    work(&alice, tool, "topic");
    offer(&alice, tool, "topic", "main", &json!({"title": "It", "description": "Closes other#1"}));
    let _ = alice.post(&format!("/projects/{tool}/issues/1/move"), json!({"to_project_id": other})).assert_status(200);
    assert_eq!(titles(&alice, &format!("/projects/{other}/issues/1/closed_by")), ["It"]);
    assert_eq!(titles(&alice, &format!("/projects/{tool}/issues/1/closed_by")), [""; 0]);
}
