//! Invitations by mail: the list among the members, and the page behind the link.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, followed, safe};
use crate::project::project;
use crate::{PASSWORD, member};

const ENDED: &str = "This invitation link is invalid, expired or has already been used.";

/// The path of the link in the only mail to this address.
#[track_caller]
fn link(server: &TestServer, address: &str) -> String {
    server.run_jobs();
    let mut mails = server.mails(address);
    mails.retain(|mail| mail.text.contains("invite_token"));
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert!(mails[0].subject().starts_with("Invitation to the "), "{}", mails[0].subject());
    format!("/invites?invite_token={}", mails[0].after("/invites?invite_token="))
}

/// Invites on the page of the members.
#[track_caller]
fn invite(browser: &Browser, page: &str, typed: &str) {
    let members = browser.get(page).assert_status(200);
    let sent =
        members.submit(browser, page, &[("user_ids", typed), ("access_level", "30"), ("expires_at", "2090-01-31")]);
    assert!(followed(browser, &sent).contains("Invitation sent."));
}

#[both_databases(mail)]
fn who_is_invited_by_mail_accepts_with_an_account(server: &TestServer) {
    let ada = member(server, "ada");
    let _bob = member(server, "bob");
    let tool = project(&ada, "tool", "private");
    let _ = ada.post("/groups", json!({"name": "Crew", "path": "crew"})).assert_status(201);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    for (page, home) in [("/ada/tool/project_members", "/ada/tool"), ("/groups/crew/-/group_members", "/groups/crew")] {
        invite(&own, page, "work@bob.example");
        let list = safe(&own, page);
        assert!(list.contains("Pending invitations (1)") && list.contains("work@bob.example"), "{list}");
        assert!(list.contains("invited by @ada") && list.contains("Developer until "), "{list}");
        let link = link(server, "work@bob.example");
        let stranger = Browser::of(server);
        let page_of_stranger = safe(&stranger, &link);
        assert!(page_of_stranger.contains("Sign in") && page_of_stranger.contains("invites you to the "));
        assert!(!page_of_stranger.contains("/invites/accept"));
        let bob = Browser::signed_in(server, "bob", PASSWORD);
        let _ = bob.get(home).assert_status(404);
        let form = bob.get(&link).assert_status(200);
        assert!(form.html.contains("This invitation was sent to work@bob.example. You are signed in as @bob."));
        let accepted = form.submit(&bob, "/invites/accept", &[]);
        assert!(followed(&bob, &accepted).contains("Invitation accepted."));
        let _ = bob.get(home).assert_status(200);
        // The link works once, also for who sends the form again.
        assert!(form.submit(&bob, "/invites/accept", &[]).assert_status(422).html.contains(ENDED));
        assert!(bob.get(&link).assert_status(422).html.contains(ENDED));
        assert!(!safe(&own, page).contains("Pending invitations"));
    }
    let level = ada.get(&format!("/projects/{tool}/members")).json();
    assert_eq!((&level[1]["access_level"], &level[1]["expires_at"]), (&json!(30), &json!("2090-01-31")));
}

#[both_databases(mail)]
fn a_member_who_is_invited_stays_as_before(server: &TestServer) {
    let ada = member(server, "ada");
    let bob = member(server, "bob");
    let tool = project(&ada, "tool", "private");
    let members = format!("/projects/{tool}/members");
    let _ = ada.post(&members, json!({"user_id": bob.id, "access_level": 40})).assert_status(201);
    let own = Browser::signed_in(server, "ada", PASSWORD);
    invite(&own, "/ada/tool/project_members", "bob@example.org");
    let browser = Browser::signed_in(server, "bob", PASSWORD);
    let form = browser.get(&link(server, "bob@example.org")).assert_status(200);
    assert!(!form.html.contains("This invitation was sent to"), "{}", form.html);
    assert!(followed(&browser, &form.submit(&browser, "/invites/accept", &[])).contains("You are a member already."));
    assert_eq!(ada.get(&format!("{members}/{}", bob.id)).json()["access_level"], 40);
}

#[both_databases(mail)]
fn who_signs_up_with_the_address_is_confirmed_and_a_member(server: &TestServer) {
    server.set("send_user_confirmation_email", &json!(true));
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "private");
    let own = Browser::signed_in(server, "ada", PASSWORD);
    invite(&own, "/ada/tool/project_members", "Grace@Example.org");
    let link = link(server, "grace@example.org");
    let stranger = Browser::of(server);
    let page = stranger.get(&link).assert_status(200);
    let sign_up = page.links().into_iter().find(|link| link.starts_with("/users/sign_up?")).expect("a link");
    let form = stranger.get(&sign_up).assert_status(200);
    assert!(form.html.contains("value=\"grace@example.org\""), "{}", form.html);
    let fields = [
        ("user[name]", "Grace"),
        ("user[username]", "grace"),
        ("user[email]", "grace@example.org"),
        ("user[password]", PASSWORD),
    ];
    let refused = form.submit(&stranger, "/users", &[("user[name]", "Grace"), ("user[username]", "-")]);
    let again = refused.assert_status(422);
    assert!(again.html.contains("name=\"invite_token\""), "{}", again.html);
    assert_eq!(again.submit(&stranger, "/users", &fields).location(), "/ada/tool");
    let _ = stranger.get("/ada/tool").assert_status(200);
    assert!(server.mails("grace@example.org").is_empty(), "no other link");
}

#[both_databases(mail)]
fn another_address_is_confirmed_as_always_and_may_still_accept(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "private");
    let own = Browser::signed_in(server, "ada", PASSWORD);
    invite(&own, "/ada/tool/project_members", "grace@example.org");
    let link = link(server, "grace@example.org");
    let token = link.rsplit('=').next().unwrap_or_default().to_owned();
    let sign_up = |username: &str, email: &str| {
        let browser = Browser::of(server);
        let form = browser.get(&format!("/users/sign_up?invite_token={token}")).assert_status(200);
        let fields =
            [("user[name]", "X"), ("user[username]", username), ("user[email]", email), ("user[password]", PASSWORD)];
        let next = form.submit(&browser, "/users", &fields).location();
        (browser, next)
    };
    let (browser, next) = sign_up("other", "other@example.org");
    assert_eq!(next.replace("%2D", "-").replace("%5F", "_"), link);
    let _ = browser.get("/ada/tool").assert_status(404);
    server.set("send_user_confirmation_email", &json!(true));
    assert_eq!(sign_up("third", "third@example.org").1, "/users/sign_in", "to be confirmed");
    server.set("send_user_confirmation_email", &json!(false));
    let accepted = browser.get(&link).submit(&browser, "/invites/accept", &[]);
    assert_eq!(accepted.location(), "/ada/tool");
    // A group that admits no members does not keep one from signing up, and the invitation stays.
    let made = ada.post("/groups", json!({"name": "team", "path": "team"})).assert_status(201).json();
    let team = &made["id"];
    let _ = ada.post("/projects", json!({"name": "kit", "namespace_id": team})).assert_status(201);
    invite(&own, "/team/kit/project_members", "locked@example.org");
    let locked = self::link(server, "locked@example.org");
    let _ = ada.put(&format!("/groups/{team}"), json!({"membership_lock": true})).assert_status(200);
    let browser = Browser::of(server);
    let form = browser.get(&locked.replace("/invites", "/users/sign_up")).assert_status(200);
    let fields = [
        ("user[name]", "X"),
        ("user[username]", "locked"),
        ("user[email]", "locked@example.org"),
        ("user[password]", PASSWORD),
    ];
    let _ = form.submit(&browser, "/users", &fields).location();
    let _ = browser.get("/team/kit").assert_status(404);
    let _ = ada.put(&format!("/groups/{team}"), json!({"membership_lock": false})).assert_status(200);
    let accepted = browser.get(&locked).submit(&browser, "/invites/accept", &[]);
    assert_eq!(accepted.location(), "/team/kit");
    // Where no one may sign up, an invitation changes nothing about it.
    invite(&own, "/ada/tool/project_members", "late@example.org");
    let link = self::link(server, "late@example.org");
    server.set("signup_enabled", &json!(false));
    let stranger = Browser::of(server);
    assert!(!stranger.get(&link).assert_status(200).html.contains("/users/sign_up"));
    let _ = stranger.get(&format!("/users/sign_up?{}", link.trim_start_matches("/invites?"))).assert_status(404);
}

#[both_databases(mail)]
fn an_invitation_is_declined_sent_again_and_taken_back(server: &TestServer) {
    let ada = member(server, "ada");
    let bob = member(server, "bob");
    let tool = project(&ada, "tool", "private");
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let page = "/ada/tool/project_members";
    invite(&own, page, "a@example.org");
    let first = link(server, "a@example.org");
    let sent = own.get(page).submit(&own, "/ada/tool/project_members/invitations", &[]);
    assert!(followed(&own, &sent).contains("Invitation sent."));
    let second = link(server, "a@example.org");
    let stranger = Browser::of(server);
    assert!(stranger.get(&first).assert_status(422).html.contains(ENDED));
    let declined = stranger.get(&second).assert_status(200).submit(&stranger, "/invites/decline", &[]);
    assert_eq!(declined.location(), "/");
    assert!(stranger.get(&second).assert_status(422).html.contains(ENDED));
    invite(&own, page, "b@example.org");
    let link_of_b = link(server, "b@example.org");
    let taken = own.get(page).submit_last(&own, "/ada/tool/project_members/invitations", &[]);
    assert!(followed(&own, &taken).contains("Invitation removed."));
    assert!(stranger.get(&link_of_b).assert_status(422).html.contains(ENDED));
    // An invitation counts no more if its sender may no longer manage the members.
    let members = format!("/projects/{tool}/members");
    let _ = ada.post(&members, json!({"user_id": bob.id, "access_level": 40})).assert_status(201);
    let of_bob = Browser::signed_in(server, "bob", PASSWORD);
    invite(&of_bob, page, "c@example.org");
    let link_of_c = link(server, "c@example.org");
    let _ = stranger.get(&link_of_c).assert_status(200);
    let _ = ada.put(&format!("{members}/{}", bob.id), json!({"access_level": 30})).assert_status(200);
    assert!(stranger.get(&link_of_c).assert_status(422).html.contains(ENDED));
    assert!(!of_bob.get(page).assert_status(200).html.contains("Pending invitations"), "not for developers");
}

#[both_databases(mail)]
fn names_and_addresses_are_taken_together_or_not_at_all(server: &TestServer) {
    let ada = member(server, "ada");
    let _bob = member(server, "bob");
    let _ = project(&ada, "tool", "private");
    let own = Browser::signed_in(server, "ada", PASSWORD);
    let page = "/ada/tool/project_members";
    let form = own.get(page).assert_status(200);
    let typed = |users: &'static str| form.submit(&own, page, &[("user_ids", users), ("access_level", "30")]);
    let refused = typed("bob, a@example.org, no@@address").assert_status(422);
    let said = "Usernames include no@@address, which cannot be invited: Invite email is invalid";
    assert!(refused.html.contains(said), "{}", refused.html);
    assert!(!own.get(page).html.contains("Pending invitations") && !own.get(page).html.contains(">@bob<"));
    let unknown = typed("a@example.org, nobody").assert_status(422);
    assert!(unknown.html.contains("Usernames include nobody, which does not exist"), "{}", unknown.html);
    assert_eq!(typed("@bob, a@example.org").location(), page);
    let list = safe(&own, page);
    assert!(list.contains("Pending invitations (1)") && list.contains("@bob"), "{list}");
    let twice = typed("A@example.org").assert_status(422);
    assert!(twice.html.contains("Invite email has already been taken"), "{}", twice.html);
}

#[both_databases(mail)]
fn names_of_the_place_and_of_who_invites_do_no_harm(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "private");
    // Neither may be called so; the page does not rely on that.
    server.database().execute("UPDATE users SET name = '<b onclick=x>\u{202e}Ada' WHERE username = 'ada'");
    server.database().execute("UPDATE projects SET name = '<script>alert(1)</script>'");
    let own = Browser::signed_in(server, "ada", PASSWORD);
    invite(&own, "/ada/tool/project_members", "a@example.org");
    let page = safe(&Browser::of(server), &link(server, "a@example.org"));
    assert!(!page.contains("<script>alert") && !page.contains("<b onclick"), "{page}");
    assert!(page.contains("script&#62;alert(1)") && page.contains("b onclick=x"), "{page}");
}
