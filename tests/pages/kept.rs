//! The state that pages of issues and merge requests keep: texts, choices, and one's place.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, Page, first};
use crate::issue::tracker;
use crate::merge_request::offer;
use crate::project::project;
use crate::{PASSWORD, member};

const ONE: &str = "/ada/tool/merge_requests/1";

/// Asserts that every address of an answer leads to a page, whatever the place of the answer.
fn leads_on(browser: &Browser, answer: &Page) {
    assert!(answer.queries().is_empty(), "{:?}", answer.queries());
    for link in answer.links().into_iter().filter(|link| link.starts_with("/ada/tool/")) {
        let _ = browser.get(&link).assert_status(200);
    }
}

#[both_databases]
fn what_answers_a_form_leads_to_pages(server: &TestServer) {
    let (ada, id) = offer(server);
    let _ = ada.post(&format!("/projects/{id}/issues"), json!({"title": "One"})).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    for page in ["/ada/tool/issues/1", ONE] {
        let notes = format!("{page}/notes");
        let said = browser.get(page).submit(&browser, &notes, &[("note[note]", "Said")]);
        assert!(said.location().starts_with(&format!("{page}#note_")), "{}", said.location());
        let shown = browser
            .get(page)
            .submit(&browser, &notes, &[("note[note]", "x"), ("action", "preview")])
            .assert_status(200);
        assert!(shown.html.contains(&format!("href=\"{page}?edit_note=")), "{}", shown.html);
        leads_on(&browser, &shown);
    }
    let line = first(&browser.get(&format!("{ONE}/diffs")).html, "comment=(f[0-9a-f]+_0_2)#");
    let open = browser.get(&format!("{ONE}/diffs?view=parallel&comment={line}")).assert_status(200);
    let notes = first(&open.html, "action=\"([^\"]*/notes[?]diff_id=[^\"]*)\"");
    assert!(notes.ends_with("view=parallel"), "{notes}");
    let fields = [("note[note]", "**Loud**"), ("action", "preview")];
    let shown = open.submit(&browser, &notes, &fields).assert_status(200);
    assert!(shown.html.contains("<strong>Loud</strong>"), "{}", shown.html);
    leads_on(&browser, &shown);
}

#[both_databases]
fn addresses_with_nul_are_refused(server: &TestServer) {
    let _ = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    for query in ["label_name=%00", "label_name[]=a%00", "label_name=a&label_name=%00", "search=%00", "state=%00"] {
        let _ = browser.get(&format!("/ada/tool/issues?{query}")).assert_status(400);
    }
}

#[both_databases]
fn long_texts_are_taken_from_those_who_have_signed_in(server: &TestServer) {
    let _ = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let text = "long ".repeat(20_000);
    let issue = "/ada/tool/issues/3";
    let said = browser.get(issue).submit(&browser, &format!("{issue}/notes"), &[("note[note]", &text)]);
    assert!(said.location().starts_with(&format!("{issue}#note_")), "{}", said.location());
    let stranger = Browser::of(server);
    let token = stranger.get("/users/sign_in").token();
    for session in ["", "0123456789abcdef0123456789abcdef"] {
        if !session.is_empty() {
            stranger.set_cookie("_service_session", session);
        }
        let fields = [("authenticity_token", token.as_str()), ("user[login]", &text)];
        let _ = stranger.post("/users/sign_in", &fields).assert_status(413);
    }
}

#[both_databases]
fn reviewers_who_are_no_members_stay(server: &TestServer) {
    let (ada, id) = offer(server);
    let bob = member(server, "bob");
    let reviewers = json!({"reviewer_ids": [bob.id]});
    let _ = ada.put(&format!("/projects/{id}/merge_requests/1"), reviewers).assert_status(200);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let form = browser.get(&format!("{ONE}/edit")).assert_status(200);
    let ticked = format!("name=\"merge_request[reviewer_ids][]\" value=\"{}\" checked", bob.id);
    assert!(form.html.contains(&ticked), "{}", form.html);
    let unknown = ("merge_request[reviewer_ids][]", "987654");
    let shown =
        form.submit(&browser, ONE, &[("merge_request[title]", "T"), unknown, ("action", "preview")]).assert_status(200);
    let hidden = "<input type=\"hidden\" name=\"merge_request[reviewer_ids][]\" value=\"987654\">";
    assert!(shown.html.contains(hidden), "{}", shown.html);
}

#[both_databases]
fn a_merge_that_is_refused_keeps_its_message(server: &TestServer) {
    let (ada, id) = offer(server);
    let _ = ada.put(&format!("/projects/{id}/merge_requests/1"), json!({"squash": true})).assert_status(200);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let token = browser.get(ONE).token();
    let fields = [
        ("authenticity_token", token.as_str()),
        ("sha", "0123456789012345678901234567890123456789"),
        ("commit_message", "My <words>"),
        ("should_remove_source_branch", "1"),
    ];
    let refused = browser.post(&format!("{ONE}/merge"), &fields).assert_status(422);
    for text in [
        "Something went wrong",
        ">My &#60;words&#62;</textarea>",
        "name=\"should_remove_source_branch\" value=\"1\" checked",
        "Required by the author",
    ] {
        assert!(refused.html.contains(text), "{text}: {}", refused.html);
    }
}

#[both_databases]
fn an_issue_moves_to_projects_that_one_sees(server: &TestServer) {
    let (ada, _) = tracker(server);
    let _ = member(server, "bob");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let issue = "/ada/tool/issues/3";
    let moved =
        |target: &str| browser.get(issue).submit(&browser, &format!("{issue}/move"), &[("move_to_project", target)]);
    let refused = moved("ada/othre").assert_status(422);
    assert!(
        refused.html.contains("Project not found, or you don&#39;t have permission to create issues in it."),
        "{}",
        refused.html
    );
    assert!(refused.html.contains("value=\"ada/othre\""), "{}", refused.html);
    let _ = project(&ada, "other", "private");
    assert_eq!(moved("ada/other").location(), "/ada/other/issues/1");
    let page = browser.get(issue).assert_status(200).html;
    assert!(page.contains("moved to <a href=\"/ada/other/issues/1\">other#1</a>"), "{page}");
    let page = Browser::signed_in(server, "bob", PASSWORD).get(issue).assert_status(200).html;
    assert!(!page.contains("was continued"), "{page}");
}
