//! The deploy tokens of projects and groups.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, first, followed, plain, safe};
use crate::project::MARKER;
use crate::{PASSWORD, member};

/// A private project with a file, in a group of ada's.
fn world(server: &TestServer) -> tenon_testkit::User {
    let ada = member(server, "ada");
    let group = ada.post("/groups", json!({"name": "Crew", "path": "crew"})).assert_status(201).json()["id"].clone();
    let body = json!({"name": "tool", "namespace_id": group, "initialize_with_readme": true});
    let _ = ada.post("/projects", body).assert_status(201);
    ada
}

#[both_databases]
fn a_token_is_made_shown_once_and_revoked(server: &TestServer) {
    let _ = world(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    for list in ["/crew/tool/settings/deploy_tokens", "/groups/crew/-/settings/deploy_tokens"] {
        let page = browser.get(list).assert_status(200);
        assert!(page.html.contains("No deploy tokens"));
        let wrong = [("deploy_token[name]", MARKER), ("deploy_token[username]", "a:b")];
        let refused = page.send_with(&browser, list, &wrong).assert_status(422);
        assert!(refused.html.contains("href=\"#deploy_token-username\"") && refused.html.contains("value=\"a:b\""));
        let wrong = [("deploy_token[username]", ""), ("deploy_token[expires_at]", "soon")];
        let refused = refused.send_with(&browser, list, &wrong).assert_status(422);
        assert!(refused.html.contains("Expiration date must be a date"), "{}", refused.html);
        let made = refused.send_with(&browser, list, &[("deploy_token[expires_at]", "2030-01-31")]).assert_status(201);
        let value = |id: &str| plain(&first(&made.html, &format!("id=\"{id}\" value=\"([^\"]*)\"")));
        let (username, token) = (value("created-username"), value("created-token"));
        assert!(username.starts_with("gitlab+deploy-token-"), "{username}");
        let fetch = || {
            let git = server.anonymous().basic(&username, &token);
            git.get("//crew/tool.git/info/refs?service=git-upload-pack").status()
        };
        assert_eq!(fetch(), 200);
        let shown = safe(&browser, list);
        assert!(!shown.contains(&token) && shown.contains("read_repository"), "{shown}");
        let one = first(&shown, &format!("action=\"({list}/[0-9]+)\""));
        let gone = browser.get(list).submit(&browser, &one, &[]);
        assert!(followed(&browser, &gone).contains("Token revoked."));
        assert_eq!(fetch(), 401);
    }
}

#[both_databases]
fn maintainers_read_the_tokens_of_a_group_and_owners_change_them(server: &TestServer) {
    let ada = world(server);
    let body = json!({"name": "CI", "scopes": ["read_repository"]});
    let _ = ada.post("/groups/crew/deploy_tokens", body).assert_status(201);
    let bob = member(server, "bob");
    let _ = ada.post("/groups/crew/members", json!({"user_id": bob.id, "access_level": 40})).assert_status(201);
    let maintainer = Browser::signed_in(server, "bob", PASSWORD);
    let page = safe(&maintainer, "/groups/crew/-/settings/deploy_tokens");
    assert!(
        page.contains("<bdi>CI</bdi>") && !page.contains("Create deploy token") && !page.contains("Revoke"),
        "{page}"
    );
    let own = maintainer.get("/crew/tool/settings/deploy_tokens").assert_status(200).html;
    assert!(own.contains("Create deploy token"));
    let token = maintainer.get("/crew/tool/settings/deploy_tokens").token();
    let fields = [("authenticity_token", token.as_str()), ("deploy_token[name]", "x")];
    let _ = maintainer.post("/groups/crew/-/settings/deploy_tokens", &fields).assert_status(403);
    let _ = ada.put(&format!("/groups/crew/members/{}", bob.id), json!({"access_level": 30})).assert_status(200);
    for page in ["/crew/tool/settings/deploy_tokens", "/groups/crew/-/settings/deploy_tokens"] {
        let _ = maintainer.get(page).assert_status(403);
        let _ = Browser::of(server).get(page).assert_status(404);
    }
}
