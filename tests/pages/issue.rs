//! Issues on pages: the list with its filters, one issue with its comments, and the forms.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, first, followed, safe};
use crate::project::{MARKER, project};
use crate::{PASSWORD, member};

/// A public project of `ada`'s, with labels, a milestone and issues whose texts are hostile.
pub(crate) fn tracker(server: &TestServer) -> (User, i64) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let path = format!("/projects/{id}");
    for (name, color) in [("bug", "#AD1F1A"), ("a\"><b>x</b> &c", "#ffffff")] {
        let body = json!({"name": name, "color": color, "description": MARKER});
        let _ = ada.post(&format!("{path}/labels"), body).assert_status(201);
    }
    let body = json!({"title": format!("1.0 {MARKER}"), "due_date": "2030-01-31", "description": MARKER});
    let milestone = ada.post(&format!("{path}/milestones"), body).assert_status(201).json()["id"].clone();
    let body = json!({
        "title": format!("The crank sticks {MARKER}"), "description": format!("Cold. {MARKER}\n\n- [x] oil\n- [ ] test"),
        "labels": "bug", "milestone_id": milestone, "assignee_ids": [ada.id],
    });
    let _ = ada.post(&format!("{path}/issues"), body).assert_status(201);
    for number in 2..=25 {
        let body = json!({"title": format!("Issue {number}"), "labels": if number % 2 == 0 { "bug" } else { "" }});
        let _ = ada.post(&format!("{path}/issues"), body).assert_status(201);
    }
    let body = json!({"title": "Hidden issue", "confidential": true});
    let _ = ada.post(&format!("{path}/issues"), body).assert_status(201);
    let _ = ada.put(&format!("{path}/issues/2"), json!({"state_event": "close"})).assert_status(200);
    let note = json!({"body": format!("I see it too. {MARKER} #2 @ada ~bug")});
    let _ = ada.post(&format!("{path}/issues/1/notes"), note).assert_status(201);
    (ada, id)
}

#[both_databases]
fn the_list_has_tabs_filters_and_pages(server: &TestServer) {
    let _ = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let first = safe(&browser, "/ada/tool/issues");
    for text in [
        "Open <span class=\"count\">25</span>",
        "Closed <span class=\"count\">1</span>",
        "All <span class=\"count\">26</span>",
        "Page 1 of 2",
        "25 total",
        "Confidential",
        "New issue",
        "data-all aria-label=\"Select all\"",
    ] {
        assert!(first.contains(text), "{text}: {first}");
    }
    let second = safe(&browser, "/ada/tool/issues?page=2");
    assert!(second.contains("The crank sticks &#34;&#62;") && second.contains("1 of 2 tasks completed"), "{second}");
    assert!(second.contains("<rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"#AD1F1A\"/>"), "{second}");
    for (query, total) in [
        ("label_name[]=bug", 12),
        ("label_name=bug", 12),
        ("state=closed", 1),
        ("state=all", 26),
        ("search=crank", 1),
        ("milestone_title=Any", 1),
        ("milestone_title=None", 24),
        ("assignee_username=ada", 1),
        ("assignee_id=0", 24),
        ("author_username=ada", 25),
        ("author_username=none", 0),
        ("label_name[]=bug&label_name[]=none", 0),
        ("label_name[]=None", 13),
        ("sort=updated_desc&per_page=100", 25),
    ] {
        let page = safe(&browser, &format!("/ada/tool/issues?{query}"));
        assert!(page.contains(&format!("{total} total")), "{query}: {page}");
    }
    let narrowed = safe(&browser, "/ada/tool/issues?label_name=bug&search=Issue&per_page=40");
    assert!(
        narrowed.contains("<bdi>Label: ~bug</bdi>") && narrowed.contains("href=\"?search=Issue&#38;per_page=40\""),
        "{narrowed}"
    );
    let hostile = safe(
        &browser,
        "/ada/tool/issues?search=%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&author_username=%3Cscript%3Ealert",
    );
    assert!(hostile.contains("0 total"));
}

#[both_databases]
fn an_issue_shows_what_there_is_to_it(server: &TestServer) {
    let (ada, id) = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&browser, "/ada/tool/issues/1");
    for text in [
        "The crank sticks",
        "#1",
        ">Open</span>",
        "Assignees",
        "· 1 of 2 tasks</span>",
        "· 1 comment</span>",
        "I see it too.",
        "id=\"note_",
        "/ada/tool/milestones/1",
        "Comment and close",
        "Unsubscribe",
        "action=\"/ada/tool/issues/1/notes\"",
        "<link rel=\"alternate\" type=\"application/json\" href=\"/api/v4/projects/1/issues/1\">",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    // The API's addresses of the pages of an issue and of a milestone lead there.
    for path in ["issues/1", "milestones/1"] {
        let api = ada.get(&format!("/projects/{id}/{path}")).json();
        let address = api["web_url"].as_str().unwrap().strip_prefix(server.base()).unwrap().to_owned();
        let _ = browser.get(&address).assert_status(200);
    }
    let missing = browser.get("/no/page").assert_status(404).html;
    for path in [
        "issues/99",
        "issues/0",
        "issues/01",
        "issues/x",
        "issues/1/none",
        "milestones/9",
        "labels/9/edit",
        "merge_requests/1",
    ] {
        assert_eq!(browser.get(&format!("/ada/tool/{path}")).assert_status(404).html, missing, "{path}");
    }
    let _ = browser.get("/ada/tool/-/issues/1?page=1").assert_status(200);
    let _ = browser
        .send("PUT", "/ada/tool/issues", &[("authenticity_token", &browser.get("/").token())], &[])
        .assert_status(405);
}

#[both_databases]
fn a_confidential_issue_is_missing_for_others(server: &TestServer) {
    let _ = tracker(server);
    let _ = member(server, "bob");
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let missing = bob.get("/no/page").assert_status(404).html;
    assert_eq!(bob.get("/ada/tool/issues/26").assert_status(404).html, missing);
    let list = bob.get("/ada/tool/issues").assert_status(200).html;
    assert!(!list.contains("Hidden issue") && list.contains("Open <span class=\"count\">24</span>"), "{list}");
    let _ = Browser::signed_in(server, "ada", PASSWORD).get("/ada/tool/issues/26").assert_status(200);
    let token = bob.get("/").token();
    for (path, fields) in [
        ("issues/26/notes", ("note[note]", "x")),
        ("issues/26/toggle_subscription", ("a", "b")),
        ("issues/99/notes", ("note[note]", "x")),
    ] {
        let answer =
            bob.post(&format!("/ada/tool/{path}"), &[("authenticity_token", &token), fields]).assert_status(404);
        assert_eq!(answer.html, missing, "{path}");
    }
}

#[both_databases]
fn an_issue_is_made_and_changed_with_forms(server: &TestServer) {
    let _ = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let form = browser
        .get("/ada/tool/issues/new?issue[title]=From+a+link&issue[labels]=bug&issue[description]=Text")
        .assert_status(200);
    assert!(
        form.html.contains("value=\"From a link\"")
            && form.html.contains("value=\"bug\" checked")
            && form.html.contains(">Text</textarea>"),
        "{}",
        form.html
    );
    let refused = form
        .submit(
            &browser,
            "/ada/tool/issues",
            &[("issue[title]", " "), ("issue[description]", "Kept <b>"), ("issue[due_date]", "2030-02-01")],
        )
        .assert_status(422);
    assert!(
        refused.html.contains("Kept &#60;b&#62;")
            && refused.html.contains("aria-describedby=\"problem-title\"")
            && refused.html.contains("2030-02-01"),
        "{}",
        refused.html
    );
    let wrong = form
        .submit(&browser, "/ada/tool/issues", &[("issue[title]", "x"), ("issue[due_date]", "soon")])
        .assert_status(422);
    assert!(wrong.html.contains("problem-due_date"));
    let shown = form
        .submit(
            &browser,
            "/ada/tool/issues",
            &[("issue[title]", "x"), ("issue[description]", "**Bold**"), ("action", "preview")],
        )
        .assert_status(200);
    assert!(
        shown.html.contains("<strong>Bold</strong>") && shown.html.contains("**Bold**</textarea>"),
        "{}",
        shown.html
    );
    let made = form.submit(
        &browser,
        "/ada/tool/issues",
        &[
            ("issue[title]", "Made here"),
            ("issue[description]", "Text\n/estimate 3h"),
            ("issue[labels][]", "bug"),
            ("issue[milestone_id]", "1"),
            ("issue[assignee_ids][]", &browser_user(server)),
            ("issue[due_date]", "2030-02-01"),
            ("issue[confidential]", "1"),
        ],
    );
    assert_eq!((made.reply.status(), made.location().as_str()), (303, "/ada/tool/issues/27"));
    let page = safe(&browser, "/ada/tool/issues/27");
    for text in
        ["Made here", "Confidential", "1 Feb 2030", "0h of 3h", "<bdi class=\"on-dark\">bug</bdi>", "<bdi>ada</bdi>"]
    {
        assert!(page.contains(text), "{text}: {page}");
    }
    // Everything that the form leaves out goes, and nothing else.
    let edit = browser.get("/ada/tool/issues/27/edit").assert_status(200);
    assert!(edit.html.contains("value=\"bug\" checked") && edit.html.contains("value=\"2030-02-01\""), "{}", edit.html);
    let saved = edit.submit(
        &browser,
        "/ada/tool/issues/27",
        &[
            ("issue[title]", "Changed"),
            ("issue[description]", "Other"),
            ("issue[milestone_id]", ""),
            ("issue[due_date]", ""),
            ("issue[discussion_locked]", "1"),
        ],
    );
    let page = followed(&browser, &saved);
    assert!(
        page.contains("Changed")
            && page.contains("</svg>Locked</span>")
            && !page.contains("</svg>Confidential</span>")
            && !page.contains("1 Feb 2030"),
        "{page}"
    );
    assert!(!page.contains("id=\"fact_labels\""), "{page}");
    // A button that closes changes only the state.
    let closed = browser.get("/ada/tool/issues/27").submit(&browser, "/ada/tool/issues/27", &[]);
    let page = followed(&browser, &closed);
    assert!(page.contains(">Closed</span>") && page.contains("Changed") && page.contains("Reopen"), "{page}");
}

#[both_databases]
fn a_stale_form_shows_what_is_stored_beside_what_was_typed(server: &TestServer) {
    let (ada, id) = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let change = |body| ada.put(&format!("/projects/{id}/issues/3"), body).assert_status(200);
    let mine = [("issue[title]", "Mine"), ("issue[description]", "My text")];
    let edit = browser.get("/ada/tool/issues/3/edit").assert_status(200);
    let _ = change(json!({"description": "Their <b>x</b>"}));
    let stale = edit.submit(&browser, "/ada/tool/issues/3", &mine).assert_status(409);
    for text in ["Current version", "Their ", "value=\"Mine\"", "My text</textarea>"] {
        assert!(stale.html.contains(text) && !stale.html.contains("<b>x</b>"), "{text}: {}", stale.html);
    }
    assert_eq!(ada.get(&format!("/projects/{id}/issues/3")).json()["title"], "Issue 3");
    // A preview forgets nothing of it, and saving again is on purpose.
    let preview = [&mine[..], &[("action", "preview")]].concat();
    let preview = stale.submit(&browser, "/ada/tool/issues/3", &preview).assert_status(200);
    let saved = preview.submit(&browser, "/ada/tool/issues/3", &mine);
    assert!(followed(&browser, &saved).contains("My text"));
    // And a form that is sent twice is answered as before.
    assert_eq!(preview.submit(&browser, "/ada/tool/issues/3", &mine).reply.status(), 303);
    // Changes by another beside the texts do not matter.
    let edit = browser.get("/ada/tool/issues/3/edit").assert_status(200);
    let _ = change(json!({"due_date": "2031-01-31"}));
    assert_eq!(edit.submit(&browser, "/ada/tool/issues/3", &mine).reply.status(), 303);
}

#[both_databases]
fn what_is_said_can_be_answered_changed_and_taken_back(server: &TestServer) {
    let _ = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let issue = || browser.get("/ada/tool/issues/3").assert_status(200);
    let notes = "/ada/tool/issues/3/notes";
    let said = issue().submit(&browser, notes, &[("note[note]", "Hello *there*"), ("action", "comment")]);
    assert!(said.location().starts_with("/ada/tool/issues/3#note_"), "{}", said.location());
    let id = first(&said.location(), "note_([0-9]+)");
    let page = followed(&browser, &said);
    assert!(page.contains("Hello <em>there</em>") && page.contains(&format!("id=\"note_{id}\"")), "{page}");
    let blank = issue().submit(&browser, notes, &[("note[note]", " "), ("action", "comment")]).assert_status(422);
    assert!(blank.html.contains("can&#39;t be blank"), "{}", blank.html);
    let shown =
        issue().submit(&browser, notes, &[("note[note]", "_slanted_"), ("action", "preview")]).assert_status(200);
    assert!(shown.html.contains("<em>slanted</em>") && shown.html.contains("_slanted_</textarea>"), "{}", shown.html);
    // Commands are carried out, and a discussion takes replies.
    let done =
        issue().submit(&browser, notes, &[("note[note]", "/label ~bug\n/due 2030-03-01"), ("action", "comment")]);
    let page = followed(&browser, &done);
    assert!(page.contains("Commands applied.") && page.contains("1 Mar 2030"), "{page}");
    let begun = issue().submit(&browser, notes, &[("note[note]", "A question"), ("action", "thread")]);
    let page = followed(&browser, &begun);
    let discussion = first(&page, "name=\"in_reply_to_discussion_id\" value=\"([0-9a-f]{40})\"");
    let token = issue().token();
    let answered = browser.post(
        notes,
        &[("authenticity_token", &token), ("in_reply_to_discussion_id", &discussion), ("note[note]", "An answer")],
    );
    let page = followed(&browser, &answered);
    assert!(page.find("A question").unwrap() < page.find("An answer").unwrap(), "in order");
    // Changing and deleting.
    let edit = browser.get(&format!("/ada/tool/issues/3?edit_note={id}")).assert_status(200);
    assert!(edit.html.contains("Hello *there*</textarea>"), "{}", edit.html);
    let one = format!("{notes}/{id}");
    let put = |text: &str, action: &str| {
        browser
            .post(&one, &[("authenticity_token", &token), ("_method", "put"), ("note[note]", text), ("action", action)])
    };
    let page = followed(&browser, &put("Goodbye", ""));
    assert!(page.contains("Goodbye") && !page.contains("Hello <em>"), "{page}");
    assert!(put(" ", "").assert_status(422).html.contains("can&#39;t be blank"));
    assert!(put("**b**", "preview").assert_status(200).html.contains("<strong>b</strong>"));
    let gone = browser.post(&one, &[("authenticity_token", &token), ("_method", "delete")]);
    assert!(!followed(&browser, &gone).contains("Goodbye"));
    // Closing with a word, and without one.
    let closed = issue().submit(&browser, notes, &[("note[note]", "Done"), ("action", "close")]);
    assert!(followed(&browser, &closed).contains(">Closed</span>"));
    let opened = issue().submit(&browser, notes, &[("note[note]", ""), ("action", "reopen")]);
    assert!(followed(&browser, &opened).contains(">Open</span>"));
}

#[both_databases]
fn subscriptions_reactions_and_moves_are_buttons(server: &TestServer) {
    let (ada, _) = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let send = |below: &str, fields: &[(&str, &str)]| {
        let token = browser.get("/ada/tool/issues/1").token();
        let mut all = vec![("authenticity_token", token.as_str())];
        all.extend(fields);
        followed(&browser, &browser.post(&format!("/ada/tool/issues/1/{below}"), &all))
    };
    assert!(send("toggle_subscription", &[]).contains(">Subscribe<"));
    assert!(send("toggle_subscription", &[]).contains(">Unsubscribe<"));
    let page = send("toggle_award_emoji", &[("name", "tada")]);
    assert!(page.contains("aria-pressed=\"true\" aria-label=\"tada, 1\"") && page.contains("🎉"), "{page}");
    let own = first(&page, "name=\"award_id\" value=\"([0-9]+)\"");
    assert!(send("toggle_award_emoji", &[("name", "tada")]).contains("tada, 1"), "given once");
    assert!(!send("toggle_award_emoji", &[("award_id", &own)]).contains("tada, 1"));
    let _ = project(&ada, "other", "private");
    let page = send("move", &[("move_to_project", "ada/other")]);
    assert!(page.contains("Issue moved.") && page.contains("The crank sticks"), "{page}");
    let moved = browser.get("/ada/tool/issues/1").assert_status(200).html;
    assert!(moved.contains("was moved to <a href=\"/ada/other/issues/1\">") && moved.contains(">Closed</span>"));
}

#[both_databases]
fn others_see_no_buttons_that_they_may_not_press(server: &TestServer) {
    let (_, id) = tracker(server);
    let _ = member(server, "bob");
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let page = bob.get("/ada/tool/issues/1").assert_status(200).html;
    assert!(
        page.contains("name=\"note[note]\"") && !page.contains("/ada/tool/issues/1/edit") && !page.contains("Delete"),
        "{page}"
    );
    let labels = bob.get("/ada/tool/labels").assert_status(200).html;
    assert!(!labels.contains("labels/new") && labels.contains("Subscribe to bug"), "{labels}");
    for path in ["issues/1/edit", "labels/new", "labels/1/edit", "milestones/new", "milestones/1/edit"] {
        let _ = bob.get(&format!("/ada/tool/{path}")).assert_status(403);
    }
    let token = bob.get("/").token();
    for (method, path) in
        [("put", "issues/1"), ("delete", "labels/1"), ("delete", "milestones/1"), ("put", "milestones/1")]
    {
        let fields = [
            ("authenticity_token", token.as_str()),
            ("_method", method),
            ("issue[title]", "x"),
            ("milestone[title]", "x"),
        ];
        let _ = bob.post(&format!("/ada/tool/{path}"), &fields).assert_status(403);
    }
    let title = server.root().get(&format!("/projects/{id}/issues/1")).json()["title"].as_str().unwrap().to_owned();
    assert!(title.starts_with("The crank sticks"));
}

#[both_databases]
fn a_page_of_issues_costs_a_bounded_number_of_statements(server: &TestServer) {
    let (ada, id) = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let count = |path: &str| {
        let _ = browser.get(path).assert_status(200);
        server.count_statements(|| drop(browser.get(path)))
    };
    let before = (count("/ada/tool/issues?per_page=20"), count("/ada/tool/issues/4"));
    for number in 0..30 {
        let note = json!({"body": format!("Note {number}")});
        let _ = ada.post(&format!("/projects/{id}/issues/4/notes"), note).assert_status(201);
    }
    let after = (count("/ada/tool/issues?per_page=100"), count("/ada/tool/issues/4"));
    assert!(after.0 <= before.0 + 5 && after.0 <= 70, "{before:?} {after:?}");
    assert!(after.1 <= before.1 + 5 && after.1 <= 75, "{before:?} {after:?}");
}

#[both_databases]
fn a_note_costs_a_bounded_number_of_elements(server: &TestServer) {
    let (ada, id) = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let say = |number: usize, kind: &str| {
        for number in 0..number {
            let body = json!({"body": format!("Note {number}")});
            let _ = ada.post(&format!("/projects/{id}/issues/4/{kind}"), body).assert_status(201);
        }
    };
    let count = || browser.get("/ada/tool/issues/4").assert_status(200).elements();
    say(1, "notes");
    let none = count();
    say(20, "notes");
    let notes = count();
    say(20, "discussions");
    let discussions = count();
    // A note has a menu with icons, and a discussion the form of a reply and the links to its neighbours as well.
    assert!(notes - none <= 20 * 42 && discussions - notes <= 20 * 54, "{none} {notes} {discussions}");
}

fn browser_user(server: &TestServer) -> String {
    server.root().get("/users?username=ada").json()[0]["id"].to_string()
}
