//! The settings of a project that come from their table.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::Browser;
use crate::project::project;
use crate::{PASSWORD, member};

#[both_databases]
fn levels_and_presets_are_set_in_the_form(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let path = format!("/projects/{id}");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/ada/tool/edit").assert_status(200);
    let sent = [
        ("project[issues_access_level]", "private"),
        ("project[squash_option]", "always"),
        ("project[merge_commit_template]", "%{title} <b>"),
        ("project[issues_template]", "## Steps"),
    ];
    let _ = page.send_with(&browser, "/ada/tool/edit", &sent);
    let names = ["issues_access_level", "squash_option", "merge_commit_template", "issues_template"];
    let now = ada.get(&path).json();
    assert_eq!(names.map(|name| now[name].as_str()), ["private", "always", "%{title} <b>", "## Steps"].map(Some));
    let page = browser.get("/ada/tool/edit").assert_status(200);
    assert!(page.html.contains("%{title} &#60;b&#62;"), "{}", page.html);
    let new = browser.get("/ada/tool/issues/new").assert_status(200);
    assert!(new.html.contains("## Steps"), "{}", new.html);
    // A text that is too long is kept in the form, and nothing is stored.
    let long = "x".repeat(501);
    let refused = page.send_with(&browser, "/ada/tool/edit", &[("project[merge_commit_template]", long.as_str())]);
    assert_eq!(refused.reply.status(), 422);
    assert!(refused.html.contains(&long) && refused.html.contains("is too long (maximum is 500 characters)"));
    // Those who are no members have neither the tab nor the page.
    let stranger = Browser::of(server);
    assert!(!stranger.get("/ada/tool").assert_status(200).html.contains("/ada/tool/issues\""));
    assert_eq!(stranger.get("/ada/tool/issues").reply.status(), 404);
}

#[both_databases]
fn tags_without_releases_show_no_notes(server: &TestServer) {
    let ada = member(server, "ada");
    let made = json!({"name": "tool", "visibility": "public", "initialize_with_readme": true});
    let id = ada.post("/projects", made).assert_status(201).json()["id"].clone();
    let body = json!({"tag_name": "v1", "ref": "main", "description": "what is new"});
    let _ = ada.post(&format!("/projects/{id}/releases"), body).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let tags = || ["/ada/tool/tags", "/ada/tool/tags/v1"].map(|path| browser.get(path).assert_status(200).html);
    assert!(tags()[1].contains("what is new"), "{}", tags()[1]);
    let _ = ada.put(&format!("/projects/{id}"), json!({"releases_access_level": "disabled"})).assert_status(200);
    for page in tags() {
        assert!(!page.contains("what is new") && !page.contains("/releases/new"), "{page}");
    }
}

#[both_databases]
fn a_guest_is_given_the_preset_text(server: &TestServer) {
    let ada = member(server, "ada");
    let bob = member(server, "bob");
    let id = project(&ada, "tool", "private");
    let _ = ada.put(&format!("/projects/{id}"), json!({"issues_template": "## Steps"})).assert_status(200);
    let guest = json!({"user_id": bob.id, "access_level": 10});
    let _ = ada.post(&format!("/projects/{id}/members"), guest).assert_status(201);
    let page = Browser::signed_in(server, "bob", PASSWORD).get("/ada/tool/issues/new").assert_status(200);
    assert!(page.html.contains("## Steps"), "{}", page.html);
}
