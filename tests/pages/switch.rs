//! The menu of branches and tags, and the search for their names and for those of files.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, Page, safe};
use crate::project::{commit, project};
use crate::{PASSWORD, member};

fn world(server: &TestServer) -> (User, i64) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "private");
    let _ = commit(&ada, "ada/tool", "main", "Begin", &[("src/main.rs", b"a\n"), ("docs/main page.md", b"b\n")]);
    (ada, id)
}

fn fragment(browser: &Browser, path: &str) -> Page {
    let page = browser.send("GET", path, &[], &[("X-Fragment", "1")]).assert_status(200);
    assert!(!page.html.contains("<html"), "{path}: {}", page.html);
    page
}

#[both_databases]
fn branches_and_tags_are_found_by_a_part_of_their_names(server: &TestServer) {
    let (ada, id) = world(server);
    for name in ["zeta/fix-crank", "fix-gear", "other"] {
        let body = json!({"branch": name, "ref": "main"});
        let _ = ada.post(&format!("/projects/{id}/repository/branches"), body).assert_status(201);
    }
    let body = json!({"tag_name": "v1-fix", "ref": "main"});
    let _ = ada.post(&format!("/projects/{id}/repository/tags"), body).assert_status(201);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let at = "destination=blob&path=src%2Fmain.rs";
    for page in [
        safe(&own, &format!("/ada/tool/refs/switch?kind=branches&search=FIX&{at}")),
        fragment(&own, &format!("/ada/tool/refs/switch?kind=branches&search=FIX&{at}")).html,
    ] {
        let first = page.find("href=\"/ada/tool/blob/fix-gear/src/main.rs\"").expect("the one that begins so");
        let second = page.find("href=\"/ada/tool/blob/zeta/fix-crank/src/main.rs\"").expect("the one that has it");
        assert!(first < second && !page.contains("blob/other") && !page.contains("v1-fix"), "{page}");
    }
    let tags = fragment(&own, &format!("/ada/tool/refs/switch?kind=tags&search=&{at}")).html;
    assert!(
        tags.contains("href=\"/ada/tool/blob/v1-fix/src/main.rs?ref_type=tags\"") && !tags.contains("gear"),
        "{tags}"
    );
    assert!(safe(&own, "/ada/tool/refs/switch?kind=tags&search=none").contains("No tags match your search"));
    let _ = own.get("/ada/tool/refs/switch?kind=other").assert_status(404);
    let _ = Browser::of(server).get("/ada/tool/refs/switch?kind=branches").assert_status(404);
    // The menu of a page leads to the same page.
    let page = safe(&own, "/ada/tool/blob/main/src/main.rs");
    assert!(
        page.contains("href=\"/ada/tool/blob/fix-gear/src/main.rs\"") && page.contains("data-live=\"found-refs\""),
        "{page}"
    );
}

#[both_databases]
fn a_project_with_many_branches_searches_them(server: &TestServer) {
    let (ada, id) = world(server);
    for number in 0..105 {
        let body = json!({"branch": format!("work-{number:03}"), "ref": "main"});
        let _ = ada.post(&format!("/projects/{id}/repository/branches"), body).assert_status(201);
    }
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let front = safe(&own, "/ada/tool");
    assert_eq!(front.matches("href=\"/ada/tool/tree/work-").count(), 99, "a menu is bounded");
    let found = fragment(&own, "/ada/tool/refs/switch?kind=branches&search=work").html;
    assert!(found.contains("Showing 100 of 105"), "{found}");
    assert!(fragment(&own, "/ada/tool/refs/switch?kind=branches&search=104").html.contains("tree/work-104\""));
    let form = safe(&own, "/ada/tool/merge_requests/new");
    assert!(
        form.contains("type to search 106 branches") && form.contains("<datalist id=\"source-branches\">"),
        "{form}"
    );
    let body = [
        ("merge_request[source_branch]", "work-104"),
        ("merge_request[target_branch]", "main"),
        ("merge_request[title]", "By name"),
    ];
    let page = own.get("/ada/tool/merge_requests/new?merge_request[source_branch]=work-104").assert_status(200);
    assert!(page.html.contains("value=\"work-104\""), "{}", page.html);
    assert_eq!(page.submit(&own, "/ada/tool/merge_requests", &body).location(), "/ada/tool/merge_requests/1");
}

#[both_databases]
fn files_are_found_while_one_types(server: &TestServer) {
    let _world = world(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let page = safe(&own, "/ada/tool/find_file/main?search=main");
    let found = fragment(&own, "/ada/tool/find_file/main?search=main").html;
    for html in [&page, &found] {
        assert!(html.contains("href=\"/ada/tool/blob/main/src/main.rs\"") && html.contains("2 files found"), "{html}");
    }
    assert!(page.contains("data-live=\"found-files\"") && page.contains("id=\"found-files\""), "{page}");
    assert!(fragment(&own, "/ada/tool/find_file/main?search=none").html.contains("0 files"));
}

#[both_databases]
fn emoji_complete_a_text(server: &TestServer) {
    let _world = world(server);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let found = own.get("/ada/tool/autocomplete_sources/emojis?search=tad").assert_status(200).reply.json();
    assert_eq!(found[0], json!({"name": "tada", "emoji": "🎉"}));
    let all = own.get("/ada/tool/autocomplete_sources/emojis").assert_status(200).reply.json();
    assert_eq!(all.as_array().unwrap().len(), 100);
}
