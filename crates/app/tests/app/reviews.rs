//! Reviews of merge requests: drafts that are published together, files viewed, and what has changed since a version that
//! was seen.

use serde_json::{Value, json};
use tenon_app::error::AppError;
use tenon_app::issuable::IssuableReference;
use tenon_app::merge_request::{self, AskedDifference};
use tenon_app::note::{self, NewDraft, Review};
use tenon_app::repository::WhiteSpace;
use tenon_app::{PageRequest, Query, Reference};
use tenon_domain::id::{Iid, VersionId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::note::DiffPosition;
use tenon_testkit::{Client, TestServer, User, both_databases};

use crate::{commit, member, of, project, wait};

fn reference(project: i64) -> IssuableReference {
    IssuableReference { kind: IssuableKind::MergeRequest, project: Reference::Id(project), iid: Iid::new(1) }
}

/// A public project with a merge request of one commit.
fn requested(alice: &Client) -> i64 {
    let id = project(alice, "reviewed", "public");
    commit(alice, id, "topic", Some("main"), "a change");
    let body = json!({"source_branch": "topic", "target_branch": "main", "title": "change"});
    let _ = alice.post(&format!("/projects/{id}/merge_requests"), body).assert_status(201);
    id
}

fn draft(server: &TestServer, user: &User, id: i64, request: NewDraft) -> Result<(), AppError> {
    server.app().write_now(&of(user), |command| note::write_draft(command, &reference(id), request).map(drop))
}

/// The drafts that a user is about to publish.
fn review(server: &TestServer, user: &User, id: i64) -> Result<Review, AppError> {
    server.app().read_now(&of(user), |query| note::own_drafts(query, &reference(id))).map(Review::of)
}

/// The texts of a user's drafts.
fn drafts(server: &TestServer, user: &User, id: i64) -> Vec<String> {
    let found = server.app().read_now(&of(user), |query| note::drafts(query, &reference(id))).expect("drafts");
    found.into_iter().map(|shown| shown.draft.body).collect()
}

fn publish(server: &TestServer, user: &User, id: i64) -> Result<usize, AppError> {
    let review = review(server, user, id)?;
    publish_as_read(server, user, id, review)
}

fn publish_as_read(server: &TestServer, user: &User, id: i64, review: Review) -> Result<usize, AppError> {
    server.app().write_now(&of(user), |command| note::publish_drafts(command, &reference(id), review))
}

/// Discussions as the API shows them, without what the server wrote.
fn discussions(client: &Client, id: i64) -> Vec<Value> {
    let found = client.get(&format!("/projects/{id}/merge_requests/1/discussions")).assert_status(200).json();
    let found = found.as_array().expect("a list").clone();
    found.into_iter().filter(|one| one["notes"][0]["system"] == false).collect()
}

fn text(body: &str) -> NewDraft {
    NewDraft { body: body.to_owned(), ..NewDraft::default() }
}

#[both_databases]
fn drafts_are_seen_by_their_author_until_they_are_published_together(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let id = requested(&alice);
    let path = format!("/projects/{id}/merge_requests/1/discussions");
    let open = alice.post(&path, json!({"body": "shorter?"})).assert_status(201).json();
    let open = open["id"].as_str().expect("an id").to_owned();
    let shown = alice.get(&format!("/projects/{id}/merge_requests/1")).assert_status(200).json();
    let refs = |name: &str| shown["diff_refs"][name].as_str().expect("a commit").to_owned();
    let file = alice.get(&format!("/projects/{id}/merge_requests/1/changes")).assert_status(200).json();
    let file = file["changes"][0]["new_path"].as_str().expect("a path").to_owned();
    let position = DiffPosition {
        base: refs("base_sha"),
        start: refs("start_sha"),
        head: refs("head_sha"),
        old_path: file.clone(),
        new_path: file,
        old_line: None,
        new_line: Some(1),
    };
    draft(server, &bob, id, text("in general")).expect("a draft");
    draft(server, &bob, id, NewDraft { position: Some(position), ..text("on a line") }).expect("a draft");
    draft(server, &bob, id, NewDraft { discussion: Some(open.clone()), ..text("yes") }).expect("a draft");
    assert_eq!(drafts(server, &bob, id), ["in general", "on a line", "yes"]);
    assert!(drafts(server, &alice, id).is_empty());
    assert_eq!(discussions(&alice, id).len(), 1);
    assert_eq!(publish(server, &bob, id).expect("published"), 3);
    assert_eq!(publish(server, &bob, id).expect("nothing left"), 0);
    let all = discussions(&alice, id);
    let first = |one: &Value| (one["notes"][0]["body"].clone(), one["notes"].as_array().map_or(0, Vec::len));
    let all: Vec<_> = all.iter().map(first).collect();
    assert_eq!(all, [(json!("shorter?"), 2), (json!("in general"), 1), (json!("on a line"), 1)]);
}

#[both_databases]
fn a_draft_resolves_the_discussion_that_it_answers(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let id = requested(&alice);
    let path = format!("/projects/{id}/merge_requests/1/discussions");
    let open = bob.post(&path, json!({"body": "shorter?"})).assert_status(201).json();
    let open = open["id"].as_str().expect("an id").to_owned();
    let answer = NewDraft { discussion: Some(open), resolves: true, ..text("done") };
    // Neither the author of the merge request nor a member of the project.
    let carol = server.user("carol");
    assert!(matches!(draft(server, &carol, id, answer.clone()), Err(AppError::Forbidden)));
    draft(server, &alice, id, answer).expect("a draft");
    assert_eq!(publish(server, &alice, id).expect("published"), 1);
    let found = discussions(&alice, id);
    assert_eq!((&found[0]["notes"][0]["resolved"], &found[0]["notes"][1]["body"]), (&json!(true), &json!("done")));
}

#[both_databases]
fn a_review_is_published_whole_or_not_at_all(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let id = requested(&alice);
    for body in ["one", "two"] {
        draft(server, &bob, id, text(body)).expect("a draft");
    }
    let lock =
        |locked: bool| alice.put(&format!("/projects/{id}/merge_requests/1"), json!({"discussion_locked": locked}));
    let _ = lock(true).assert_status(200);
    assert!(matches!(publish(server, &bob, id), Err(AppError::Forbidden)));
    assert_eq!(drafts(server, &bob, id), ["one", "two"]);
    let _ = lock(false).assert_status(200);
    assert_eq!(publish(server, &bob, id).expect("published"), 2);
}

/// The quick actions of drafts are found before the transaction.
#[both_databases]
fn a_review_is_published_as_it_was_read(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let id = requested(&alice);
    for body in ["one", "two\n/title Another"] {
        draft(server, &alice, id, text(body)).expect("a draft");
    }
    let app = server.app();
    let read = || review(server, &alice, id).expect("drafts");
    let shown = app.read_now(&of(&alice), |query| note::drafts(query, &reference(id))).expect("drafts");
    let (first, before) = (shown[0].draft.id, read());
    let work = |text: &str| {
        app.write_now(&of(&alice), |command| note::edit_draft(command, &reference(id), first, text)).expect("changed");
    };
    work("/close");
    let published = publish_as_read(server, &alice, id, before.clone());
    assert!(matches!(published, Err(AppError::Busy { .. })), "a draft was changed");
    assert_eq!(drafts(server, &alice, id).len(), 2);
    work("one");
    draft(server, &alice, id, text("three")).expect("a draft");
    let published = publish_as_read(server, &alice, id, before);
    assert!(matches!(published, Err(AppError::Busy { .. })), "a draft was written");
    // A draft that is gone is passed over: the button was pressed twice.
    let all = read();
    app.write_now(&of(&alice), |command| note::discard_draft(command, &reference(id), first)).expect("discarded");
    assert_eq!(publish_as_read(server, &alice, id, all.clone()).expect("published"), 2);
    assert_eq!(publish_as_read(server, &alice, id, all).expect("nothing"), 0);
    let found = discussions(&bob, id);
    let said = |at: usize| found[at]["notes"][0]["body"].as_str().expect("a text").to_owned();
    assert_eq!((said(0), said(1)), ("two".to_owned(), "three".to_owned()));
    let shown = bob.get(&format!("/projects/{id}/merge_requests/1")).assert_status(200).json();
    assert_eq!(shown["title"], "Another");
}

#[both_databases]
fn drafts_are_bounded_and_belong_to_their_author(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let id = requested(&alice);
    for _ in 0..50 {
        draft(server, &bob, id, text("x")).expect("a draft");
    }
    assert!(matches!(draft(server, &bob, id, text("x")), Err(AppError::Refused(_))));
    assert!(draft(server, &alice, id, text("  ")).is_err());
    let app = server.app();
    let first = app.read_now(&of(&bob), |query| note::drafts(query, &reference(id))).expect("drafts")[0].draft.id;
    let discard = |user: &User| app.write_now(&of(user), |command| note::discard_draft(command, &reference(id), first));
    assert!(matches!(discard(&alice), Err(AppError::NotFound(_))));
    let edit = |user: &User| app.write_now(&of(user), |command| note::edit_draft(command, &reference(id), first, "y"));
    assert!(matches!(edit(&alice), Err(AppError::Refused(_))));
    edit(&bob).expect("changed");
    assert_eq!(drafts(server, &bob, id)[0], "y");
    discard(&bob).expect("discarded");
    // A page of before keeps what was typed when the server says why it is not saved.
    assert!(
        matches!(edit(&bob), Err(AppError::Refused(refusal)) if refusal.to_string().contains("published or discarded"))
    );
    assert_eq!(drafts(server, &bob, id).len(), 49);
}

#[both_databases]
fn a_reader_who_loses_the_project_reads_no_drafts(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let id = requested(&alice);
    let _ = alice.put(&format!("/projects/{id}"), json!({"visibility": "private"})).assert_status(200);
    member(&alice, id, &bob, 30);
    draft(server, &bob, id, text("x")).expect("a draft");
    let _ = alice.delete(&format!("/projects/{id}/members/{}", bob.id)).assert_status(204);
    let read = server.app().read_now(&of(&bob), |query| note::drafts(query, &reference(id)));
    assert!(matches!(read, Err(AppError::NotFound(_))));
    assert!(matches!(publish(server, &bob, id), Err(AppError::NotFound(_))));
}

#[both_databases]
fn a_file_is_viewed_as_its_changes_are(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (id, app) = (requested(&alice), server.app());
    let set = |path: &str, digest: &str, is_viewed: bool| {
        app.write_now(&of(&bob), |command| merge_request::set_viewed(command, &reference(id), path, digest, is_viewed))
    };
    let viewed = |user: &User| {
        app.read_now(&of(user), |query| merge_request::progress(query, &reference(id))).expect("read").viewed
    };
    set("a.rs", "0a", true).expect("viewed");
    set("a.rs", "0b", true).expect("viewed again");
    set("b.rs", "0c", true).expect("viewed");
    set("b.rs", "0c", false).expect("not viewed");
    assert_eq!(viewed(&bob).into_iter().collect::<Vec<_>>(), [("a.rs".to_owned(), "0b".to_owned())]);
    assert!(viewed(&alice).is_empty());
    for (path, digest) in [("", "0a"), ("a", ""), ("a", "no digits"), (&"p".repeat(4097), "0a")] {
        assert!(matches!(set(path, digest, true), Err(AppError::Invalid(_))), "{path:.9} {digest}");
    }
}

#[both_databases]
fn what_has_changed_since_a_version_leaves_out_what_came_from_the_target(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let (id, app) = (requested(&alice), server.app());
    let files = |since_seen: bool| {
        let asked = AskedDifference { since_seen, ..AskedDifference::default() };
        let page = app.read_now(&of(&bob), |query| merge_request::difference_page(query, &reference(id), asked))?;
        wait(page.files(app, WhiteSpace::Counts))
    };
    assert!(matches!(files(true), Err(AppError::NotFound(_))), "bob has not looked");
    let versions = |query: &mut Query<'_>| merge_request::versions(query, &reference(id), PageRequest::default());
    let newest = || app.read_now(&of(&bob), versions).expect("versions").items[0].id;
    let (first, mark) = (newest(), |version| {
        app.write_now(&of(&bob), |command| merge_request::mark_seen(command, &reference(id), version))
    });
    mark(first).expect("seen");
    assert!(matches!(mark(VersionId::new(first.get() + 1_000)), Err(AppError::NotFound(_))));
    assert!(files(true).expect("files").files.is_empty());
    // The target goes on, the branch is laid upon it, and gets one more commit.
    commit(&alice, id, "main", None, "of the target");
    let _ = alice.put(&format!("/projects/{id}/merge_requests/1/rebase"), json!({})).assert_status(202);
    server.run_jobs();
    commit(&alice, id, "topic", None, "after the look");
    server.run_jobs();
    // A change after the page was made has not been seen.
    mark(first).expect("seen again");
    let (all, since) = (files(false).expect("files"), files(true).expect("files"));
    assert_eq!((all.files.len(), since.files.len(), since.with_target), (2, 1, false));
    assert!(since.files[0].new_file);
}

#[both_databases]
fn the_replaced_lines_of_a_review_are_bounded_together(server: &TestServer) {
    let alice = server.user("alice");
    let id = requested(&alice);
    let lines = format!("{}\n", "x".repeat(15 << 10)).repeat(4);
    let actions = json!([{"action": "create", "file_path": "wide.txt", "content": lines}]);
    let body = json!({"branch": "topic", "commit_message": "More", "actions": actions});
    let _ = alice.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201);
    server.run_jobs();
    let shown = alice.get(&format!("/projects/{id}/merge_requests/1")).assert_status(200).json();
    let refs = |name: &str| shown["diff_refs"][name].as_str().expect("a commit").to_owned();
    for number in 0..5 {
        let position = DiffPosition {
            base: refs("base_sha"),
            start: refs("start_sha"),
            head: refs("head_sha"),
            old_path: "wide.txt".to_owned(),
            new_path: "wide.txt".to_owned(),
            old_line: None,
            new_line: Some(1),
        };
        let body = format!("{number}\n\n{}", "```suggestion:-0+3\ny\n```\n\n".repeat(4));
        draft(server, &alice, id, NewDraft { position: Some(position), ..text(&body) }).expect("a draft");
    }
    let read = review(server, &alice, id).expect("drafts");
    let found = wait(note::suggested(server.app(), &of(&alice), &reference(id), read.places())).expect("suggestions");
    assert_eq!(publish_as_read(server, &alice, id, read.with(found)).expect("comments"), 5);
    // Each comment replaces 240 KiB.
    assert_eq!(server.database().count("SELECT count(*) FROM suggestions"), 16);
}
