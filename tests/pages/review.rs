//! Reviews: comments that are published together, files viewed, and the changes since one's last view.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, Page, first, pattern};
use crate::merge_request::offer;
use crate::project::MARKER;
use crate::{PASSWORD, member};

const ONE: &str = "/ada/tool/merge_requests/1";
const DIFFS: &str = "/ada/tool/merge_requests/1/diffs";

fn safe(browser: &Browser, path: &str) -> String {
    let html = browser.get(path).assert_status(200).html;
    assert!(!html.contains("<img src=x") && !html.contains("<b>x</b>"), "{path}: {html}");
    html
}

#[track_caller]
fn followed(browser: &Browser, answer: &Page) -> String {
    assert_eq!(answer.reply.status(), 303, "{}", answer.html);
    safe(browser, answer.location().split('#').next().unwrap_or_default())
}

/// Sends one of a form's buttons that lead elsewhere than the form.
#[track_caller]
fn add_to_review(browser: &Browser, page: &Page, form: &str, fields: &[(&str, &str)]) -> Page {
    let notes = form.replace("/drafts", "/notes");
    assert!(page.html.contains(&format!("formaction=\"{form}\"")), "{form}: {}", page.html);
    let forms = pattern(&format!(r#"(?s)<form method="post" action="{}".*?</form>"#, regex::escape(&notes)));
    // A reply has the form of its discussion.
    let discussion =
        fields.iter().find(|(name, _)| name.starts_with("in_reply")).map(|(_, id)| format!("value=\"{id}\""));
    let form_of_fields = forms.find_iter(&page.html).find(|found| match &discussion {
        Some(discussion) => found.as_str().contains(discussion.as_str()),
        None => !found.as_str().contains("in_reply_to"),
    });
    let hidden = pattern(r#"<input type="hidden" name="([^"]+)" value="([^"]*)">"#);
    let hidden: Vec<(String, String)> = hidden
        .captures_iter(form_of_fields.unwrap().as_str())
        .map(|field| (field[1].to_owned(), field[2].to_owned()))
        .collect();
    let mut all: Vec<(&str, &str)> = hidden.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    all.extend(fields.iter().filter(|(name, _)| !name.starts_with("in_reply")));
    browser.post(&form.replace("&#38;", "&"), &all)
}

/// A reviewer who is a developer of the project of [`offer`].
fn reviewer(server: &TestServer, ada: &User, id: i64) -> User {
    let bob = member(server, "bob");
    let _ =
        ada.post(&format!("/projects/{id}/members"), json!({"user_id": bob.id, "access_level": 30})).assert_status(201);
    bob
}

fn notes(user: &User, id: i64) -> Vec<String> {
    let notes = user.get(&format!("/projects/{id}/merge_requests/1/notes?sort=asc&per_page=100")).json();
    let said = notes.as_array().unwrap().iter().filter(|note| note["system"] == false);
    said.map(|note| note["body"].as_str().unwrap().to_owned()).collect()
}

#[both_databases]
fn answers_to_lines_take_files(server: &TestServer) {
    let _ = offer(server);
    let link =
        "<template id=\"attach\"><a class=\"attach button small\" href=\"/ada/tool/uploads/new\" target=\"_blank\">";
    assert_eq!(safe(&Browser::signed_in(server, "ada", PASSWORD), DIFFS).matches(link).count(), 1);
    assert!(!safe(&Browser::of(server), DIFFS).contains("id=\"attach\""));
}

#[both_databases]
fn comments_wait_until_the_review_is_published(server: &TestServer) {
    let (ada, id) = offer(server);
    let bob_user = reviewer(server, &ada, id);
    let thread = ada
        .post(&format!("/projects/{id}/merge_requests/1/discussions"), json!({"body": "Why so?"}))
        .assert_status(201)
        .json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    // In general, in a discussion, and on a line.
    let overview = bob.get(ONE).assert_status(200);
    let text = format!("General {MARKER}");
    let page = followed(&bob, &add_to_review(&bob, &overview, &format!("{ONE}/drafts"), &[("note[note]", &text)]));
    assert!(page.contains("1 pending comment") && page.contains("Pending") && page.contains("General "), "{page}");
    let overview = bob.get(ONE).assert_status(200);
    let reply = [("in_reply_to_discussion_id", thread.as_str()), ("note[note]", "Because"), ("resolves", "1")];
    let page = followed(&bob, &add_to_review(&bob, &overview, &format!("{ONE}/drafts"), &reply));
    let after = page.split(&format!("id=\"discussion_{thread}\"")).nth(1).unwrap();
    assert!(
        after.contains("Because") && after.contains("resolves the discussion"),
        "the draft stands in its discussion: {page}"
    );
    let line = first(&safe(&bob, DIFFS), "comment=(f[0-9a-f]+_0_2)#");
    let open = bob.get(&format!("{DIFFS}?comment={line}")).assert_status(200);
    let form = first(&open.html, "formaction=\"([^\"]*/drafts[?]diff_id=[0-9]+)\"");
    let page = followed(&bob, &add_to_review(&bob, &open, &form, &[("note[note]", "Louder *please*")]));
    let after = page.split(&format!("id=\"{line}\"")).nth(1).unwrap();
    assert!(
        after.contains("Louder <em>please</em>") && page.contains("3 pending comments"),
        "the draft stands at its line: {page}"
    );
    // No one else sees any of it.
    assert_eq!(notes(&ada, id), ["Why so?"]);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    for browser in [&own, &Browser::of(server)] {
        for path in [ONE, DIFFS] {
            let seen = safe(browser, path);
            assert!(
                !seen.contains("Pending")
                    && !seen.contains("pending comment")
                    && !seen.contains("Louder")
                    && !seen.contains("Because"),
                "{path}: {seen}"
            );
        }
    }
    let stranger = safe(&Browser::of(server), ONE);
    assert!(!stranger.contains("Add to review") && !stranger.contains("Mark as reviewed"), "{stranger}");
    // It is published as a whole. The toolbar of the changes has the button.
    let page = bob.get(DIFFS).assert_status(200);
    let toolbar = page.html.split("class=\"bar toolbar\"").nth(1).unwrap().split("with-tree").next().unwrap();
    assert!(toolbar.contains("Finish review <span class=\"count\">3</span>"), "{toolbar}");
    let published = page.submit(&bob, &format!("{ONE}/drafts/publish"), &[]);
    let page = followed(&bob, &published);
    assert!(
        page.contains("Review published.") && !page.contains("Pending") && !page.contains("Mark as reviewed"),
        "{page}"
    );
    let said = notes(&bob_user, id);
    assert_eq!(said.len(), 4, "{said:?}");
    let discussion = ada.get(&format!("/projects/{id}/merge_requests/1/discussions/{thread}")).json();
    assert_eq!(
        (&discussion["notes"][1]["body"], &discussion["notes"][0]["resolved"]),
        (&json!("Because"), &json!(true))
    );
}

#[both_databases]
fn a_comment_of_a_review_is_changed_and_discarded_by_its_author_only(server: &TestServer) {
    let (ada, id) = offer(server);
    let _ = reviewer(server, &ada, id);
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let page = bob.get(ONE).assert_status(200);
    let blank = add_to_review(&bob, &page, &format!("{ONE}/drafts"), &[("note[note]", " ")]).assert_status(422);
    assert!(blank.html.contains("can&#39;t be blank"), "{}", blank.html);
    let made = add_to_review(&bob, &page, &format!("{ONE}/drafts"), &[("note[note]", "First")]);
    let draft = first(&made.location(), "#draft_([0-9]+)$");
    let open = bob.get(&format!("{ONE}?edit_draft={draft}")).assert_status(200);
    let address = format!("{ONE}/drafts/{draft}");
    let wrong = open.submit(&bob, &address, &[("_method", "put"), ("note[note]", "  ")]).assert_status(422);
    assert!(wrong.html.contains("id=\"edited_draft_") && wrong.html.contains("role=\"alert\""), "{}", wrong.html);
    let token = bob.get(ONE).token();
    let send = |browser: &Browser, token: &str, method: &str| {
        browser.post(&address, &[("_method", method), ("authenticity_token", token), ("note[note]", "Second")])
    };
    assert!(followed(&bob, &send(&bob, &token, "put")).contains("<p>Second</p>"));
    // For all others it is not there: their typed text stands in the form for a comment.
    let kept = send(&own, &own.get("/").token(), "put").assert_status(422);
    assert!(kept.html.contains("not in your review any more") && !kept.html.contains("First"), "{}", kept.html);
    let _ = send(&own, &own.get("/").token(), "delete").assert_status(404);
    assert!(!safe(&own, &format!("{ONE}?edit_draft={draft}")).contains("Second"));
    assert!(!followed(&bob, &send(&bob, &token, "delete")).contains("Second"));
    for from_diff in ["", "1"] {
        let fields = [
            ("_method", "put"),
            ("authenticity_token", &token),
            ("note[note]", "</textarea>Late"),
            ("from_diff", from_diff),
        ];
        let late = bob.post(&address, &fields).assert_status(422);
        let form =
            late.html.split("<textarea").find(|form| form.contains("Late")).unwrap_or_else(|| panic!("{}", late.html));
        assert!(
            form.contains("id=\"note\"")
                && form.contains("&#60;/textarea&#62;Late")
                && late.html.contains("role=\"alert\""),
            "{form}"
        );
    }
    let _ = ada.put(&format!("/projects/{id}"), json!({"visibility": "private"})).assert_status(200);
    let _ = member(server, "eve");
    let eve = Browser::signed_in(server, "eve", PASSWORD);
    let (missing, token) = (eve.get("/no/page").assert_status(404).html, eve.get("/").token());
    for below in ["drafts", "drafts/publish", "viewed", "seen"] {
        let answer = eve.post(
            &format!("{ONE}/{below}"),
            &[
                ("authenticity_token", &token),
                ("note[note]", "x"),
                ("path", "a.txt"),
                ("digest", "ab"),
                ("viewed", "1"),
            ],
        );
        assert_eq!(answer.assert_status(404).html, missing, "{below}");
    }
}

#[both_databases]
fn files_are_viewed_until_they_change(server: &TestServer) {
    let (ada, id) = offer(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get(DIFFS).assert_status(200);
    assert!(page.html.contains("0 of 1 viewed") && page.html.contains("aria-pressed=\"false\""), "{}", page.html);
    // A button in the head of the file folds it. It is folded once it was viewed.
    let folds = "<summary class=\"icon-button\" aria-label=\"Changes in a.txt\">";
    assert!(page.html.contains(&format!("<details open>{folds}")), "{}", page.html);
    assert!(page.html.contains("data-copy-text=\"a.txt\" aria-label=\"Copy path a.txt\""), "{}", page.html);
    let viewed = followed(&browser, &page.press(&browser, &format!("{ONE}/viewed")));
    assert!(
        viewed.contains("1 of 1 viewed")
            && viewed.contains(&format!("<details>{folds}"))
            && viewed.contains("aria-pressed=\"true\""),
        "{viewed}"
    );
    // It is noted for this user, and for the whole difference.
    assert!(
        !safe(&Browser::of(server), DIFFS).contains("/viewed")
            && !safe(&browser, &format!("{DIFFS}?w=1")).contains("/viewed")
    );
    let body = json!({"branch": "topic", "commit_message": "Again", "actions": [{"action": "update", "file_path": "a.txt", "content": "zero\n"}]});
    let _ = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201);
    server.run_jobs();
    let after = browser.get(DIFFS).assert_status(200);
    assert!(
        after.html.contains("changed since you viewed it") && after.html.contains("0 of 1 viewed"),
        "{}",
        after.html
    );
    // A form whose page was made before the change records the version that was seen then.
    assert!(
        followed(&browser, &page.press(&browser, &format!("{ONE}/viewed"))).contains("changed since you viewed it")
    );
    let viewed = browser.get(DIFFS).press(&browser, &format!("{ONE}/viewed"));
    assert!(followed(&browser, &viewed).contains("1 of 1 viewed"));
    let ended = browser.get(DIFFS).press(&browser, &format!("{ONE}/viewed"));
    assert!(followed(&browser, &ended).contains("0 of 1 viewed"));
    for value in ["ab12 ", &format!("{MARKER} a.txt"), " a.txt", "", "ab12"] {
        let fields = [("authenticity_token", after.token()), ("viewed", value.to_owned())];
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let wrong = browser.post(&format!("{ONE}/viewed"), &fields).assert_status(422);
        assert!(!wrong.html.contains("<img src=x"), "{}", wrong.html);
    }
}

#[both_databases]
fn what_has_changed_since_one_has_looked_is_shown(server: &TestServer) {
    let (ada, id) = offer(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let _ = browser.get(&format!("{DIFFS}?since=seen")).assert_status(404);
    let page = browser.get(DIFFS).assert_status(200);
    assert!(!page.html.contains("Changes since last review"));
    let marked = followed(&browser, &page.submit(&browser, &format!("{ONE}/seen"), &[]));
    assert!(!marked.contains("Mark as reviewed") && !marked.contains("since=seen"), "{marked}");
    let body = json!({"branch": "topic", "commit_message": "More", "actions": [{"action": "create", "file_path": "new.txt", "content": "<b>x</b>\n"}]});
    let _ = ada.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201);
    server.run_jobs();
    for path in [ONE, DIFFS] {
        assert!(safe(&browser, path).contains("href=\"/ada/tool/merge_requests/1/diffs?since=seen\""), "{path}");
    }
    let since = safe(&browser, &format!("{DIFFS}?since=seen"));
    assert!(
        since.contains("Showing changes since your last review.")
            && since.contains("new.txt")
            && !since.contains("TWO")
            && !since.contains("comment=f"),
        "{since}"
    );
    assert!(!safe(&Browser::of(server), DIFFS).contains("since=seen"));
    let _ = Browser::of(server).get(&format!("{DIFFS}?since=seen")).assert_status(404);
}
