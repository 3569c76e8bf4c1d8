//! Pages behind `/-/` of a group.

use serde_json::json;
use tenon_testkit::{TestServer, User, on_both};

use crate::browser::Browser;
use crate::{PASSWORD, member};

/// A public group with a public, a private and an archived project.
fn world(server: &TestServer) -> (User, i64) {
    let ada = member(server, "ada");
    let body = json!({"name": "Crew", "path": "crew", "visibility": "public"});
    let group = ada.post("/groups", body).assert_status(201).json()["id"].as_i64().unwrap();
    for (name, visibility) in [("Open", "public"), ("Secret", "private"), ("Old", "public")] {
        let body = json!({"name": name, "namespace_id": group, "visibility": visibility});
        let id = ada.post("/projects", body).assert_status(201).json()["id"].clone();
        let body = json!({"title": format!("About {name} \"><b>x</b>")});
        let _ = ada.post(&format!("/projects/{id}/issues"), body).assert_status(201);
    }
    let _ = ada.post("/projects/crew%2Fold/archive", json!({}));
    (ada, group)
}

fn safe(browser: &Browser, path: &str) -> String {
    let html = browser.get(path).assert_status(200).html;
    assert!(!html.contains("<b>x</b>"), "{path}: {html}");
    html
}

on_both! {
    fn what_happened_in_a_group_is_what_the_caller_may_see(server) {
        let (_ada, _) = world(server);
        let stranger = Browser::of(server);
        let own = Browser::signed_in(server, "ada", PASSWORD);
        let (seen, mine) = (safe(&stranger, "/groups/crew/-/activity"), safe(&own, "/groups/crew/-/activity"));
        assert!(seen.contains("in <a href=\"/crew/open\">") && !seen.contains("crew/secret") && !seen.contains("About Secret"), "{seen}");
        assert!(mine.contains("in <a href=\"/crew/secret\">") && mine.contains("About Secret"), "{mine}");
        assert!(safe(&own, "/groups/crew/-/activity?event_filter=push").contains("Nothing has happened"));
        let moved = stranger.get("/groups/CREW/-/activity?event_filter=push").assert_status(301);
        assert_eq!(moved.reply.header("location"), "/groups/crew/-/activity?event_filter=push");
        assert_eq!(stranger.get("/groups/crew/activity").location(), "/groups/crew/-/activity");
    }

    fn projects_of_a_group_have_lists(server) {
        let (ada, group) = world(server);
        let body = json!({"name": "Elsewhere", "visibility": "public"});
        let other = ada.post("/projects", body).assert_status(201).json()["id"].clone();
        let _ = ada.post(&format!("/projects/{other}/share"), json!({"group_id": group, "group_access": 30})).assert_status(201);
        let stranger = Browser::of(server);
        for (path, has, lacks) in [
            ("projects", vec!["/crew/open\""], vec!["/crew/secret", "/crew/old\"", "/ada/elsewhere\""]),
            ("shared", vec!["/crew/open\"", "/ada/elsewhere\""], vec!["/crew/secret", "/crew/old\""]),
            ("archived", vec!["/crew/old\""], vec!["/crew/secret", "/crew/open\""]),
        ] {
            let page = safe(&stranger, &format!("/groups/crew/-/{path}"));
            assert!(has.iter().all(|part| page.contains(part)) && !lacks.iter().any(|part| page.contains(part)), "{path}: {page}");
        }
        assert!(safe(&Browser::signed_in(server, "ada", PASSWORD), "/groups/crew/-/projects").contains("/crew/secret\""));
        let _ = ada.post("/groups", json!({"name": "Deck", "path": "deck"})).assert_status(201);
        let missing = stranger.get("/no/page").assert_status(404).html;
        for path in ["activity", "projects", "shared", "archived"] {
            assert_eq!(stranger.get(&format!("/groups/deck/-/{path}")).assert_status(404).html, missing, "{path}");
        }
    }
}
