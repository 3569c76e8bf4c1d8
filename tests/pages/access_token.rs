//! The access tokens of projects and groups.

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
fn a_token_is_made_shown_once_rotated_and_revoked(server: &TestServer) {
    let _ = world(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    for list in ["/crew/tool/settings/access_tokens", "/groups/crew/-/settings/access_tokens"] {
        let page = browser.get(list).assert_status(200);
        assert!(page.html.contains("No active tokens"));
        assert_eq!(page.html.contains(">Owner</option>"), list.contains("groups"));
        let wrong = [("access_token[name]", MARKER)];
        let refused = page.send_with(&browser, list, &wrong).assert_status(422);
        assert!(refused.html.contains("href=\"#access_token-scopes\""), "{}", refused.html);
        let wrong = [("access_token[expires_at]", "soon")];
        let refused = refused.send_with(&browser, list, &wrong).assert_status(422);
        assert!(refused.html.contains("Expiration date must be a date"), "{}", refused.html);
        let right = [
            ("access_token[expires_at]", "2030-01-31"),
            ("access_token[access_level]", "30"),
            ("access_token[scopes][]", "api"),
        ];
        let made = refused.send_with(&browser, list, &right).assert_status(201);
        let secret = |html: &str| plain(&first(html, "id=\"created-token\"[^>]* value=\"([^\"]*)\""));
        let token = secret(&made.html);
        let use_of = |token: &str| server.client(token).get("/projects/crew%2Ftool").status();
        assert_eq!(use_of(&token), 200);
        let shown = safe(&browser, list);
        assert!(
            !shown.contains(&token) && shown.contains("Developer") && shown.contains("expires 31 Jan 2030"),
            "{shown}"
        );
        let rotate = first(&shown, &format!("action=\"({list}/[0-9]+/rotate)\""));
        let rotated = browser.get(list).send_with(&browser, &rotate, &[]).assert_status(201);
        let next = secret(&rotated.html);
        assert_eq!((use_of(&token), use_of(&next)), (401, 200));
        let one = first(&rotated.html, &format!("action=\"({list}/[0-9]+)\""));
        let gone = browser.get(list).submit(&browser, &one, &[]);
        assert!(followed(&browser, &gone).contains("Token revoked."));
        assert_eq!(use_of(&next), 401);
    }
}

#[both_databases]
fn maintainers_see_the_tokens_of_a_project_and_owners_those_of_a_group(server: &TestServer) {
    let ada = world(server);
    let bob = member(server, "bob");
    let _ = ada.post("/groups/crew/members", json!({"user_id": bob.id, "access_level": 40})).assert_status(201);
    let browser = Browser::signed_in(server, "bob", PASSWORD);
    let (project, group) = ("/crew/tool/settings/access_tokens", "/groups/crew/-/settings/access_tokens");
    assert!(browser.get(project).assert_status(200).html.contains("Create access token"));
    let token = browser.get(project).token();
    let fields = [("authenticity_token", token.as_str()), ("access_token[name]", "x")];
    let _ = browser.get(group).assert_status(403);
    let _ = browser.post(group, &fields).assert_status(403);
    let off = json!({"resource_access_token_creation_allowed": false});
    let _ = ada.put("/groups/crew", off).assert_status(200);
    assert!(!browser.get(project).assert_status(200).html.contains("Create access token"));
    let _ = browser.post(project, &fields).assert_status(403);
    let _ = ada.put(&format!("/groups/crew/members/{}", bob.id), json!({"access_level": 30})).assert_status(200);
    for page in [project, group] {
        let _ = browser.get(page).assert_status(403);
        let _ = Browser::of(server).get(page).assert_status(404);
    }
}

#[both_databases]
fn a_bot_does_not_sign_in_and_no_one_acts_as_it(server: &TestServer) {
    let ada = world(server);
    let body = json!({"name": "CI", "scopes": ["api"], "access_level": 40});
    let token = ada.post("/projects/crew%2Ftool/access_tokens", body).assert_status(201).json();
    let user = ada.get(&format!("/users/{}", token["user_id"])).assert_status(200).json();
    let (name, id) = (user["username"].as_str().unwrap_or_default(), &token["user_id"]);
    let secret = token["token"].as_str().unwrap_or_default();
    let browser = Browser::of(server);
    for password in [secret, "", name] {
        let _ = browser.sign_in(name, password).assert_status(422);
    }
    let root = Browser::signed_in(server, "root", "root password");
    let account = safe(&root, &format!("/admin/users/{id}"));
    assert!(account.contains(name) && !account.contains("/impersonate\""), "{account}");
    let form = root.get("/profile").token();
    let refused = root.post(&format!("/admin/users/{id}/impersonate"), &[("authenticity_token", &form)]);
    assert!(refused.assert_status(422).html.contains("Only an active account can be impersonated"));
    // Its pages are those of any user.
    let ada = Browser::signed_in(server, "ada", PASSWORD);
    let _ = safe(&ada, &format!("/{name}"));
    let _ = safe(&ada, "/crew/tool/project_members");
}
