//! Comments that the script sends: the answer is the part of the page that has changed, or the reasons why nothing has.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, Page, first, safe};
use crate::issue::tracker;
use crate::merge_request::offer;
use crate::project::MARKER;
use crate::{PASSWORD, member};

const ISSUE: &str = "/ada/tool/issues/4";
const ONE: &str = "/ada/tool/merge_requests/1";

/// Sends a form as the script does.
fn send(browser: &Browser, path: &str, fields: &[(&str, &str)]) -> Page {
    let token = browser.get("/").token();
    let fields: Vec<(&str, &str)> =
        std::iter::once(("authenticity_token", token.as_str())).chain(fields.iter().copied()).collect();
    browser.send("POST", path, &fields, &[("X-Fragment", "1")])
}

/// A part of a page, in which no text of a user acts.
#[track_caller]
fn part(answer: Page, status: u16) -> String {
    let html = answer.assert_status(status).html;
    assert!(!html.contains("<html") && !html.contains("<img src=x") && !html.contains("<b>x</b>"), "{html}");
    html
}

#[both_databases]
fn a_comment_is_answered_with_itself(server: &TestServer) {
    let (ada, id) = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let notes = format!("{ISSUE}/notes");
    let text = format!("Seen *here*. {MARKER}");
    let said = part(send(&browser, &notes, &[("note[note]", &text)]), 200);
    assert!(said.contains("<em>here</em>") && said.matches("class=\"note-card").count() == 1, "{said}");
    assert!(!said.contains("id=\"pending\""), "{said}");
    let note = first(&said, "id=\"note_([0-9]+)\"");
    // A discussion takes replies, and the answer has all of it.
    let thread = part(send(&browser, &notes, &[("note[note]", "Why?"), ("action", "thread")]), 200);
    let discussion = first(&thread, "id=\"discussion_([0-9a-f]+)\"");
    let reply = [("note[note]", "Because."), ("in_reply_to_discussion_id", discussion.as_str())];
    let replied = part(send(&browser, &notes, &reply), 200);
    assert!(replied.contains("<p>Why?</p>") && replied.contains("<p>Because.</p>"), "{replied}");
    // The form of its text, the changed text, and the page without the comment.
    let open = browser.send("GET", &format!("{ISSUE}?edit_note={note}"), &[], &[("X-Fragment", "1")]);
    let open = part(open, 200);
    assert!(open.contains(&format!("id=\"edited_{note}\"")) && open.contains("Seen *here*."), "{open}");
    let own = format!("{notes}/{note}");
    let changed = part(send(&browser, &own, &[("_method", "put"), ("note[note]", "Not here.")]), 200);
    assert!(changed.contains("<p>Not here.</p>"), "{changed}");
    let award = part(send(&browser, &format!("{own}/toggle_award_emoji"), &[("name", "rocket")]), 200);
    assert!(award.contains("aria-label=\"rocket, 1\"") && !award.contains("note-card"), "{award}");
    let award = part(send(&browser, &format!("{ISSUE}/toggle_award_emoji"), &[("name", "tada")]), 200);
    assert!(award.contains("aria-label=\"tada, 1\"") && !award.contains("rocket, "), "{award}");
    assert_eq!(part(send(&browser, &own, &[("_method", "delete")]), 200).trim(), "");
    let _ = send(&browser, &own, &[("_method", "delete")]).assert_status(404);
    let left = ada.get(&format!("/projects/{id}/issues/4/notes?sort=asc")).json();
    let left: Vec<&str> = left.as_array().unwrap().iter().filter_map(|note| note["body"].as_str()).collect();
    assert_eq!(left, ["Why?", "Because."]);
}

#[both_databases]
fn a_comment_that_changes_more_leads_to_the_page(server: &TestServer) {
    let (ada, id) = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let notes = format!("{ISSUE}/notes");
    let fields: [&[(&str, &str)]; 3] = [
        &[("note[note]", "Oil it.\n/due 2030-01-31")],
        &[("note[note]", "/label ~bug")],
        &[("note[note]", "Oiled."), ("action", "close")],
    ];
    for fields in fields {
        let location = send(&browser, &notes, fields).assert_status(303).location();
        assert!(location.starts_with(ISSUE), "{location}");
    }
    // On an earlier page of the conversation, the comment has no place.
    let _ = send(&browser, &format!("{notes}?page=1"), &[("note[note]", "Late")]).assert_status(303);
    let issue = ada.get(&format!("/projects/{id}/issues/4")).json();
    assert_eq!((&issue["due_date"], &issue["state"]), (&json!("2030-01-31"), &json!("closed")));
}

#[both_databases]
fn a_comment_that_is_refused_is_answered_with_the_reason(server: &TestServer) {
    let (ada, id) = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let notes = format!("{ISSUE}/notes");
    let note = ada.post(&format!("/projects/{id}/issues/4/notes"), json!({"body": "Old"})).assert_status(201).json();
    let note = note["id"].to_string();
    let blank: [(&str, &[(&str, &str)]); 2] =
        [(&notes, &[("note[note]", " ")]), (&format!("{notes}/{note}"), &[("_method", "put"), ("note[note]", " ")])];
    for (path, fields) in blank {
        let refused = part(send(&browser, path, fields), 422);
        assert!(
            refused.contains("role=\"alert\" id=\"problems\"") && refused.contains("can&#39;t be blank"),
            "{refused}"
        );
        // Without the script, the field refers to the reason.
        let fields: Vec<(&str, &str)> = fields.iter().copied().chain([("authenticity_token", "")]).collect();
        let token = browser.get("/").token();
        let fields: Vec<(&str, &str)> = fields
            .iter()
            .map(|(name, value)| (*name, if *name == "authenticity_token" { token.as_str() } else { value }))
            .collect();
        let page = browser.post(path, &fields).assert_status(422).html;
        assert!(page.contains("aria-invalid=\"true\" aria-describedby=\"problems"), "{page}");
    }
    // The same callers may do the same as without the script.
    let _ = member(server, "bob");
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let _ = send(&bob, &format!("{notes}/{note}"), &[("_method", "put"), ("note[note]", "Mine")]).assert_status(403);
    let _ = send(&bob, &format!("{notes}/{note}"), &[("_method", "delete")]).assert_status(403);
    let forged = browser.send("POST", &notes, &[("note[note]", "x")], &[("X-Fragment", "1")]);
    let _ = forged.assert_status(422);
    let _ = ada.put(&format!("/projects/{id}"), json!({"visibility": "private"})).assert_status(200);
    let missing = bob.get("/no/page").assert_status(404).html;
    for path in [notes.clone(), format!("{ISSUE}/toggle_award_emoji"), format!("{notes}/{note}")] {
        assert_eq!(send(&bob, &path, &[("note[note]", "x")]).assert_status(404).html, missing, "{path}");
    }
    let asked = bob.send("GET", &format!("{ISSUE}?edit_note={note}"), &[], &[("X-Fragment", "1")]);
    assert_eq!(asked.assert_status(404).html, missing);
}

#[both_databases]
fn a_review_is_written_in_place(server: &TestServer) {
    let (ada, id) = offer(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&browser, &format!("{ONE}/diffs"));
    // The page has one form for the script, and says of each file which one it is.
    let form = first(&page, "(?s)<template id=\"line\">(.*?)</template>");
    assert!(form.contains("name=\"position[head_sha]\"") && page.contains("data-path=\"a.txt\""), "{page}");
    assert!(page.contains("id=\"finish\" hidden>") && !page.contains("id=\"pending\""), "{page}");
    let refs = ada.get(&format!("/projects/{id}/merge_requests/1")).json()["diff_refs"].clone();
    let of = |name: &str| refs[name].as_str().unwrap().to_owned();
    let (base, start, head) = (of("base_sha"), of("start_sha"), of("head_sha"));
    let line = [
        ("from_diff", "1"),
        ("position[base_sha]", base.as_str()),
        ("position[start_sha]", start.as_str()),
        ("position[head_sha]", head.as_str()),
        ("position[old_path]", "a.txt"),
        ("position[new_path]", "a.txt"),
        ("position[old_line]", ""),
        ("position[new_line]", "2"),
    ];
    let on_line = |text: &'static str| line.iter().copied().chain([("note[note]", text)]).collect::<Vec<_>>();
    let said = part(send(&browser, &format!("{ONE}/notes?diff_id=1"), &on_line("Why *so*?")), 200);
    assert!(
        said.contains("<em>so</em>")
            && said.contains("id=\"pending\" hidden")
            && !said.contains("class=\"muted spot\""),
        "{said}"
    );
    assert!(said.contains("/notes?diff_id=1\"") && said.contains("name=\"from_diff\" value=\"1\""), "{said}");
    let discussion = first(&said, "id=\"discussion_([0-9a-f]+)\"");
    let drafts = format!("{ONE}/drafts");
    let draft = part(send(&browser, &drafts, &on_line("Shorter")), 200);
    assert!(
        draft.contains("<h2>1 pending comment</h2>") && draft.contains("<p>Shorter</p>") && !draft.contains("<em>so"),
        "{draft}"
    );
    let number = first(&draft, "id=\"draft_([0-9]+)\"");
    // A reply that waits stands in its discussion.
    let reply = [("from_diff", "1"), ("note[note]", "Later"), ("in_reply_to_discussion_id", discussion.as_str())];
    let waits = part(send(&browser, &drafts, &reply), 200);
    assert!(
        waits.contains("<h2>2 pending comments</h2>") && waits.contains("<em>so") && waits.contains("<p>Later</p>"),
        "{waits}"
    );
    let open = browser.send("GET", &format!("{ONE}/diffs?edit_draft={number}"), &[], &[("X-Fragment", "1")]);
    assert!(part(open, 200).contains("Shorter</textarea>"));
    let own = format!("{drafts}/{number}");
    let changed = part(send(&browser, &own, &[("_method", "put"), ("note[note]", "Longer")]), 200);
    assert!(changed.contains("<p>Longer</p>") && !changed.contains("<p>Later</p>"), "{changed}");
    let left = part(send(&browser, &own, &[("_method", "delete")]), 200);
    assert!(left.contains("<h2>1 pending comment</h2>") && !left.contains("note-card"), "{left}");
    let _ = part(send(&browser, &drafts, &on_line(" ")), 422);
    // Resolved, and opened again. The overview has more that depends on it.
    let resolve = format!("{ONE}/discussions/{discussion}/resolve");
    assert!(part(send(&browser, &resolve, &[("from_diff", "1")]), 200).contains("Unresolve</button>"));
    let opened = part(send(&browser, &resolve, &[("from_diff", "1"), ("_method", "delete")]), 200);
    assert!(opened.contains(">Resolve</button>"), "{opened}");
    let _ = send(&browser, &resolve, &[]).assert_status(303);
    // A command on a line says nothing, and leads to the page.
    let _ = send(&browser, &format!("{ONE}/notes?diff_id=1"), &on_line("/due 2030-01-31")).assert_status(303);
    // No one else gets a draft, or a form.
    let asked =
        Browser::of(server).send("GET", &format!("{ONE}/diffs?edit_draft={number}"), &[], &[("X-Fragment", "1")]);
    assert!(!part(asked, 200).contains("draft"));
    let stranger = safe(&Browser::of(server), &format!("{ONE}/diffs"));
    assert!(
        !stranger.contains("<template") && !stranger.contains("data-path") && !stranger.contains("id=\"pending\""),
        "{stranger}"
    );
}

#[both_databases]
fn a_comment_that_another_has_changed_is_a_conflict_with_both_texts(server: &TestServer) {
    let (ada, id) = tracker(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let api = format!("/projects/{id}/issues/4/notes");
    let note = ada.post(&api, json!({"body": "Old"})).assert_status(201).json()["id"].to_string();
    let own = format!("{ISSUE}/notes/{note}");
    let stored = || ada.get(&format!("{api}/{note}")).json()["body"].as_str().unwrap().to_owned();
    let theirs = format!("Theirs {MARKER}");
    let open = browser.get(&format!("{ISSUE}?edit_note={note}")).assert_status(200);
    let _ = ada.put(&format!("{api}/{note}"), json!({"body": theirs})).assert_status(200);
    let conflict = open.submit(&browser, &own, &[("note[note]", "Mine")]).assert_status(409);
    let part_of = |html: &str| first(html, &format!("(?s)(<article[^>]*id=\"note_{note}\".*?</article>)"));
    let form = part_of(&conflict.html);
    assert!(
        form.contains("Current version") && form.contains("Theirs &#34;") && form.contains("Mine</textarea>"),
        "{form}"
    );
    assert!(form.contains("role=\"alert\"") && !conflict.html.contains("<img src=x"), "{form}");
    assert_eq!(stored(), theirs);
    // A preview keeps the version that the form has seen.
    let page = open.submit(&browser, &own, &[("note[note]", "Mine"), ("action", "preview")]).assert_status(200);
    let version = |html: &str| first(&part_of(html), "name=\"text_seen\" value=\"([^\"]+)\"");
    assert_eq!(version(&page.html), version(&open.html));
    // The script gets the same form.
    let seen = first(&open.html, "name=\"text_seen\" value=\"([^\"]+)\"");
    let fields = [("_method", "put"), ("text_seen", seen.as_str()), ("note[note]", "Mine")];
    let again = part(send(&browser, &own, &fields), 409);
    assert!(again.contains("Current version") && again.contains("Mine</textarea>"), "{again}");
    // Who has seen the stored text replaces it. The same form does so only once, and is no conflict with itself.
    let save = |page: &Page| page.submit(&browser, &own, &[("note[note]", "Mine")]).assert_status(303);
    let _ = save(&conflict);
    assert_eq!(stored(), "Mine");
    let _ = save(&conflict);
    assert_eq!(stored(), "Mine");
}
