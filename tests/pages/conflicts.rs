//! Conflicts that are resolved in the browser: one side of each, or an edited text, by one commit.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, followed, safe};
use crate::merge_request::offer;
use crate::project::{MARKER, commit, project};
use crate::{PASSWORD, member};

const ONE: &str = "/ada/tool/merge_requests/1";
const CONFLICTS: &str = "/ada/tool/merge_requests/1/conflicts";

fn content(user: &User, id: i64) -> String {
    user.get(&format!("/projects/{id}/repository/files/a.txt/raw?ref=topic")).assert_status(200).text()
}

fn head(user: &User, id: i64) -> serde_json::Value {
    user.get(&format!("/projects/{id}/repository/commits/topic")).assert_status(200).json()
}

/// Lines between two changes, so many that they are two conflicts.
const BETWEEN: &str = "a\nb\nc\nd\ne\n";

fn update(user: &User, id: i64, branch: &str, action: &serde_json::Value) {
    let body = json!({"branch": branch, "commit_message": "Change", "actions": [action]});
    let _ = user.post(&format!("/projects/{id}/repository/commits"), body).assert_status(201);
}

fn changed(content: &str) -> serde_json::Value {
    json!({"action": "update", "file_path": "a.txt", "content": content})
}

/// A merge request whose file both branches have changed in two places.
fn conflict(server: &TestServer) -> (User, i64) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.txt", format!("one\n{BETWEEN}two\n").as_bytes())]);
    let branch = json!({"branch": "topic", "ref": "main"});
    let _ = ada.post(&format!("/projects/{id}/repository/branches"), branch).assert_status(201);
    update(&ada, id, "topic", &changed(&format!("ONE\n{BETWEEN}<b>x</b>\n")));
    let body = json!({"source_branch": "topic", "target_branch": "main", "title": format!("Say it {MARKER}")});
    let _ = ada.post(&format!("/projects/{id}/merge_requests"), body).assert_status(201);
    update(&ada, id, "main", &changed(&format!("1\n{BETWEEN}2 {MARKER}\n")));
    server.run_jobs();
    (ada, id)
}

#[both_databases]
fn each_conflict_gets_one_side_by_one_commit(server: &TestServer) {
    let (ada, id) = conflict(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&browser, ONE);
    assert!(page.contains("<li><code>a.txt</code></li>") && page.contains(&format!("href=\"{CONFLICTS}\"")), "{page}");
    let before = head(&ada, id)["id"].clone();
    let target = ada.get(&format!("/projects/{id}/repository/commits/main")).json()["id"].clone();
    let page = browser.get(CONFLICTS).assert_status(200);
    assert!(safe(&browser, CONFLICTS).contains("Conflict 2 of 2"), "{}", page.html);
    // Without a choice nothing is done, and what was chosen stays.
    let some = page.submit(&browser, CONFLICTS, &[("side[0_0]", "theirs")]).assert_status(422);
    assert!(some.html.contains("Choose a side for each conflict"), "{}", some.html);
    assert!(some.html.contains("name=\"side[0_0]\" value=\"theirs\" checked"), "{}", some.html);
    assert_eq!(head(&ada, id)["id"], before);
    let sides = [("side[0_0]", "theirs"), ("side[0_1]", "ours")];
    let sent = page.submit(&browser, CONFLICTS, &sides);
    assert_eq!(sent.location(), ONE);
    assert!(followed(&browser, &sent).contains("Conflicts resolved."));
    assert_eq!(content(&ada, id), format!("1\n{BETWEEN}<b>x</b>\n"));
    let made = head(&ada, id);
    assert_eq!(made["parent_ids"], json!([before, target]));
    assert_eq!(made["title"], "Merge branch 'main' into 'topic'");
    // A second press finds it done, and the page leads back.
    assert_eq!(page.submit(&browser, CONFLICTS, &sides).location(), ONE);
    assert_eq!(head(&ada, id)["id"], made["id"]);
    // Another resolution from the same page is not done, and is told so.
    let others = [vec![("side[0_0]", "ours"), ("side[0_1]", "ours")], vec![("edit[0]", "1"), ("text[0]", "anew\n")]];
    for other in others {
        let late = page.submit(&browser, CONFLICTS, &other);
        assert_eq!(late.reply.status(), 409);
        assert!(late.html.contains("A branch has changed since you opened this page."), "{}", late.html);
        assert_eq!(head(&ada, id)["id"], made["id"]);
    }
    assert_eq!(browser.get(CONFLICTS).location(), ONE);
    assert!(safe(&browser, ONE).contains("This can be merged automatically."));
}

#[both_databases]
fn an_edited_text_resolves_as_well(server: &TestServer) {
    let (ada, id) = conflict(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get(CONFLICTS).assert_status(200);
    assert!(page.html.contains("&#60;&#60;&#60;&#60;&#60;&#60;&#60; "), "{}", page.html);
    let ours = head(&ada, id)["id"].as_str().unwrap().to_owned();
    let left = format!("x\n<<<<<<< {ours}\ny\n");
    let refused = page.submit(&browser, CONFLICTS, &[("edit[0]", "1"), ("text[0]", &left)]).assert_status(422);
    assert!(refused.html.contains("without the marks of conflicts: a.txt"), "{}", refused.html);
    assert!(refused.html.contains("x\n&#60;&#60;"), "{}", refused.html);
    let fields = [("edit[0]", "1"), ("text[0]", "anew\n"), ("commit_message", "As I say")];
    let sent = page.submit(&browser, CONFLICTS, &fields);
    assert!(followed(&browser, &sent).contains("Conflicts resolved."));
    assert_eq!((content(&ada, id).as_str(), &head(&ada, id)["title"]), ("anew\n", &json!("As I say")));
}

#[both_databases]
fn a_branch_that_has_moved_is_told_with_the_conflicts_now(server: &TestServer) {
    let (ada, id) = conflict(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get(CONFLICTS).assert_status(200);
    let _ = commit(&ada, "ada/tool", "topic", "More", &[("c.txt", b"more")]);
    let before = head(&ada, id)["id"].clone();
    let late = page.submit(&browser, CONFLICTS, &[("side[0_0]", "ours"), ("side[0_1]", "ours")]);
    assert_eq!(late.reply.status(), 409);
    assert!(late.html.contains("A branch has changed since you opened this page."), "{}", late.html);
    assert_eq!(head(&ada, id)["id"], before);
    let sent = late.submit(&browser, CONFLICTS, &[("side[0_0]", "ours"), ("side[0_1]", "ours")]);
    assert_eq!(sent.location(), ONE);
    assert_eq!(head(&ada, id)["parent_ids"][0], before);
}

/// A conflict that cannot be resolved here: the page says why, and its form does nothing.
fn is_refused(server: &TestServer, action: &serde_json::Value, words: &str) {
    let (ada, id) = offer(server);
    update(&ada, id, "main", action);
    server.run_jobs();
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get(CONFLICTS).assert_status(200);
    assert!(page.html.contains(words) && !page.html.contains("Resolve conflicts</button>"), "{}", page.html);
    let before = head(&ada, id)["id"].clone();
    let refused = page.submit(&browser, CONFLICTS, &[("side[0_0]", "ours")]).assert_status(422);
    assert!(refused.html.contains(words), "{words}: {}", refused.html);
    assert_eq!(head(&ada, id)["id"], before);
}

#[both_databases]
fn a_binary_file_is_refused(server: &TestServer) {
    let action = json!({"action": "update", "file_path": "a.txt", "content": "AAEC", "encoding": "base64"});
    is_refused(server, &action, "it is binary");
}

#[both_databases]
fn a_file_that_is_gone_on_one_side_is_refused(server: &TestServer) {
    let words = "it was deleted, renamed or replaced on one side";
    is_refused(server, &json!({"action": "delete", "file_path": "a.txt"}), words);
}

#[both_databases]
fn a_file_that_is_too_large_is_refused(server: &TestServer) {
    is_refused(server, &changed(&"0123456789\n".repeat(20_000)), "it is too large");
}

#[both_databases]
fn who_may_not_push_does_not_resolve(server: &TestServer) {
    let (ada, id) = conflict(server);
    let bob = member(server, "bob");
    let body = json!({"user_id": bob.id, "access_level": 20});
    let _ = ada.post(&format!("/projects/{id}/members"), body).assert_status(201);
    let reporter = Browser::signed_in(server, "bob", PASSWORD);
    assert_eq!(reporter.get(CONFLICTS).reply.status(), 403);
    assert!(!safe(&reporter, ONE).contains("/conflicts\""));
    assert!(Browser::of(server).get(CONFLICTS).reply.status() != 200);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    assert_eq!(browser.get("/ada/tool/merge_requests/99/conflicts").reply.status(), 404);
    let page = browser.get(CONFLICTS).assert_status(200);
    let sides = [("side[0_0]", "ours"), ("side[0_1]", "ours")];
    let _ = ada.post(&format!("/projects/{id}/archive"), json!({})).assert_status(200);
    assert_eq!(page.submit(&browser, CONFLICTS, &sides).reply.status(), 403);
    let _ = ada.post(&format!("/projects/{id}/unarchive"), json!({})).assert_status(200);
    let close = json!({"state_event": "close"});
    let _ = ada.put(&format!("/projects/{id}/merge_requests/1"), close).assert_status(200);
    let closed = page.submit(&browser, CONFLICTS, &sides).assert_status(422);
    assert!(closed.html.contains("This merge request is no longer open."), "{}", closed.html);
}
