//! The badges of projects and groups.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, first, followed, safe};
use crate::project::{MARKER, commit};
use crate::{PASSWORD, member};

/// A project in a group of ada's.
fn world(server: &TestServer) -> tenon_testkit::User {
    let ada = member(server, "ada");
    let group = ada.post("/groups", json!({"name": "Crew", "path": "crew", "visibility": "public"}));
    let group = group.assert_status(201).json()["id"].clone();
    let body = json!({"name": "tool", "namespace_id": group, "visibility": "public"});
    let _ = ada.post("/projects", body).assert_status(201);
    ada
}

#[both_databases]
fn a_badge_is_made_changed_and_deleted(server: &TestServer) {
    let _ = world(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    for list in ["/crew/tool/settings/badges", "/groups/crew/-/settings/badges"] {
        let page = browser.get(list).assert_status(200);
        assert!(page.html.contains("No badges"));
        let wrong = [("badge[link_url]", "javascript:alert(1)"), ("badge[image_url]", "https://x.example/a.svg")];
        let refused = page.send_with(&browser, list, &wrong).assert_status(422);
        assert!(
            refused.html.contains("href=\"#badge-link_url\"") && refused.html.contains("value=\"javascript:alert(1)\"")
        );
        let right = [("badge[link_url]", "https://x.example/%{project_path}"), ("badge[name]", MARKER)];
        let made = refused.send_with(&browser, list, &right);
        assert_eq!(made.location(), list);
        assert!(followed(&browser, &made).contains("Badge saved."));
        let edit = first(&safe(&browser, list), &format!("href=\"({list}/[0-9]+/edit)\""));
        let one = edit.trim_end_matches("/edit");
        let form = browser.get(&edit).assert_status(200);
        let refused = form.send_with(&browser, one, &[("badge[image_url]", "ftp://x")]).assert_status(422);
        assert!(refused.html.contains("value=\"ftp://x\""), "{}", refused.html);
        let saved = form.send_with(&browser, one, &[("badge[name]", "Build")]);
        assert!(followed(&browser, &saved).contains("<bdi>Build</bdi>"));
        let gone = browser.get(list).submit(&browser, one, &[]);
        assert!(followed(&browser, &gone).contains("Badge deleted."));
        let _ = browser.get(&edit).assert_status(404);
    }
}

#[both_databases]
fn the_page_of_a_project_shows_its_badges(server: &TestServer) {
    let ada = world(server);
    let _ = commit(&ada, "crew/tool", "main", "Begin", &[("a.txt", b"a\n")]);
    assert!(!Browser::of(server).get("/crew/tool").assert_status(200).html.contains("x.example"));
    for (home, name) in
        [("groups/crew", MARKER), ("projects/crew%2Ftool", "Own](https://evil.example) @ada\n\n# Two\n")]
    {
        let badge = json!({
            "name": name, "link_url": "https://x.example/%{project_path}",
            "image_url": "https://x.example/%{default_branch}",
        });
        let _ = ada.post(&format!("/{home}/badges"), badge).assert_status(201);
    }
    let page = safe(&Browser::of(server), "/crew/tool");
    assert!(page.contains("href=\"https://x.example/crew/tool\""), "{page}");
    assert!(!page.contains("href=\"https://evil.example"), "{page}");
    assert!(page.contains("@ada # Two"), "a line break in a name does not end the row: {page}");
    assert!(!page.contains("src=\"https://x.example"), "no other server is asked");
    let on = json!({
        "asset_proxy_enabled": true, "asset_proxy_url": "https://proxy.example", "asset_proxy_secret_key": "key",
    });
    let _ = server.root().put("/application/settings", on).assert_status(200);
    let page = Browser::of(server).get("/crew/tool").assert_status(200).html;
    assert!(page.contains("src=\"https://proxy.example/"), "{page}");
}

#[both_databases]
fn the_forms_are_for_those_who_may_save_them(server: &TestServer) {
    let ada = world(server);
    let badge = json!({"link_url": "https://x.example/", "image_url": "https://x.example/"});
    let _ = ada.post("/groups/crew/badges", badge.clone()).assert_status(201);
    let _ = ada.post("/projects/crew%2Ftool/badges", badge).assert_status(201);
    let bob = member(server, "bob");
    let _ = ada.post("/groups/crew/members", json!({"user_id": bob.id, "access_level": 40})).assert_status(201);
    let maintainer = Browser::signed_in(server, "bob", PASSWORD);
    let page = safe(&maintainer, "/crew/tool/settings/badges");
    assert!(page.contains("Group badge"));
    assert_eq!(page.matches("/edit\" aria-label=\"Edit badge").count(), 1, "that of the group is changed in the group");
    let own = first(&page, "href=\"(/crew/tool/settings/badges/[0-9]+)/edit\"");
    let number: i64 = own.rsplit('/').next().and_then(|id| id.parse().ok()).unwrap_or_default();
    let of_group = format!("/crew/tool/settings/badges/{}", number - 1);
    let _ = maintainer.get(&format!("{of_group}/edit")).assert_status(403);
    let _ = maintainer.get("/groups/crew/-/settings/badges").assert_status(403);
    let _ = maintainer.get(&format!("/groups/crew/-/settings/badges/{}/edit", number - 1)).assert_status(403);
    let stranger = Browser::of(server);
    assert!(stranger.get("/crew/tool/settings/badges").location().starts_with("/users/sign_in"));
    let _ = ada.put(&format!("/groups/crew/members/{}", bob.id), json!({"access_level": 30})).assert_status(200);
    let _ = maintainer.get("/crew/tool/settings/badges").assert_status(403);
}
