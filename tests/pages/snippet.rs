//! The pages of snippets.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, User, both_databases};

use crate::browser::{Browser, followed, safe};
use crate::project::{MARKER, project};
use crate::{PASSWORD, member};

fn made(client: &Client, path: &str, body: Value) -> String {
    client.post(path, body).assert_status(201).json()["id"].to_string()
}

fn one(title: &str, visibility: &str) -> Value {
    json!({"title": title, "file_name": "a.rs", "content": "fn main() {}\n", "visibility": visibility})
}

/// Gives a user and a project snippets in which every text is hostile.
pub(crate) fn fill(owner: &User, path: &str) {
    let files = json!([
        {"file_path": "\"><img src=x onerror=alert(1)>.rs", "content": format!("{MARKER}\nfn main() {{}}")},
        {"file_path": "folder/b.txt", "content": MARKER},
    ]);
    let text = format!("{MARKER} [x](javascript:alert(1))");
    let body = json!({"title": MARKER, "description": text, "files": files, "visibility": "public"});
    for path in ["/snippets".to_owned(), format!("/projects/{}/snippets", path.replace('/', "%2F"))] {
        let _ = owner.post(&path, body.clone()).assert_status(201);
    }
}

#[both_databases]
fn a_snippet_is_made_changed_and_deleted(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    for (list, back, api) in
        [("/snippets", "/dashboard/snippets", "/snippets"), ("/ada/tool/snippets", "/ada/tool/snippets", "/snippets")]
    {
        assert!(safe(&browser, back).contains("No snippets"), "{back}");
        let form = browser.get(&format!("{list}/new")).assert_status(200);
        let refused = form.send_with(&browser, list, &[("snippet[title]", " "), ("snippet[contents][]", MARKER)]);
        let refused = refused.assert_status(422);
        assert!(refused.html.contains("href=\"#title\"") && !refused.html.contains(MARKER), "{}", refused.html);
        let typed = [
            ("snippet[title]", MARKER),
            ("snippet[description]", "Hello *world*"),
            ("snippet[names][]", "src/main.rs"),
            ("snippet[contents][]", "fn main() {}\r\n// end"),
            ("snippet[visibility_level]", "20"),
        ];
        let more = form.send_with(&browser, list, &[&typed[..], &[("action", "add")]].concat()).assert_status(200);
        assert!(more.html.contains("File 2") && more.html.contains("value=\"src/main.rs\""), "{}", more.html);
        let fewer = more.send_with(&browser, list, &[("remove", "1")]).assert_status(200);
        assert!(!fewer.html.contains("File 2") && !fewer.html.contains("value=\"src/main.rs\""), "{}", fewer.html);
        let saved = form.send_with(&browser, list, &typed);
        let page = saved.location();
        assert!(followed(&browser, &saved).contains("Snippet saved."));
        let shown = safe(&browser, &page);
        assert!(shown.contains("<em>world</em>") && shown.contains("2 lines") && shown.contains("Public"), "{shown}");
        let number = page.rsplit('/').next().expect("a number");
        assert_eq!(ada.get(&format!("{api}/{number}/raw")).text(), "fn main() {}\n// end");
        let raw = browser.get(&format!("{page}/raw/main/src/main.rs")).assert_status(200);
        assert_eq!(
            (&*raw.html, &*raw.reply.header("content-type")),
            ("fn main() {}\n// end", "text/plain; charset=utf-8")
        );
        assert!(raw.reply.header("content-security-policy").contains("sandbox"));
        assert_eq!(&*raw.reply.header("cache-control"), "private, no-store");
        let _ = browser.get(&format!("{page}/raw/main/none")).assert_status(404);
        assert!(safe(&browser, back).contains(&format!("href=\"{page}\"")));
        let edit = browser.get(&format!("{page}/edit")).assert_status(200);
        let edited = edit.send_with(&browser, &page, &[("snippet[title]", "Other"), ("snippet[description]", "")]);
        assert_eq!(edited.location(), page);
        let after = ada.get(&format!("{api}/{number}")).json();
        assert_eq!((&after["title"], &after["description"]), (&json!("Other"), &Value::Null));
        // The form was opened before that change.
        let late = edit.send_with(&browser, &page, &[("snippet[title]", "Third")]).assert_status(422);
        assert!(late.html.contains("has changed since you opened the form"), "{}", late.html);
        assert_eq!(late.send_with(&browser, &page, &[("snippet[title]", "Third")]).location(), page);
        let gone = browser.get(&page).submit(&browser, &page, &[("_method", "delete")]);
        assert_eq!(gone.location(), back);
        assert!(followed(&browser, &gone).contains("Snippet deleted."));
        let _ = browser.get(&page).assert_status(404);
    }
}

#[both_databases]
fn callers_see_what_they_may(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = member(server, "bob");
    let _ = project(&ada, "tool", "public");
    let there = "/projects/ada%2Ftool/snippets";
    let (stranger, bob, own) =
        (Browser::of(server), Browser::signed_in(server, "bob", PASSWORD), Browser::signed_in(server, "ada", PASSWORD));
    let pages = |visibility: &str| {
        let alone = made(&ada, "/snippets", one(&format!("alone {visibility}"), visibility));
        let inside = made(&ada, there, one(&format!("inside {visibility}"), visibility));
        [format!("/snippets/{alone}"), format!("/ada/tool/snippets/{inside}")]
    };
    for (visibility, strangers, bobs) in [("private", 0, 404), ("internal", 0, 200), ("public", 200, 200)] {
        for page in pages(visibility) {
            for path in [page.clone(), format!("{page}/raw")] {
                match strangers {
                    0 => assert!(matches!(stranger.get(&path).reply.status(), 302 | 404), "{path}"),
                    status => drop(stranger.get(&path).assert_status(status)),
                }
                let _ = bob.get(&path).assert_status(bobs);
                let _ = own.get(&path).assert_status(200);
            }
            assert!(stranger.get(&format!("{page}/edit")).location().contains("/users/sign_in"), "{page}");
            assert!(matches!(bob.get(&format!("{page}/edit")).reply.status(), 403 | 404), "{page}");
            assert!(!safe(&own, &page).contains("No snippets") && safe(&own, &page).contains("Delete snippet"));
        }
    }
    let titles = |browser: &Browser, path: &str| -> Vec<&'static str> {
        let html = safe(browser, path);
        let all =
            ["alone private", "inside private", "alone internal", "inside internal", "alone public", "inside public"];
        all.into_iter().filter(|title| html.contains(title)).collect()
    };
    assert_eq!(titles(&stranger, "/snippets"), ["alone public", "inside public"]);
    assert_eq!(titles(&stranger, "/users/ada/snippets"), ["alone public", "inside public"]);
    assert_eq!(titles(&bob, "/users/ada/snippets").len(), 4);
    assert_eq!(titles(&own, "/dashboard/snippets").len(), 6);
    assert_eq!(titles(&bob, "/ada/tool/snippets"), ["inside internal", "inside public"]);
    let found = safe(&stranger, "/search?scope=snippet_titles&search=alone");
    assert_eq!(found.matches("href=\"/snippets/").count(), 1, "{found}");
    let _ = bob.get("/ada/tool/snippets/new").assert_status(403);
    assert!(stranger.get("/snippets/new").location().contains("/users/sign_in"));
    let _ = ada.put("/projects/ada%2Ftool", json!({"snippets_access_level": "disabled"})).assert_status(200);
    assert!(!own.get("/ada/tool").html.contains("/ada/tool/snippets"));
    let _ = own.get("/ada/tool/snippets").assert_status(404);
    let _ = own.get("/ada/tool/snippets/new").assert_status(403);
}

#[both_databases]
fn a_snippet_of_a_project_is_at_its_address_there(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let number = made(&ada, "/projects/ada%2Ftool/snippets", one("t", "public"));
    let stranger = Browser::of(server);
    assert_eq!(stranger.get(&format!("/snippets/{number}")).location(), format!("/ada/tool/snippets/{number}"));
    let _ = stranger.get(&format!("/ada/tool/-/snippets/{number}")).assert_status(200);
    for path in ["/snippets/x", "/snippets/0", "/snippets/99999999999999999999", "/ada/tool/snippets/x"] {
        let _ = stranger.get(path).assert_status(404);
    }
}

#[both_databases]
fn a_page_of_snippets_costs_a_bounded_number_of_statements(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let cost = || server.count_statements(|| drop(browser.get("/dashboard/snippets").assert_status(200)));
    let _ = made(&ada, "/snippets", one("t", "public"));
    let _ = cost();
    let few = cost();
    for _ in 0..12 {
        let _ = made(&ada, "/snippets", one("t", "public"));
    }
    assert_eq!(cost(), few);
}

#[both_databases]
fn a_snippet_of_a_project_is_commented_on(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = member(server, "bob");
    let _ = project(&ada, "tool", "public");
    let number = made(&ada, "/projects/ada%2Ftool/snippets", one("t", "public"));
    let page = format!("/ada/tool/snippets/{number}");
    let notes = format!("{page}/notes");
    let (own, bob) = (Browser::signed_in(server, "ada", PASSWORD), Browser::signed_in(server, "bob", PASSWORD));
    assert!(!safe(&Browser::of(server), &page).contains("Add a comment"));
    let refused = own.get(&page).send_with(&own, &notes, &[("note[note]", " ")]).assert_status(422);
    assert!(refused.html.contains("href=\"#note\""), "{}", refused.html);
    let text = format!("Hello *world* {MARKER}");
    let said = own.get(&page).send_with(&own, &notes, &[("note[note]", &text)]);
    let there = said.location();
    assert!(there.starts_with(&format!("{page}#note_")), "{there}");
    let shown = safe(&bob, &page);
    assert!(shown.contains("<em>world</em>") && !shown.contains("Delete comment"), "{shown}");
    let note = there.rsplit('_').next().expect("an id");
    let gone = own.get(&page).submit(&own, &format!("{notes}/{note}"), &[("_method", "delete")]);
    assert_eq!(gone.location(), page);
    assert!(followed(&own, &gone).contains("Comment deleted."));
    assert!(!safe(&own, &page).contains("<em>world</em>"));
}
