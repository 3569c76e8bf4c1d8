//! The pipelines of a project.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, first};
use crate::project::{MARKER, commit, project};
use crate::{PASSWORD, member};

#[both_databases]
fn pipelines_have_pages(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let head = commit(&ada, "ada/tool", "main", "First", &[("a.txt", b"a\n")]);
    for (name, state, target) in
        [("compile", "success", "https://ci.example/1"), ("unit", "running", "javascript:alert(1)")]
    {
        let body = json!({"state": state, "name": format!("{name} {MARKER}"), "description": MARKER, "target_url": target, "coverage": 93.5});
        let answer = ada.post(&format!("/projects/{id}/statuses/{head}"), body);
        if answer.status() != 201 {
            let body = json!({"state": state, "name": format!("{name} {MARKER}"), "description": MARKER});
            let _ = ada.post(&format!("/projects/{id}/statuses/{head}"), body).assert_status(201);
        }
    }
    let stranger = Browser::of(server);
    let commits = stranger.get("/ada/tool/commits/main").assert_status(200).html;
    let words = first(&commits, "title=\"(Pipeline [a-z]+)\" aria-label=\"Pipeline [^\"]*\" class=\"tint draft\"><svg");
    assert_eq!(words, "Pipeline running");
    let list = stranger.get("/ada/tool/pipelines").assert_status(200).html;
    let address = first(&list, "href=\"(/ada/tool/pipelines/[0-9]+)\"");
    assert!(list.contains("running") && list.contains("1 total"), "{list}");
    assert!(stranger.get("/ada/tool/pipelines?scope=finished").html.contains("0 total"));
    for odd in ["?scope=none", "?page=99999999999999999999", "?ref=%22%3E%3Cb%3Ex", "?per_page=7"] {
        let _ = stranger.get(&format!("/ada/tool/pipelines{odd}")).assert_status(200);
    }
    let page = stranger.get(&address).assert_status(200).html;
    assert!(
        page.contains("All <span class=\"count\">2</span>")
            && page.contains("https://ci.example/1")
            && !page.contains("javascript:")
            && !page.contains("<img src=x"),
        "{page}"
    );
    assert!(!page.contains("/cancel"), "{page}");
    let _ = ada
        .post(&format!("/projects/{id}/statuses/{head}"), json!({"state": "failed", "name": "lint"}))
        .assert_status(201);
    let (builds, failures) = (
        stranger.get(&format!("{address}/builds")).assert_status(200).html,
        stranger.get(&format!("{address}/failures")).assert_status(200).html,
    );
    assert!(builds.contains("compile") && builds.contains("lint"), "{builds}");
    assert!(!failures.contains("compile") && failures.contains("lint"), "{failures}");
    assert!(builds.contains("Failed <span class=\"count\">1</span>"), "{builds}");
    let api = ada.get(&format!("/projects/{id}/pipelines")).json();
    let shown = api[0]["web_url"].as_str().unwrap().replace("/-/", "/");
    assert_eq!(shown.strip_prefix(server.base()), Some(address.as_str()));
    for wrong in ["999999", "0", "x", "01"] {
        let _ = stranger.get(&format!("/ada/tool/pipelines/{wrong}")).assert_status(404);
    }
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let cancelled = own.get(&address).submit(&own, &format!("{address}/cancel"), &[]);
    assert_eq!((cancelled.reply.status(), cancelled.location()), (303, address.clone()));
    let page = own.get(&address).assert_status(200);
    assert!(page.html.contains("cancelled") && !page.html.contains("Retry"), "{}", page.html);
    // It runs elsewhere, and only there it is run again.
    let _ = own.post(&format!("{address}/retry"), &[("authenticity_token", &page.token())]).assert_status(404);
    // Others may not change it, and may not see it if jobs are not public.
    let _ = member(server, "eve");
    let eve = Browser::signed_in(server, "eve", PASSWORD);
    let token = eve.get("/").token();
    let _ = eve.post(&format!("{address}/cancel"), &[("authenticity_token", &token)]).assert_status(403);
    let _ = ada.put(&format!("/projects/{id}"), json!({"public_jobs": false})).assert_status(200);
    for path in ["/ada/tool/pipelines", &address] {
        assert!(matches!(eve.get(path).reply.status(), 403 | 404), "{path}");
    }
    assert!(!eve.get("/ada/tool").html.contains("/pipelines"));
    let _ = ada.put(&format!("/projects/{id}"), json!({"visibility": "private"})).assert_status(200);
    let missing = eve.get("/no/page").html;
    for path in ["/ada/tool/pipelines", &address] {
        assert_eq!(eve.get(path).assert_status(404).html, missing, "{path}");
    }
}
