//! Comments at addresses that do not name their subject, as other programs send them, and comments on commits.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, first};
use crate::issue::tracker;
use crate::merge_request::offer;
use crate::project::MARKER;
use crate::{PASSWORD, member};

#[both_databases]
fn what_is_said_is_known_by_its_number(server: &TestServer) {
    let (ada, id) = tracker(server);
    let issue = |iid: i64| ada.get(&format!("/projects/{id}/issues/{iid}")).json()["id"].as_i64().unwrap();
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let token = own.get("/").token();
    let send = |path: &str, fields: &[(&str, &str)]| {
        own.post(&format!("/ada/tool/notes{path}"), &[&[("authenticity_token", token.as_str())], fields].concat())
    };
    let said = send(&format!("?target_type=issue&target_id={}", issue(3)), &[("note[note]", "Hello *there*")]);
    assert!(said.location().starts_with("/ada/tool/issues/3#note_"), "{}", said.location());
    let note = first(&said.location(), "note_([0-9]+)");
    let by_form = send("", &[("target_type", "issue"), ("target_id", &issue(4).to_string()), ("note[note]", "Here")]);
    assert!(by_form.location().starts_with("/ada/tool/issues/4#note_"), "{}", by_form.location());
    let changed = send(&format!("/{note}"), &[("_method", "put"), ("note[note]", "Goodbye")]);
    assert_eq!(changed.location(), format!("/ada/tool/issues/3?note={note}#note_{note}"));
    assert!(own.get("/ada/tool/issues/3").html.contains("Goodbye"));
    // The fault is shown on the page of the issue, which keeps the text.
    let blank = send(&format!("?target_type=issue&target_id={}", issue(3)), &[("note[note]", " ")]).assert_status(422);
    assert!(blank.html.contains("can&#39;t be blank") && blank.html.contains("Issue 3"), "{}", blank.html);
    // An object that others may not see is missing for them.
    let hidden = issue(26);
    let of_hidden = send(&format!("?target_type=issue&target_id={hidden}"), &[("note[note]", "Secret")]);
    let of_hidden = first(&of_hidden.location(), "note_([0-9]+)");
    let _ = member(server, "bob");
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let missing = bob.get("/no/such/page").assert_status(404).html;
    let token = bob.get("/").token();
    let refused = |path: &str, method: &str| {
        let fields = [("authenticity_token", token.as_str()), ("_method", method), ("note[note]", "x")];
        assert_eq!(bob.post(&format!("/ada/tool/notes{path}"), &fields).assert_status(404).html, missing, "{path}");
    };
    for path in [
        format!("?target_type=issue&target_id={hidden}"),
        "?target_type=issue&target_id=999999".to_owned(),
        format!("?target_type=merge_request&target_id={}", issue(3)),
        "?target_type=x&target_id=1".to_owned(),
        String::new(),
    ] {
        refused(&path, "post");
    }
    for (path, method) in [
        (format!("/{of_hidden}"), "put"),
        (format!("/{of_hidden}"), "delete"),
        ("/999999".to_owned(), "delete"),
        ("/x".to_owned(), "put"),
        (format!("/{of_hidden}/resolve"), "post"),
        (format!("/{of_hidden}/resolve"), "delete"),
    ] {
        refused(&path, method);
    }
    assert_eq!(send(&format!("/{note}"), &[("_method", "delete")]).location(), "/ada/tool/issues/3");
    assert!(!own.get("/ada/tool/issues/3").html.contains("Goodbye"));
}

#[both_databases]
fn a_comment_of_a_merge_request_is_resolved_by_its_number(server: &TestServer) {
    let (ada, id) = offer(server);
    let path = format!("/projects/{id}/merge_requests/1");
    let thread = ada.post(&format!("{path}/discussions"), json!({"body": "Why?"})).assert_status(201).json();
    let (note, request) = (thread["notes"][0]["id"].as_i64().unwrap(), ada.get(&path).json()["id"].as_i64().unwrap());
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let token = own.get("/").token();
    let said = own.post(
        &format!("/ada/tool/notes?target_type=merge_request&target_id={request}"),
        &[("authenticity_token", &token), ("note[note]", "Well")],
    );
    assert!(said.location().starts_with("/ada/tool/merge_requests/1#note_"), "{}", said.location());
    for (method, resolved) in [("post", true), ("delete", false)] {
        let answer = own
            .post(&format!("/ada/tool/notes/{note}/resolve"), &[("authenticity_token", &token), ("_method", method)]);
        assert_eq!(answer.location(), format!("/ada/tool/merge_requests/1?note={note}#note_{note}"));
        let stored = ada.get(&format!("{path}/notes/{note}")).json();
        assert_eq!(stored["resolved"], resolved, "{stored}");
    }
}

#[both_databases]
fn commits_are_commented_on(server: &TestServer) {
    let (ada, id) = offer(server);
    let head = ada.get(&format!("/projects/{id}/repository/commits/topic")).json()["id"].as_str().unwrap().to_owned();
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let page = own.get(&format!("/ada/tool/commit/{head}")).assert_status(200);
    assert!(page.html.contains("<h2 id=\"comments\">Comments</h2>"), "{}", page.html);
    let blank = page.submit(&own, "/ada/tool/notes", &[("note[note]", " ")]).assert_status(422);
    assert!(blank.html.contains("can&#39;t be blank") && blank.html.contains(&head), "{}", blank.html);
    // Its links lead to the commit, too, although its address is another one.
    assert!(
        blank.html.contains(&format!("href=\"/ada/tool/commit/{head}?w=1\"")) && blank.queries().is_empty(),
        "{}",
        blank.html
    );
    let said = page.submit(&own, "/ada/tool/notes", &[("note[note]", &format!("**Fine** {MARKER}"))]);
    let note = said.location().rsplit_once("#note_").expect("a fragment").1.to_owned();
    assert_eq!(said.location(), format!("/ada/tool/commit/{head}#note_{note}"));
    assert!(own.get(&format!("/ada/tool/commit/{head}")).html.contains(&format!("id=\"note_{note}\"")));
    let seen = Browser::of(server).get(&format!("/ada/tool/commit/{head}")).assert_status(200).html;
    assert!(
        seen.contains("Comments <span class=\"count\">1</span>")
            && seen.contains("<strong>Fine</strong>")
            && !seen.contains("<img src=x")
            && !seen.contains("name=\"target_type\""),
        "{seen}"
    );
    let token = own.get("/").token();
    let missing = own.post(
        "/ada/tool/notes?target_type=commit&target_id=none",
        &[("authenticity_token", &token), ("note[note]", "x")],
    );
    assert_eq!(missing.reply.status(), 404, "{}", missing.html);
    // A branch is named as well; the answer leads to its commit.
    let by_branch = own.post(
        "/ada/tool/notes?target_type=commit&target_id=topic",
        &[("authenticity_token", &token), ("note[note]", "x")],
    );
    assert!(by_branch.location().starts_with(&format!("/ada/tool/commit/{head}#note_")), "{}", by_branch.location());
    // An archived project takes no comments, and its pages offer none.
    let _ = ada.post(&format!("/projects/{id}/archive"), json!({})).assert_status(200);
    let page = own.get(&format!("/ada/tool/commit/{head}")).assert_status(200).html;
    assert!(
        page.contains("Comments <span class=\"count\">2</span>") && !page.contains("name=\"target_type\""),
        "{page}"
    );
}

#[both_databases]
fn many_comments_of_a_commit_are_shown_in_pages_newest_first(server: &TestServer) {
    let (ada, id) = offer(server);
    let head = ada.get(&format!("/projects/{id}/repository/commits/topic")).json()["id"].as_str().unwrap().to_owned();
    for number in 1..=51 {
        let path = format!("/projects/{id}/repository/commits/{head}/comments");
        let _ = ada.post(&path, json!({"note": format!("comment {number}.")})).assert_status(201);
    }
    let visitor = Browser::of(server);
    let page = visitor.get(&format!("/ada/tool/commit/{head}")).assert_status(200).html;
    let at = |text: &str| page.find(text);
    assert!(
        page.contains("Comments <span class=\"count\">51</span>")
            && at("comment 2.") < at("comment 51.")
            && at("comment 1.").is_none(),
        "{page}"
    );
    let older = visitor.get(&format!("/ada/tool/commit/{head}?page=2")).assert_status(200).html;
    assert!(older.contains("comment 1.") && !older.contains("comment 2."), "{older}");
    assert!(page.contains(&format!("/ada/tool/commit/{head}?page=2")), "{page}");
    // The number of a comment leads to the page that has it. A number that is no comment of the commit is not looked
    // for.
    let oldest = first(&older, "id=\"note_([0-9]+)\"");
    assert_eq!(
        visitor
            .get(&format!("/ada/tool/commit/{head}?note={oldest}"))
            .assert_status(200)
            .html
            .matches(&format!("id=\"note_{oldest}\""))
            .count(),
        1
    );
    assert!(
        visitor.get(&format!("/ada/tool/commit/{head}?note=999999")).assert_status(200).html.contains("comment 51.")
    );
}
