//! The environments of a project, and the deployments to them.

use serde_json::{Value, json};
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, followed, safe};
use crate::project::{MARKER, commit, project};
use crate::{PASSWORD, member};

const LIST: &str = "/ada/tool/environments";

/// A public project of ada's with a commit.
fn world(server: &TestServer) -> (User, i64, String) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let sha = commit(&ada, "ada/tool", "main", "Begin", &[("a.txt", b"a\n")]);
    (ada, id, sha)
}

fn deploy(by: &User, project: i64, sha: &str, environment: &str, status: &str) -> Value {
    let body = json!({"environment": environment, "sha": sha, "ref": "main", "tag": false, "status": status});
    by.post(&format!("/projects/{project}/deployments"), body).assert_status(201).json()
}

#[both_databases]
fn an_environment_is_made_changed_stopped_and_deleted(server: &TestServer) {
    let _ = world(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    assert!(browser.get("/ada/tool/pipelines").assert_status(200).html.contains("href=\"/ada/tool/environments\""));
    assert!(browser.get(LIST).assert_status(200).html.contains("No environments."));
    let form = browser.get("/ada/tool/environments/new").assert_status(200);
    let wrong = [("environment[name]", "a:b"), ("environment[external_url]", "javascript:alert(1)")];
    let refused = form.send_with(&browser, LIST, &wrong).assert_status(422);
    for part in ["href=\"#environment-name\"", "href=\"#environment-external_url\"", "value=\"a:b\""] {
        assert!(refused.html.contains(part), "{part}: {}", refused.html);
    }
    let right = [
        ("environment[name]", "review/new"),
        ("environment[external_url]", "https://new.example.com"),
        ("environment[description]", MARKER),
        ("environment[tier]", ""),
    ];
    let made = refused.send_with(&browser, LIST, &right);
    let one = made.location();
    assert_eq!(one, format!("{LIST}/1"));
    let page = followed(&browser, &made);
    for part in ["Environment saved.", "available", "Development", "href=\"https://new.example.com\""] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let shown = safe(&browser, &one);
    assert!(shown.contains("No deployments."), "{shown}");
    let edit = browser.get(&format!("{one}/edit")).assert_status(200);
    let refused = edit.send_with(&browser, &one, &[("environment[name]", "")]).assert_status(422);
    assert!(refused.html.contains("Name can&#39;t be blank") || refused.html.contains("Name can't be blank"));
    let saved =
        edit.send_with(&browser, &one, &[("environment[name]", "review/newer"), ("environment[tier]", "other")]);
    let page = followed(&browser, &saved);
    assert!(page.contains("<bdi>review/newer</bdi>") && page.contains("Other"), "{page}");
    let page = browser.get(&one);
    let stopped = page.submit(&browser, &format!("{one}/stop"), &[]);
    assert!(followed(&browser, &stopped).contains("Environment stopped."));
    assert!(!browser.get(LIST).html.contains("review/newer"));
    assert!(safe(&browser, &format!("{LIST}?scope=stopped")).contains("<bdi>review/newer</bdi>"));
    let gone = browser.get(&one).submit(&browser, &one, &[]);
    assert!(followed(&browser, &gone).contains("Environment deleted."));
    let _ = browser.get(&one).assert_status(404);
}

#[both_databases]
fn the_pages_show_deployments(server: &TestServer) {
    let (ada, id, sha) = world(server);
    deploy(&ada, id, &sha, "production", "success");
    deploy(&ada, id, &sha, "production", "failed");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let list = safe(&browser, LIST);
    assert!(list.contains("<bdi>main</bdi>") && list.contains(&sha[..8]), "{list}");
    let page = safe(&browser, &format!("{LIST}/1"));
    for part in ["deployed", "failed", "#1", "#2", &format!("href=\"/ada/tool/commit/{sha}\"")] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let _ = browser.get(&format!("{LIST}/1?page=9")).assert_status(200);
    let _ = browser.get(&format!("{LIST}?page=9")).assert_status(200);
    let _ = browser.get(&format!("{LIST}/2")).assert_status(404);
    let _ = browser.get(&format!("{LIST}/x")).assert_status(404);
}

#[both_databases]
fn the_pages_are_for_those_who_may_read_and_change(server: &TestServer) {
    let (ada, id, sha) = world(server);
    deploy(&ada, id, &sha, "production", "success");
    let bob = member(server, "bob");
    let stranger = Browser::of(server);
    assert!(stranger.get(LIST).location().starts_with("/users/sign_in"));
    assert!(!stranger.get("/ada/tool/pipelines").html.contains("/environments"));
    let browser = Browser::signed_in(server, "bob", PASSWORD);
    let _ = browser.get(LIST).assert_status(403);
    for (level, makes, changes) in [(20, 403, 403), (30, 200, 403), (40, 200, 200)] {
        let _ = ada.delete(&format!("/projects/{id}/members/{}", bob.id));
        let body = json!({"user_id": bob.id, "access_level": level});
        let _ = ada.post(&format!("/projects/{id}/members"), body).assert_status(201);
        let list = browser.get(LIST).assert_status(200);
        assert_eq!(list.html.contains("New environment"), makes == 200, "{level}");
        let page = browser.get(&format!("{LIST}/1")).assert_status(200);
        assert_eq!(page.html.contains("Delete environment"), changes == 200, "{level}");
        let _ = browser.get(&format!("{LIST}/new")).assert_status(makes);
        let _ = browser.get(&format!("{LIST}/1/edit")).assert_status(changes);
    }
    let _ = ada.put(&format!("/projects/{id}"), json!({"environments_access_level": "disabled"})).assert_status(200);
    let _ = Browser::signed_in(server, "ada", PASSWORD).get(LIST).assert_status(403);
}

#[both_databases]
fn a_longer_page_of_environments_costs_no_more_statements(server: &TestServer) {
    let (ada, id, sha) = world(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let count = || {
        let page = format!("{LIST}/1");
        [LIST, &page].map(|path| {
            let _ = browser.get(path).assert_status(200);
            server.count_statements(|| drop(browser.get(path)))
        })
    };
    deploy(&ada, id, &sha, "e0", "success");
    let before = count();
    for number in 1..10 {
        deploy(&ada, id, &sha, &format!("e{number}"), "success");
        deploy(&ada, id, &sha, "e0", "success");
    }
    assert_eq!(count(), before);
}
