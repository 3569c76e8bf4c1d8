//! A branch and a merge request that are made from the page of an issue.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, safe};
use crate::merge_request::offer;
use crate::{PASSWORD, member};

const ISSUE: &str = "/ada/tool/issues/1";

#[both_databases]
fn a_branch_and_a_merge_request_are_one_press(server: &TestServer) {
    let (ada, id) = offer(server);
    let issue = |title: &str, confidential: bool| {
        let body = json!({"title": title, "confidential": confidential});
        let _ = ada.post(&format!("/projects/{id}/issues"), body).assert_status(201);
    };
    issue("Fix: the Crank!", false);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get(ISSUE).assert_status(200);
    assert!(page.html.contains("<code>1-fix-the-crank</code>"), "{}", page.html);
    let fields = [("action", "merge_request")];
    let there = page.submit(&browser, &format!("{ISSUE}/branch"), &fields).location();
    assert!(there.ends_with("/ada/tool/merge_requests/2"), "{there}");
    let request = ada.get(&format!("/projects/{id}/merge_requests/2")).assert_status(200).json();
    assert_eq!(request["source_branch"], "1-fix-the-crank");
    assert_eq!(request["description"], "Closes #1");
    assert_eq!(request["work_in_progress"], true);
    assert!(request["title"].as_str().is_some_and(|title| title.ends_with("Resolve \"Fix: the Crank!\"")), "{request}");
    // A second press leads to the same place; a page that was loaded after that offers another name.
    assert_eq!(page.submit(&browser, &format!("{ISSUE}/branch"), &fields).location(), there);
    assert!(safe(&browser, ISSUE).contains("<code>1-fix-the-crank-2</code>"));
    assert_eq!(ada.get(&format!("/projects/{id}/merge_requests")).json().as_array().map(Vec::len), Some(2));
    // The template of the project, and a title that is not shown.
    let body = json!({"issue_branch_template": "task/%{id}/%{title}"});
    let _ = ada.put(&format!("/projects/{id}"), body).assert_status(200);
    issue("Secret", true);
    let page = browser.get("/ada/tool/issues/2").assert_status(200);
    let there = page.submit(&browser, "/ada/tool/issues/2/branch", &[("action", "branch")]).location();
    assert!(there.ends_with("/ada/tool/tree/task/2/confidential-issue"), "{there}");
    // A template that cannot name a branch is as good as none.
    let _ = ada.put(&format!("/projects/{id}"), json!({"issue_branch_template": "a b..%{id}"})).assert_status(200);
    assert!(safe(&browser, ISSUE).contains("<code>1-fix-the-crank-2</code>"));
}

#[both_databases]
fn those_who_may_not_push_make_no_branch(server: &TestServer) {
    let (ada, id) = offer(server);
    let _ = ada.post(&format!("/projects/{id}/issues"), json!({"title": "One"})).assert_status(201);
    let bob = member(server, "bob");
    let body = json!({"user_id": bob.id, "access_level": 20});
    let _ = ada.post(&format!("/projects/{id}/members"), body).assert_status(201);
    for browser in [Browser::signed_in(server, "bob", PASSWORD), Browser::of(server)] {
        let page = browser.get(ISSUE).assert_status(200);
        assert!(!page.html.contains("/branch\""), "{}", page.html);
    }
    let _ = ada.put(&format!("/projects/{id}/issues/1"), json!({"state_event": "close"})).assert_status(200);
    assert!(!safe(&Browser::signed_in(server, "ada", PASSWORD), ISSUE).contains("/branch\""));
}
