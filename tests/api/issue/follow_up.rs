//! Issues that continue discussions of a merge request.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use crate::merge_request::{cast, repository, simple, start_with};
use crate::support::*;

/// The id of a discussion, whose path this is.
fn named(discussion: &str) -> &str {
    discussion.rsplit('/').next().expect("an id")
}

/// Opens an issue that continues the open discussions in the merge request of this number.
#[track_caller]
fn follow_up(client: &Client, project: i64, title: &str, description: Option<&str>) -> Value {
    let body = json!({"title": title, "description": description, "merge_request_to_resolve_discussions_of": 1});
    made(client, &format!("/projects/{project}/issues"), body)
}

/// True if the first note of a discussion is resolved, and the system notes of the discussion.
#[track_caller]
fn state(client: &Client, discussion: &str) -> (bool, Vec<String>) {
    let notes = client.get(discussion).assert_status(200).json()["notes"].clone();
    let notes = notes.as_array().expect("notes");
    let system = notes.iter().filter(|note| note["system"] == true);
    (notes[0]["resolved"] == true, system.map(|note| note["body"].as_str().expect("a text").to_owned()).collect())
}

#[both_databases]
fn open_discussions_go_on_in_an_issue(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let first = start_with(&bob, &path, "why?");
    let of_first = alice.get(&first).json()["notes"][0]["id"].clone();
    changed(&bob, &format!("{path}/notes/{of_first}"), json!({"body": "why?\nand\n/close"}));
    let resolved = start_with(&bob, &path, "done");
    changed(&alice, &resolved, json!({"resolved": true}));
    let second = start_with(&alice, &path, "what for?");
    made(&bob, &format!("{second}/notes"), json!({"body": "for fun"}));
    comment(&bob, &path, "by itself");
    let issue = follow_up(&alice, tool, " ", None);
    assert_eq!(issue["title"], "Follow-up from \"topic\"");
    assert_eq!(issue["state"], "opened");
    let of_second = alice.get(&second).json()["notes"][0]["id"].clone();
    let page = format!("{}/alice/tool/-/merge_requests/1", server.base());
    let want = format!(
        "The following discussions from !1 should be addressed:\n\n\
         - [ ] @bob started a [discussion]({page}#note_{of_first}):\n\n  > why?\n  > and\n  > /close\n\n\
         - [ ] @alice started a [discussion]({page}#note_{of_second}):\n\n  > what for?"
    );
    assert_eq!(issue["description"], want);
    let continued = vec!["created #1 to continue this discussion".to_owned()];
    assert_eq!(state(&alice, &first), (true, continued.clone()));
    assert_eq!(state(&alice, &second), (true, continued));
    assert_eq!(state(&alice, &resolved), (true, Vec::new()));
    for note in alice.get(&second).json()["notes"].as_array().expect("notes").iter().take(2) {
        assert_eq!((&note["resolved"], &note["resolved_by"]["username"]), (&json!(true), &json!("alice")), "{note}");
    }
    assert_eq!(alice.get(&path).json()["blocking_discussions_resolved"], true);
    let system = system_notes(&alice, &path);
    for text in ["resolved all discussions", "mentioned in issue #1"] {
        assert!(system.iter().any(|note| note == text), "{text}: {system:?}");
    }
    // Now nothing is open any more.
    let issue = follow_up(&alice, tool, "", Some(""));
    assert_eq!(issue["description"], "There are no unresolved discussions in !1.");
}

#[both_databases]
fn what_the_author_says_wins(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let discussion = start_with(&alice, &path, "why?");
    let issue = follow_up(&alice, tool, "Mine", Some("my words"));
    assert_eq!((&issue["title"], &issue["description"]), (&json!("Mine"), &json!("my words")));
    assert!(state(&alice, &discussion).0);
    start_with(&alice, &path, &"x".repeat(5000));
    let issue = follow_up(&alice, tool, "Mine", None);
    let description = issue["description"].as_str().expect("a text");
    assert!(description.starts_with("The following discussion from !1 should be addressed:"), "{description}");
    assert!(description.ends_with("xxx…") && description.len() < 2000, "{description}");
}

#[both_databases]
fn one_discussion_goes_on_and_the_others_stay(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let (one, other) = (start_with(&alice, &path, "one"), start_with(&alice, &path, "other"));
    let issues = format!("/projects/{tool}/issues");
    let body = json!({"title": "", "merge_request_to_resolve_discussions_of": 1, "discussion_to_resolve": named(&one)});
    let issue = made(&alice, &issues, body);
    let description = issue["description"].as_str().expect("a text");
    assert!(description.ends_with("  > one") && !description.contains("other"), "{description}");
    assert!(state(&alice, &one).0);
    assert_eq!(state(&alice, &other), (false, Vec::new()));
    assert!(!system_notes(&alice, &path).contains(&"resolved all discussions".to_owned()));
    // By itself the parameter does nothing.
    made(&alice, &issues, json!({"title": "t", "discussion_to_resolve": named(&other)}));
    assert!(!state(&alice, &other).0);
    alice
        .post(&issues, json!({"title": "", "discussion_to_resolve": named(&other)}))
        .assert(400, field("title", "can't be blank"));
}

#[both_databases]
fn what_is_not_there_cannot_go_on(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = simple(&alice, tool, "topic");
    let discussion = start_with(&alice, &path, "why?");
    comment(&alice, &path, "by itself");
    let issues = format!("/projects/{tool}/issues");
    let ask = |iid: i64, discussion: &str| {
        let body =
            json!({"title": "t", "merge_request_to_resolve_discussions_of": iid, "discussion_to_resolve": discussion});
        alice.post(&issues, body)
    };
    ask(9, "").assert(404, not_found());
    ask(1, &"0".repeat(40)).assert(404, missing("Discussion"));
    let alone = alice.get(&format!("{path}/discussions")).json()[1]["id"].clone();
    assert_eq!(ask(1, alone.as_str().expect("an id")).status(), 400);
    let malformed = json!({"title": "t", "merge_request_to_resolve_discussions_of": "x"});
    alice.post(&issues, malformed).assert(400, parameter("merge_request_to_resolve_discussions_of is invalid"));
    alice
        .post(&issues, json!({"merge_request_to_resolve_discussions_of": 1}))
        .assert(400, parameter("title is missing"));
    assert_eq!(iids(&alice, &issues), Vec::<i64>::new());
    assert_eq!(state(&alice, &discussion), (false, Vec::new()));
}

#[both_databases]
fn who_may_not_resolve_a_discussion_does_not_continue_it(server: &TestServer) {
    let cast = cast(server, "private");
    let path = simple(&cast.developer, cast.project, "topic");
    let discussion = start_with(&cast.owner, &path, "why?");
    let issues = format!("{}/issues", cast.path());
    let body = json!({"title": "t", "merge_request_to_resolve_discussions_of": 1});
    let statuses = cast.statuses(|client| client.post(&issues, body.clone()));
    assert_eq!(statuses, [404, 403, 403, 201, 201, 201, 201]);
    assert_eq!(iids(&cast.owner, &issues).len(), 4);
    assert_eq!(state(&cast.owner, &discussion), (true, vec!["created #1 to continue this discussion".to_owned()]));
}

#[both_databases]
fn a_discussion_does_not_tell_strangers_of_a_confidential_issue(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let tool = repository(&alice, "tool", "public");
    let discussion = start_with(&bob, &simple(&alice, tool, "topic"), "why?");
    let body = json!({"title": "", "confidential": true, "merge_request_to_resolve_discussions_of": 1});
    made(&alice, &format!("/projects/{tool}/issues"), body);
    assert_eq!(state(&alice, &discussion).1.len(), 1);
    assert_eq!(state(&bob, &discussion), (true, Vec::new()));
}
