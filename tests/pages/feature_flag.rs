//! The feature flags of a project, and its lists of users.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, first, followed, safe};
use crate::project::{MARKER, project};
use crate::{PASSWORD, member};

const LIST: &str = "/ada/tool/feature_flags";
const USERS: &str = "/ada/tool/feature_flags_user_lists";

#[both_databases]
fn a_flag_is_made_switched_changed_and_deleted(server: &TestServer) {
    let ada = member(server, "ada");
    project(&ada, "tool", "public");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    assert!(browser.get("/ada/tool/pipelines").html.contains("href=\"/ada/tool/feature_flags\""));
    assert!(browser.get(LIST).assert_status(200).html.contains("No feature flags"));
    let form = browser.get(&format!("{LIST}/new")).assert_status(200);
    let refused = form.send_with(&browser, LIST, &[("feature_flag[name]", "A B")]).assert_status(422);
    assert!(refused.html.contains("href=\"#feature_flag-name\"") && refused.html.contains("value=\"A B\""));
    // The name of a page is no obstacle.
    let right = [("feature_flag[name]", "new"), ("feature_flag[description]", MARKER)];
    let made = refused.send_with(&browser, LIST, &right);
    let one = made.location();
    assert_eq!(one, format!("{LIST}/new/edit"));
    assert!(followed(&browser, &made).contains("Feature flag saved."));
    let page = safe(&browser, &one);
    assert!(page.contains("No strategies"), "{page}");
    let list = browser.get(LIST);
    let off = list.submit(&browser, &format!("{LIST}/new/toggle"), &[]);
    assert!(followed(&browser, &off).contains("Enable new"));
    assert_eq!(ada.get("/projects/ada%2Ftool/feature_flags/new").json()["active"], false);
    let wrong = [("feature_flag[name]", ""), ("feature_flag[description]", "d")];
    let refused = browser.get(&one).send_with(&browser, &one, &wrong);
    let _ = refused.assert_status(422);
    let form = browser.get(&one);
    let fields = [("feature_flag[name]", "colors"), ("feature_flag[description]", "d")];
    let renamed = form.send_with(&browser, &one, &fields);
    let one = renamed.location();
    assert_eq!(one, format!("{LIST}/colors/edit"));
    let gone = browser.get(&one).submit(&browser, &one, &[]);
    assert!(followed(&browser, &gone).contains("Feature flag deleted."));
    let _ = browser.get(&one).assert_status(404);
}

#[both_databases]
fn strategies_are_added_and_deleted(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let flags = format!("/projects/{id}/feature_flags");
    let _ = ada.post(&flags, json!({"name": "colors"})).assert_status(201);
    let users = json!({"name": MARKER, "user_xids": "ada,bob"});
    let list = ada.post(&format!("{flags}_user_lists"), users).assert_status(201).json()["id"].to_string();
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let (page, add) = (format!("{LIST}/colors/edit"), format!("{LIST}/colors/strategies"));
    let wrong = [("strategy[name]", "flexibleRollout"), ("strategy[percentage]", "101")];
    let refused = browser.get(&page).send_with(&browser, &add, &wrong).assert_status(422);
    assert!(refused.html.contains("between 0 and 100") && refused.html.contains("value=\"101\""), "{}", refused.html);
    for (fields, want) in [
        (
            vec![("strategy[name]", "default"), ("strategy[environments]", "production, review/*")],
            "<code>review/*</code>",
        ),
        (vec![("strategy[name]", "flexibleRollout"), ("strategy[percentage]", "25")], "25%"),
        (vec![("strategy[name]", "gradualRolloutUserId"), ("strategy[percentage]", "50")], "50%"),
        (vec![("strategy[name]", "userWithId"), ("strategy[users]", "ada")], "User IDs: <bdi>ada</bdi>"),
        (vec![("strategy[name]", "gitlabUserList"), ("strategy[user_list_id]", &*list)], "User list: <bdi>"),
    ] {
        let added = browser.get(&page).send_with(&browser, &add, &fields);
        assert!(followed(&browser, &added).contains(want), "{want}");
    }
    let shown = safe(&browser, &page);
    let strategy = first(&shown, &format!("action=\"({add}/[0-9]+)\""));
    let gone = browser.get(&page).submit(&browser, &strategy, &[]);
    assert!(!followed(&browser, &gone).contains("review/*"));
    let _ = browser.get(&page).send_with(&browser, &add, &[("strategy[name]", "none")]).assert_status(422);
}

#[both_databases]
fn a_list_of_users_is_made_changed_and_deleted(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get(USERS).assert_status(200);
    assert!(page.html.contains("No user lists"));
    let wrong = [("user_list[name]", "Friends"), ("user_list[user_xids]", "a,a")];
    let refused = page.send_with(&browser, USERS, &wrong).assert_status(422);
    assert!(refused.html.contains("href=\"#user_list-user_xids\"") && refused.html.contains(">a,a</textarea>"));
    let made = refused.send_with(&browser, USERS, &[("user_list[name]", MARKER), ("user_list[user_xids]", "a, b")]);
    let shown = followed(&browser, &made);
    assert!(shown.contains("User list saved.") && shown.contains("2 users"), "{shown}");
    let _ = safe(&browser, USERS);
    let (edit, one) = (format!("{USERS}/1/edit"), format!("{USERS}/1"));
    let form = browser.get(&edit).assert_status(200);
    let _ = form.send_with(&browser, &one, &[("user_list[name]", "")]).assert_status(422);
    let saved = form.send_with(&browser, &one, &[("user_list[name]", "Friends")]);
    assert!(followed(&browser, &saved).contains("<bdi>Friends</bdi>"));
    let list = ada.get(&format!("/projects/{id}/feature_flags_user_lists/1")).json()["id"].clone();
    let strategy = json!({"name": "gitlabUserList", "user_list_id": list});
    let flag = json!({"name": "a", "strategies": [strategy]});
    let _ = ada.post(&format!("/projects/{id}/feature_flags"), flag).assert_status(201);
    let used = browser.get(USERS).submit(&browser, &one, &[]).assert_status(422);
    assert!(used.html.contains("User list is associated with a strategy"), "{}", used.html);
    let _ = ada.delete(&format!("/projects/{id}/feature_flags/a")).assert_status(204);
    let gone = browser.get(USERS).submit(&browser, &one, &[]);
    assert!(followed(&browser, &gone).contains("User list deleted."));
}

#[both_databases]
fn the_pages_are_for_developers(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let flags = format!("/projects/{id}/feature_flags");
    let _ = ada.post(&flags, json!({"name": "a"})).assert_status(201);
    let _ = ada.post(&format!("{flags}_user_lists"), json!({"name": "a", "user_xids": "a"})).assert_status(201);
    let pages =
        [LIST.to_owned(), format!("{LIST}/new"), format!("{LIST}/a/edit"), USERS.to_owned(), format!("{USERS}/1/edit")];
    let bob = member(server, "bob");
    let (stranger, browser) = (Browser::of(server), Browser::signed_in(server, "bob", PASSWORD));
    for (level, want) in [(20, 403), (30, 200)] {
        let _ = ada.delete(&format!("/projects/{id}/members/{}", bob.id));
        let body = json!({"user_id": bob.id, "access_level": level});
        let _ = ada.post(&format!("/projects/{id}/members"), body).assert_status(201);
        for page in &pages {
            assert!(stranger.get(page).location().starts_with("/users/sign_in"), "{page}");
            let _ = browser.get(page).assert_status(want);
        }
    }
    let _ = ada.post(&format!("/projects/{id}/archive"), json!({})).assert_status(200);
    for (page, want) in pages.iter().zip([200, 403, 200, 200, 403]) {
        let _ = browser.get(page).assert_status(want);
    }
    assert!(!browser.get(LIST).html.contains("Disable a"));
}

#[both_databases]
fn a_longer_page_of_flags_costs_no_more_statements(server: &TestServer) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let (flags, lists) = (format!("/projects/{id}/feature_flags"), format!("/projects/{id}/feature_flags_user_lists"));
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let add = |number: usize| {
        let list = json!({"name": format!("l{number}"), "user_xids": "a"});
        let list = ada.post(&lists, list).assert_status(201).json()["id"].clone();
        let strategy = json!({"name": "gitlabUserList", "user_list_id": list});
        let flag = json!({"name": format!("f{number}"), "strategies": [strategy]});
        let _ = ada.post(&flags, flag).assert_status(201);
    };
    let count = || {
        [LIST, USERS].map(|path| {
            let _ = browser.get(path).assert_status(200);
            server.count_statements(|| drop(browser.get(path)))
        })
    };
    add(0);
    let before = count();
    (1..10).for_each(add);
    assert_eq!(count(), before);
}
