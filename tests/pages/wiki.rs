//! The wiki of a project.

use serde_json::json;
use tenon_testkit::{Multipart, TestServer, User, both_databases};

use crate::browser::{Browser, first, followed, safe};
use crate::project::{MARKER, project};
use crate::{PASSWORD, member};

const WIKI: &str = "/projects/ada%2Ftool/wikis";

fn world(server: &TestServer) -> User {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    ada
}

fn page(ada: &User, title: &str, content: &str) {
    let _ = ada.post(WIKI, json!({"title": title, "content": content})).assert_status(201);
}

/// Gives a project a wiki in which every text is hostile.
pub(crate) fn fill(owner: &User, path: &str) {
    let wiki = format!("/projects/{}/wikis", path.replace('/', "%2F"));
    for title in ["home", "_sidebar", "guides/first steps"] {
        let text = format!("{MARKER} [[home]] [x](javascript:alert(1)) [y](guides/first-steps)");
        let _ = owner.post(&wiki, json!({"title": title, "content": text})).assert_status(201);
    }
}

#[both_databases]
fn a_page_is_made_changed_and_deleted(server: &TestServer) {
    let _ = world(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    assert!(browser.get("/ada/tool").html.contains("href=\"/ada/tool/wikis/home\""));
    let empty = browser.get("/ada/tool/wikis/home").assert_status(200);
    assert!(empty.html.contains("This page does not exist.") && empty.html.contains("wiki_pages/new?title=home"));
    assert_eq!(browser.get("/ada/tool/wikis").location(), "/ada/tool/wikis/home");
    let form = browser.get("/ada/tool/wiki_pages/new?title=home").assert_status(200);
    let refused = form.send_with(&browser, "/ada/tool/wikis", &[("wiki[title]", " "), ("wiki[content]", MARKER)]);
    assert!(refused.assert_status(422).html.contains("href=\"#title\""));
    let text = format!("Hello *world* {MARKER} [[other page]]");
    let typed = [("wiki[title]", "home"), ("wiki[content]", text.as_str())];
    let preview = form.send_with(&browser, "/ada/tool/wikis", &[&typed[..], &[("action", "preview")]].concat());
    let shown = preview.assert_status(200).html;
    assert!(shown.contains("<em>world</em>") && shown.contains("value=\"home\""), "{shown}");
    let made = form.send_with(&browser, "/ada/tool/wikis", &typed);
    assert_eq!(made.location(), "/ada/tool/wikis/home");
    assert!(followed(&browser, &made).contains("Wiki page saved."));
    let shown = safe(&browser, "/ada/tool/wikis/home");
    assert!(shown.contains("<em>world</em>") && shown.contains("href=\"/ada/tool/-/wikis/other-page\""), "{shown}");
    assert!(shown.contains("/ada/tool.wiki.git"), "{shown}");
    let form = browser.get("/ada/tool/wiki_pages/edit/home").assert_status(200);
    let edited =
        form.send_with(&browser, "/ada/tool/wikis/home", &[("wiki[content]", "New"), ("wiki[title]", "a/b c")]);
    assert_eq!(edited.location(), "/ada/tool/wikis/a/b-c");
    let list = safe(&browser, "/ada/tool/wiki_pages");
    assert!(list.contains("href=\"/ada/tool/wikis/a/b-c\"") && !list.contains("wikis/home\"><bdi>"), "{list}");
    let gone = browser.get("/ada/tool/wikis/a/b-c").submit(&browser, "/ada/tool/wikis/a/b-c", &[("_method", "delete")]);
    assert!(followed(&browser, &gone).contains("Wiki page deleted."));
    let _ = browser.get("/ada/tool/wikis/a/b-c").assert_status(404);
    let _ = browser.get("/ada/tool/wiki_pages/edit/a/b-c").assert_status(404);
    let _ = browser.get("/ada/tool/wiki_pages/history/a/b-c").assert_status(404);
}

#[both_databases]
fn the_history_leads_to_old_versions(server: &TestServer) {
    let ada = world(server);
    page(&ada, "home", "first");
    let change = json!({"content": "second", "message": format!("Change {MARKER}")});
    let _ = ada.put(&format!("{WIKI}/home"), change).assert_status(200);
    let stranger = Browser::of(server);
    let history = safe(&stranger, "/ada/tool/wiki_pages/history/home");
    assert_eq!(history.matches("?version=").count(), 2, "{history}");
    let (_, rest) = history.split_at(history.rfind("?version=").unwrap());
    let version = first(rest, "version=([0-9a-f]{40})");
    let old = safe(&stranger, &format!("/ada/tool/wikis/home?version={version}"));
    assert!(old.contains("first") && old.contains("This is an old version"), "{old}");
    assert!(safe(&stranger, "/ada/tool/wikis/home").contains("second"));
    let _ = stranger.get("/ada/tool/wikis/home?version=0123").assert_status(200);
}

#[both_databases]
fn a_sidebar_is_shown_beside_each_page(server: &TestServer) {
    let ada = world(server);
    page(&ada, "a/home", "text\n\n# Menu\n\n[x](#menu)");
    page(&ada, "_sidebar", &format!("# Menu\n\n[[words {MARKER}|a/home]]"));
    let shown = safe(&Browser::of(server), "/ada/tool/wikis/a/home");
    assert!(shown.contains("aria-label=\"Sidebar\"") && shown.contains("href=\"/ada/tool/-/wikis/a/home\""), "{shown}");
    assert_eq!(shown.matches("id=\"user-content-menu\"").count(), 1, "headings have names of their own: {shown}");
    assert!(!shown.contains("wiki_pages/new"), "a stranger makes no page: {shown}");
}

#[both_databases]
fn attachments_are_served_as_files_are(server: &TestServer) {
    let ada = world(server);
    let attach = |name: &str, bytes: &[u8]| {
        let file = Multipart::default().file("file", name, bytes);
        let made = ada.multipart("POST", &format!("{WIKI}/attachments"), &file).assert_status(201).json();
        format!("/ada/tool/-/wikis/{}", made["file_path"].as_str().unwrap())
    };
    let stranger = Browser::of(server);
    let picture = stranger.get(&attach("dk.png", b"\x89PNG\0")).assert_status(200);
    assert_eq!(&*picture.reply.header("content-type"), "image/png");
    let html = stranger.get(&attach("x.html", b"<script>alert(1)</script>")).assert_status(200);
    assert_eq!(&*html.reply.header("content-type"), "text/plain; charset=utf-8");
    let svg = stranger.get(&attach("x.svg", b"<svg/>")).assert_status(200);
    assert!(svg.reply.header("content-security-policy").contains("sandbox"));
    let _ = stranger.get("/ada/tool/-/wikis/uploads/none/x.png").assert_status(404);
}

#[both_databases]
fn a_page_that_has_changed_is_not_replaced_unseen(server: &TestServer) {
    let ada = world(server);
    page(&ada, "home", "first");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let form = browser.get("/ada/tool/wiki_pages/edit/home");
    let _ = ada.put(&format!("{WIKI}/home"), json!({"content": "theirs"})).assert_status(200);
    let refused = form.send_with(&browser, "/ada/tool/wikis/home", &[("wiki[content]", "mine")]).assert_status(422);
    assert!(refused.html.contains("theirs") && refused.html.contains("mine"), "{}", refused.html);
    let saved = refused.send_with(&browser, "/ada/tool/wikis/home", &[("wiki[content]", "both")]);
    assert_eq!(saved.location(), "/ada/tool/wikis/home");
    assert_eq!(ada.get(&format!("{WIKI}/home")).json()["content"], "both");
}

#[both_databases]
fn forms_are_for_those_who_may_save_them(server: &TestServer) {
    let ada = world(server);
    page(&ada, "home", "text");
    let _ = member(server, "bob");
    let stranger = Browser::of(server);
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    for path in ["/ada/tool/wiki_pages/new", "/ada/tool/wiki_pages/edit/home"] {
        assert!(stranger.get(path).location().contains("/users/sign_in"), "{path}");
        let _ = bob.get(path).assert_status(403);
    }
    let _ = ada.put("/projects/ada%2Ftool", json!({"wiki_access_level": "disabled"})).assert_status(200);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    assert!(!own.get("/ada/tool").html.contains("wikis/home"));
    for path in ["/ada/tool/wikis/home", "/ada/tool/wiki_pages", "/ada/tool/wiki_pages/new"] {
        let _ = own.get(path).assert_status(403);
    }
}

#[both_databases]
fn a_page_of_another_format_is_shown_as_it_was_written(server: &TestServer) {
    let ada = world(server);
    let body = json!({"title": "home", "content": format!("*text* {MARKER}"), "format": "org"});
    let _ = ada.post(WIKI, body).assert_status(201);
    let shown = safe(&Browser::of(server), "/ada/tool/wikis/home");
    assert!(shown.contains("<pre>*text*"), "{shown}");
}
