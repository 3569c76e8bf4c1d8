//! The pages about one's own account.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, first, safe};
use crate::{PASSWORD, member};

const TOKENS: &str = "/profile/personal_access_tokens";
/// A name that would run as a script if it was not escaped.
const HOSTILE: &str = "<script>alert('x')</script>";

#[both_databases]
fn a_token_is_shown_once_and_works_until_it_is_revoked(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let fields = [
        ("personal_access_token[name]", HOSTILE),
        ("personal_access_token[expires_at]", "2999-01-31"),
        ("personal_access_token[scopes][]", "api"),
        ("personal_access_token[scopes][]", "read_user"),
    ];
    let made = browser.get(TOKENS).submit(&browser, TOKENS, &fields).assert_status(201);
    assert!(made.html.contains("31 Jan 2999") && !made.html.contains(HOSTILE), "{}", made.html);
    let secret = first(&made.html, r#"id="created-token"[^>]* value="([^"]+)""#);
    let by_token = server.client(&secret);
    assert_eq!(by_token.get("/user").assert_status(200).json()["username"], "ada");
    let listed = browser.get(TOKENS).assert_status(200);
    assert!(!listed.html.contains(&secret), "shown once");
    let id = by_token.get("/personal_access_tokens/self").json()["id"].to_string();
    let revoked = listed.submit(&browser, &format!("{TOKENS}/{id}/revoke"), &[]);
    assert_eq!(revoked.location(), TOKENS);
    let _ = by_token.get("/user").assert_status(401);
    assert!(browser.get(TOKENS).html.contains("Token revoked."));
}

#[both_databases]
fn a_token_that_cannot_be_made_keeps_what_was_typed(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    for (fields, problem) in [
        (vec![("personal_access_token[name]", "mine")], "Scopes can&#39;t be blank"),
        (
            vec![("personal_access_token[name]", ""), ("personal_access_token[scopes][]", "api")],
            "Name can&#39;t be blank",
        ),
        (
            vec![("personal_access_token[name]", "mine"), ("personal_access_token[expires_at]", "soon")],
            "Expiration date must be a date",
        ),
        (
            vec![("personal_access_token[name]", "mine"), ("personal_access_token[scopes][]", "sudo")],
            "Scopes can only contain available scopes",
        ),
    ] {
        let page = browser.get(TOKENS).submit(&browser, TOKENS, &fields).assert_status(422);
        assert!(page.html.contains(problem), "{problem}: {}", page.html);
        assert_eq!(page.html.contains(r#"value="mine""#), fields[0].1 == "mine", "{}", page.html);
    }
    let root = Browser::signed_in(server, "root", "root password");
    let fields = [("personal_access_token[name]", "all"), ("personal_access_token[scopes][]", "sudo")];
    let _ = root.get(TOKENS).submit(&root, TOKENS, &fields).assert_status(201);
}

#[both_databases]
fn no_one_revokes_the_tokens_of_others_here(server: &TestServer) {
    let ada = member(server, "ada");
    let id = ada.get("/personal_access_tokens/self").json()["id"].to_string();
    let root = Browser::signed_in(server, "root", "root password");
    let token = root.get(TOKENS).token();
    let fields = [("authenticity_token", token.as_str()), ("_method", "put")];
    for id in [id.as_str(), "999999", "x", "99999999999999999999"] {
        let _ = root.post(&format!("{TOKENS}/{id}/revoke"), &fields).assert_status(404);
    }
    let _ = ada.get("/user").assert_status(200);
}

#[both_databases]
fn ssh_keys_are_added_and_removed(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let key = tenon_testkit::keys::ED25519;
    let added =
        browser.get("/profile/keys").submit(&browser, "/profile/keys", &[("key[key]", key), ("key[title]", HOSTILE)]);
    assert_eq!(added.location(), "/profile/keys");
    let listed = browser.get("/profile/keys").assert_status(200);
    assert!(listed.html.contains("Key added.") && !listed.html.contains(HOSTILE), "{}", listed.html);
    assert!(browser.get("/profile/keys?page=9").html.contains("The last page is 1."));
    let keys = ada.get("/user/keys").json();
    assert_eq!(keys[0]["title"], HOSTILE);
    let again = listed.submit(&browser, "/profile/keys", &[("key[key]", key)]).assert_status(422);
    assert!(again.html.contains("Fingerprint has already been taken"), "{}", again.html);
    let bad = listed.submit(&browser, "/profile/keys", &[("key[key]", "no key")]).assert_status(422);
    assert!(bad.html.contains("no key</textarea>"), "{}", bad.html);
    let removed = listed.submit(&browser, &format!("/profile/keys/{}", keys[0]["id"]), &[]);
    assert_eq!(removed.location(), "/profile/keys");
    assert_eq!(ada.get("/user/keys").json(), json!([]));
}

#[both_databases]
fn gpg_keys_that_cannot_be_read_are_refused_with_words(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/profile/gpg_keys");
    let refused = page.submit(&browser, "/profile/gpg_keys", &[("gpg_key[key]", "no key")]).assert_status(422);
    assert!(refused.html.contains("Key is invalid"), "{}", refused.html);
}

#[both_databases]
fn addresses_are_added_and_removed(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/profile/emails").assert_status(200);
    let _ = page.submit(&browser, "/profile/emails", &[("email[email]", "no address")]).assert_status(422);
    let added = page.submit(&browser, "/profile/emails", &[("email[email]", "ada@second.example")]);
    assert_eq!(added.location(), "/profile/emails");
    let emails = ada.get("/user/emails").json();
    assert_eq!((&emails[0]["email"], &emails[0]["confirmed_at"]), (&json!("ada@second.example"), &json!(null)));
    let listed = browser.get("/profile/emails").assert_status(200);
    let removed = listed.submit(&browser, &format!("/profile/emails/{}", emails[0]["id"]), &[]);
    assert_eq!(removed.location(), "/profile/emails");
    assert_eq!(ada.get("/user/emails").json(), json!([]));
}

#[both_databases]
fn settings_of_mail_are_changed(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let address = "/profile/notifications";
    let page = browser.get(address).assert_status(200);
    assert!(page.html.contains(r#"value="participating" checked"#), "{}", page.html);
    let custom = [
        ("notification[level]", "custom"),
        ("notification[events][]", "new_issue"),
        ("notification[events][]", "issue_due"),
    ];
    assert_eq!(page.submit(&browser, address, &custom).location(), address);
    let setting = ada.get("/notification_settings").json();
    assert_eq!(
        (&setting["level"], &setting["events"]["new_issue"], &setting["events"]["failed_pipeline"]),
        (&json!("custom"), &json!(true), &json!(false))
    );
    let page = browser.get(address).assert_status(200);
    assert!(
        page.html.contains("Notification settings saved.") && page.html.contains(r#"value="issue_due" checked"#),
        "{}",
        page.html
    );
    let _ = page
        .submit(
            &browser,
            address,
            &[("notification[level]", "watch"), ("notification[email]", "ada@elsewhere.example")],
        )
        .assert_status(422);
    let own = ada.get("/user").json()["email"].as_str().unwrap_or_default().to_owned();
    let _ = page
        .submit(&browser, address, &[("notification[level]", "watch"), ("notification[email]", &own)])
        .assert_status(302);
    assert_eq!(ada.get("/notification_settings").json(), json!({"level": "watch", "notification_email": own}));
    let again = browser.get(address).submit(
        &browser,
        address,
        &[("notification[level]", "custom"), ("notification[events][]", "new_note")],
    );
    assert_eq!(again.location(), address);
    let _ =
        browser.get(address).submit(&browser, address, &[("notification[level]", "no such level")]).assert_status(422);
}

#[both_databases]
fn sessions_are_listed_and_ended(server: &TestServer) {
    let _ada = member(server, "ada");
    let _bob = member(server, "bob");
    let (here, there, third) = (
        Browser::signed_in(server, "ada", PASSWORD),
        Browser::signed_in(server, "ada", PASSWORD),
        Browser::signed_in(server, "ada", PASSWORD),
    );
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let list = here.get("/profile/active_sessions").assert_status(200);
    assert_eq!(list.html.matches("Last used").count(), 3);
    assert_eq!(list.html.matches("This session").count(), 1);
    let other = first(&list.html, r#"action="(/profile/active_sessions/[0-9]+)""#);
    let token = bob.get("/").token();
    let forged = [("authenticity_token", token.as_str()), ("_method", "delete")];
    let _ = bob.post(&other, &forged).assert_status(404);
    assert_eq!(list.submit(&here, &other, &[]).location(), "/profile/active_sessions");
    let ended = [&there, &third].iter().filter(|browser| browser.get("/").reply.status() == 302).count();
    assert_eq!(ended, 1);
    let list = here.get("/profile/active_sessions");
    assert_eq!(list.submit(&here, "/profile/active_sessions", &[]).location(), "/profile/active_sessions");
    assert_eq!((there.get("/").reply.status(), third.get("/").reply.status()), (302, 302));
    let _ = here.get("/").assert_status(200);
    let _ = bob.get("/").assert_status(200);
}

#[both_databases]
fn sessions_are_named_by_browser_and_system(server: &TestServer) {
    let _ada = member(server, "ada");
    let here = Browser::signed_in(server, "ada", PASSWORD);
    for (sent, shown) in [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", ">Firefox on Linux<"),
        ("\"><script>alert(1)</script>", ">Unknown browser<"),
    ] {
        let other = Browser::of(server);
        let token = other.get("/users/sign_in").token();
        let fields = [("authenticity_token", token.as_str()), ("user[login]", "ada"), ("user[password]", PASSWORD)];
        assert_eq!(other.send("POST", "/users/sign_in", &fields, &[("User-Agent", sent)]).location(), "/");
        let list = safe(&here, "/profile/active_sessions");
        assert!(list.contains(shown), "{list}");
    }
}

#[both_databases]
fn handles_and_the_address_in_commits_are_set_on_the_profile(server: &TestServer) {
    let ada = member(server, "ada");
    let new = json!({"email": "ada@work.test", "skip_confirmation": true});
    let id = ada.get("/user").json()["id"].clone();
    let _ = server.root().post(&format!("/users/{id}/emails"), new).assert_status(201);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/profile").assert_status(200);
    let sent = [
        ("user[linkedin]", "ada-l"),
        ("user[twitter]", HOSTILE),
        ("user[skype]", "ada.s"),
        ("user[commit_email]", "ada@work.test"),
    ];
    let _ = page.send_with(&browser, "/profile", &sent);
    let now = ada.get("/user").json();
    assert_eq!((&now["linkedin"], &now["commit_email"]), (&json!("ada-l"), &json!("ada@work.test")));
    let shown = browser.get("/ada").assert_status(200).html;
    assert!(shown.contains("ada-l") && shown.contains("ada.s") && !shown.contains(HOSTILE), "{shown}");
}

#[both_databases]
fn administrators_write_a_note_and_see_where_a_user_has_signed_in(server: &TestServer) {
    let ada = member(server, "ada");
    let id = ada.get("/user").json()["id"].clone();
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let root = Browser::signed_in(server, "root", "root password");
    let page = root.get(&format!("/admin/users/{id}/edit")).assert_status(200);
    let _ = page.send_with(&root, &format!("/admin/users/{id}"), &[("user[note]", HOSTILE)]);
    let read = server.root().get(&format!("/users/{id}")).json();
    assert_eq!((&read["note"], &read["current_sign_in_ip"]), (&json!(HOSTILE), &json!("127.0.0.1")));
    let shown = root.get(&format!("/admin/users/{id}")).assert_status(200).html;
    assert!(shown.contains("127.0.0.1") && shown.contains("Note") && !shown.contains(HOSTILE), "{shown}");
    assert!(!own.get("/ada").html.contains("Last sign-in"));
}

#[both_databases]
fn users_delete_their_own_account(server: &TestServer) {
    let ada = member(server, "ada");
    let root = server.root();
    let issue = json!({"title": "Kept", "description": "d"});
    let tool = root.post("/projects", json!({"name": "tool", "visibility": "public"})).assert_status(201).json();
    let _ = ada.post(&format!("/projects/{}/issues", tool["id"]), issue).assert_status(201);
    let group = ada.post("/groups", json!({"name": "g", "path": "g"})).assert_status(201).json();
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let delete = |password: &str| {
        let page = browser.get("/profile");
        page.submit(&browser, "/profile", &[("_method", "delete"), ("user[password]", password)])
    };
    let wrong = delete("wrong").assert_status(422);
    assert!(wrong.html.contains("Password is invalid"), "{}", wrong.html);
    let owner = delete(PASSWORD).assert_status(422);
    assert!(owner.html.contains("only owner of a group"), "{}", owner.html);
    let _ = ada.delete(&format!("/groups/{}", group["id"])).assert_status(202);
    let _ = server.run_jobs();
    let off = json!({"allow_account_deletion": false});
    let _ = root.put("/application/settings", off).assert_status(200);
    assert!(!browser.get("/profile").assert_status(200).html.contains("Delete account"));
    let _ = delete(PASSWORD).assert_status(403);
    let _ = root.put("/application/settings", json!({"allow_account_deletion": true})).assert_status(200);
    assert_eq!(delete(PASSWORD).location(), "/users/sign_in");
    assert!(browser.get("/users/sign_in").html.contains("Your account is being deleted."));
    let _ = ada.get("/user").assert_status(401);
    let _ = server.run_jobs();
    let _ = root.get(&format!("/users/{}", ada.id)).assert_status(404);
    let kept = root.get(&format!("/projects/{}/issues/1", tool["id"])).assert_status(200).json();
    assert_eq!(kept["author"]["username"], "ghost");
}

#[both_databases]
fn the_last_administrator_does_not_delete_the_own_account(server: &TestServer) {
    let browser = Browser::signed_in(server, "root", "root password");
    let fields = [("_method", "delete"), ("user[password]", "root password")];
    let kept = browser.get("/profile").submit(&browser, "/profile", &fields).assert_status(422);
    assert!(kept.html.contains("The last administrator cannot be removed"), "{}", kept.html);
    let _ = server.root().get("/user").assert_status(200);
}
