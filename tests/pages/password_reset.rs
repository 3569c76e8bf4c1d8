//! A new password by a link that is mailed.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Backend, Mail, TestServer, both_databases};

use crate::browser::{Browser, Page};
use crate::{PASSWORD, member};

const NEW: &str = "/users/password/new";
const EDIT: &str = "/users/password/edit";
const CHOSEN: &str = "battery staple";
const ASKED: &str = "If an account has this email address, a password reset link has been sent to it.";
const ENDED: &str = "This password reset link is invalid";

fn ask(browser: &Browser, address: &str) -> Page {
    browser.get(NEW).assert_status(200).submit(browser, "/users/password", &[("user[email]", address)])
}

/// The path of the link in a mail.
fn link(mail: &Mail) -> String {
    format!("{EDIT}?reset_password_token={}", mail.after(&format!("{EDIT}?reset_password_token=")))
}

/// The mails with links to this address; others are dropped.
fn mails(server: &TestServer, address: &str) -> Vec<Mail> {
    server.run_jobs();
    server.mails(address).into_iter().filter(|mail| mail.text.contains("reset_password_token")).collect()
}

fn only_mail(server: &TestServer, address: &str) -> Mail {
    let mut mails = mails(server, address);
    assert_eq!(mails.len(), 1, "{mails:?}");
    mails.remove(0)
}

/// The path of the link that is mailed to who asks for it.
fn asked(server: &TestServer, address: &str) -> String {
    let _ = ask(&Browser::of(server), address).location();
    link(&only_mail(server, address))
}

fn save(page: &Page, browser: &Browser, password: &str, again: &str) -> Page {
    page.submit(browser, EDIT, &[("user[password]", password), ("user[password_confirmation]", again)])
}

fn opens(server: &TestServer, login: &str, password: &str) -> bool {
    Browser::of(server).sign_in(login, password).reply.status() == 302
}

#[track_caller]
fn assert_ended(browser: &Browser, path: &str) {
    let page = browser.get(path).assert_status(422);
    assert!(page.html.contains(ENDED) && !page.html.contains("user[password]"), "{}", page.html);
}

#[both_databases(mail)]
fn who_has_forgotten_the_password_chooses_another_by_a_link(server: &TestServer) {
    let _ada = member(server, "ada");
    let (before, browser) = (Browser::signed_in(server, "ada", PASSWORD), Browser::of(server));
    let sign_in = browser.get("/users/sign_in?return_to=%2Fprofile%2Fkeys").assert_status(200);
    let forgotten = sign_in.links().into_iter().find(|link| link.starts_with(NEW)).expect("a link");
    let next =
        browser.get(&forgotten).submit(&browser, "/users/password", &[("user[email]", " Ada@Example.org ")]).location();
    assert_eq!(next, "/users/sign_in?return_to=%2Fprofile%2Fkeys");
    assert!(browser.get(&next).html.contains(ASKED));
    let mail = only_mail(server, "ada@example.org");
    assert_eq!(mail.subject(), "Reset your password");
    assert!(mail.header("Message-ID").starts_with("<password_reset_") && mail.html.is_none());
    assert!(mail.text.contains("@ada") && mail.text.contains("works once and expires on "), "{}", mail.text);
    let path = link(&mail);
    for _ in 0..2 {
        let page = browser.get(&path).assert_status(200);
        assert!(page.html.contains("@ada"), "{}", page.html);
        assert_eq!(page.reply.header("cache-control"), "private, no-store");
        assert_eq!(page.reply.header("referrer-policy"), "strict-origin", "no address with a token goes anywhere");
    }
    let _ = before.get("/").assert_status(200);
    let page = browser.get(&path);
    let other = save(&page, &browser, CHOSEN, PASSWORD).assert_status(422);
    assert!(other.html.contains("Password confirmation doesn&#39;t match Password"), "{}", other.html);
    assert!(!other.html.contains(CHOSEN));
    let short = save(&other, &browser, "short", "short").assert_status(422);
    assert!(short.html.contains("Password is too short"), "{}", short.html);
    assert_eq!(short.reply.header("referrer-policy"), "strict-origin");
    assert_eq!(save(&short, &browser, CHOSEN, CHOSEN).location(), "/users/sign_in");
    assert!(browser.get("/users/sign_in").html.contains("Password changed."));
    assert_eq!(before.get("/").location(), "/users/sign_in", "all sessions have ended");
    assert!(!opens(server, "ada", PASSWORD));
    let _ = browser.sign_in("ada", CHOSEN).location();
    let _ = browser.get("/").assert_status(200);
    // It works once.
    assert_ended(&browser, &path);
    let page = Browser::of(server);
    let late = save(&short, &browser, PASSWORD, PASSWORD).assert_status(422);
    assert!(late.html.contains("This form has expired"), "another session");
    let fields = [
        ("user[reset_password_token]", path.split_once('=').expect("a token").1),
        ("user[password]", PASSWORD),
        ("user[password_confirmation]", PASSWORD),
    ];
    let token = page.get("/users/sign_in").token();
    let again: Vec<(&str, &str)> = fields.into_iter().chain([("authenticity_token", token.as_str())]).collect();
    assert!(page.post(EDIT, &again).assert_status(422).html.contains(ENDED));
    assert!(opens(server, "ada", CHOSEN));
}

#[both_databases(mail)]
fn nothing_says_whether_an_account_has_an_address(server: &TestServer) {
    let ada = member(server, "ada");
    let (blocked, banned) = (member(server, "eve"), member(server, "mallory"));
    let _ = server.root().post(&format!("/users/{}/block", blocked.id), json!({})).assert_status(201);
    let _ = server.root().post(&format!("/users/{}/ban", banned.id), json!({})).assert_status(201);
    let second = json!({"email": "ada@second.example", "skip_confirmation": true});
    let _ = server.root().post(&format!("/users/{}/emails", ada.id), second).assert_status(201);
    server.set("require_admin_approval_after_user_signup", &json!(true));
    let browser = Browser::of(server);
    let fields = [
        ("user[name]", "P"),
        ("user[username]", "pending"),
        ("user[email]", "pending@example.org"),
        ("user[password]", PASSWORD),
    ];
    let _ = browser.get("/users/sign_up").submit(&browser, "/users", &fields).location();
    let _ = server.run_jobs();
    let addresses = [
        "ada@example.org",
        "none@example.org",
        "eve@example.org",
        "mallory@example.org",
        "ada@second.example",
        "pending@example.org",
        "ada",
        "",
    ];
    let mut answers = Vec::new();
    for address in addresses {
        let page = browser.get(NEW).assert_status(200);
        let mut next = String::new();
        let statements = server.count_statements(|| {
            next = page.submit(&browser, "/users/password", &[("user[email]", address)]).location();
        });
        let page = browser.get(&next).assert_status(200);
        assert!(page.html.contains(ASKED), "{address}: {}", page.html);
        answers.push((next, statements, page.html.replace(&page.token(), "")));
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
    let waiting = "SELECT COUNT(*) FROM jobs WHERE kind = 'send_password_reset'";
    assert_eq!(server.database().count(waiting), 8);
    assert_eq!(mails(server, "ada@example.org").len(), 1);
    for address in addresses.into_iter().skip(1).filter(|address| address.contains('@')) {
        assert!(mails(server, address).is_empty(), "{address}");
    }
    assert_eq!(server.database().count(waiting), 0);
}

#[both_databases(mail)]
fn a_link_ends_after_six_hours(server: &TestServer) {
    let _ada = member(server, "ada");
    let (browser, path) = (Browser::of(server), asked(server, "ada@example.org"));
    server.advance(TimeDelta::minutes(359));
    let page = browser.get(&path).assert_status(200);
    server.advance(TimeDelta::minutes(1));
    assert!(save(&page, &browser, CHOSEN, CHOSEN).assert_status(422).html.contains(ENDED));
    assert_ended(&browser, &path);
    for (token, status) in [("", 422), ("x", 422), ("%00", 400)] {
        let _ = browser.get(&format!("{EDIT}?reset_password_token={token}")).assert_status(status);
    }
    let _ = browser.get(EDIT).assert_status(422);
    assert!(opens(server, "ada", PASSWORD));
}

#[both_databases(mail)]
fn a_new_link_replaces_the_old_one(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::of(server);
    let first = asked(server, "ada@example.org");
    server.advance(TimeDelta::seconds(1));
    let second = asked(server, "ada@example.org");
    assert_ended(&browser, &first);
    assert_eq!(save(&browser.get(&second), &browser, CHOSEN, CHOSEN).location(), "/users/sign_in");
}

#[both_databases(mail)]
fn a_link_ends_with_what_it_was_sent_for(server: &TestServer) {
    let browser = Browser::of(server);
    let root = server.root();
    let post = |path: String| {
        let _ = root.post(&path, json!({})).assert_status(201);
    };
    let put = |id: i64, body: serde_json::Value| {
        let _ = root.put(&format!("/users/{id}"), body).assert_status(200);
    };
    let blocked = |id: i64| {
        post(format!("/users/{id}/block"));
        post(format!("/users/{id}/unblock"));
    };
    let banned = |id: i64| {
        post(format!("/users/{id}/ban"));
        post(format!("/users/{id}/unban"));
    };
    let given = |id: i64| put(id, json!({"password": "given by root"}));
    let moved = |id: i64| put(id, json!({"email": "other@example.org", "skip_reconfirmation": true}));
    let removed = |id: i64| {
        let _ = root.delete(&format!("/users/{id}")).assert_status(204);
    };
    let changed = |_id: i64| {
        let own = Browser::signed_in(server, "own", PASSWORD);
        let fields =
            [("user[current_password]", PASSWORD), ("user[password]", CHOSEN), ("user[password_confirmation]", CHOSEN)];
        let _ = own.get("/profile/password/edit").submit(&own, "/profile/password", &fields).location();
    };
    let ends: [(&str, &dyn Fn(i64)); 6] = [
        ("blocked", &blocked),
        ("banned", &banned),
        ("given", &given),
        ("moved", &moved),
        ("removed", &removed),
        ("own", &changed),
    ];
    for (name, end) in ends {
        let user = member(server, name);
        let path = asked(server, &format!("{name}@example.org"));
        let page = browser.get(&path).assert_status(200);
        end(user.id);
        assert_ended(&browser, &path);
        assert!(
            save(&page, &browser, "another password", "another password").assert_status(422).html.contains(ENDED),
            "{name}"
        );
    }
}

#[both_databases(mail)]
fn an_account_that_is_blocked_when_the_mail_is_due_gets_none(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = ask(&Browser::of(server), "ada@example.org").location();
    let _ = server.root().post(&format!("/users/{}/block", ada.id), json!({})).assert_status(201);
    assert!(mails(server, "ada@example.org").is_empty());
}

#[both_databases(mail)]
fn a_second_factor_is_asked_for_as_before(server: &TestServer) {
    let ada = member(server, "ada");
    let authenticator = server.second_factor(&ada);
    server.advance(TimeDelta::minutes(1));
    let (browser, path) = (Browser::of(server), asked(server, "ada@example.org"));
    let _ = save(&browser.get(&path), &browser, CHOSEN, CHOSEN).location();
    let _ = browser.sign_in("ada", CHOSEN).location();
    let page = browser.get("/users/sign_in").assert_status(200);
    assert!(page.html.contains("Two-factor code"), "{}", page.html);
    let code = authenticator.code(server);
    assert_eq!(page.submit(&browser, "/users/sign_in", &[("user[otp_attempt]", &code)]).location(), "/");
}

#[both_databases(mail)]
fn a_deactivated_account_has_a_forgotten_password_too(server: &TestServer) {
    let ada = member(server, "ada");
    server.advance(TimeDelta::days(100));
    server.root().post(&format!("/users/{}/deactivate", ada.id), json!({})).assert(201, json!(true));
    let (browser, path) = (Browser::of(server), asked(server, "ada@example.org"));
    let _ = save(&browser.get(&path), &browser, CHOSEN, CHOSEN).location();
    assert_eq!(browser.sign_in("ada", CHOSEN).location(), "/");
}

#[both_databases(mail)]
fn an_address_is_named_and_a_client_asks_a_few_times_only(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::of(server);
    for (known, address) in [("ada@example.org", "ADA@example.org"), ("none@example.org", "None@example.org ")] {
        for _ in 0..5 {
            assert_eq!(ask(&browser, known).location(), "/users/sign_in");
        }
        let refused = ask(&browser, address).assert_status(429);
        assert!(!refused.reply.header("retry-after").is_empty());
        server.advance(TimeDelta::hours(3));
    }
    for number in 0..10 {
        let _ = ask(&browser, &format!("a{number}@example.org")).location();
    }
    let _ = ask(&browser, "ada@example.org").assert_status(429);
    server.advance(TimeDelta::minutes(12));
    let _ = ask(&browser, "ada@example.org").location();
    let _ = ask(&browser, "other@example.org").assert_status(429);
}

#[both_databases(mail)]
fn passwords_that_are_not_accepted_are_not_reset(server: &TestServer) {
    let _ada = member(server, "ada");
    let (browser, path) = (Browser::of(server), asked(server, "ada@example.org"));
    let (form, page) = (browser.get(NEW), browser.get(&path));
    let _ = form.submit(&browser, "/users/password", &[("user[email]", "ada@example.org")]).location();
    server.set("password_authentication_enabled_for_web", &json!(false));
    assert!(mails(server, "ada@example.org").is_empty(), "the setting in force when the mail is sent");
    let off = browser.get(NEW).assert_status(200);
    assert!(
        off.html.contains("Password authentication is disabled on this server.") && !off.html.contains("user[email]"),
        "{}",
        off.html
    );
    let _ = form.submit(&browser, "/users/password", &[("user[email]", "ada@example.org")]).assert_status(422);
    assert!(browser.get(&path).assert_status(422).html.contains("Password authentication is disabled"));
    let _ = save(&page, &browser, CHOSEN, CHOSEN).assert_status(422);
    assert!(!browser.get("/users/sign_in").html.contains(NEW));
    server.set("password_authentication_enabled_for_web", &json!(true));
    assert!(!opens(server, "ada", CHOSEN) && mails(server, "ada@example.org").is_empty());
}

#[both_databases(mail)]
fn an_administrator_who_acts_as_a_user_resets_no_password(server: &TestServer) {
    let ada = member(server, "ada");
    let path = asked(server, "ada@example.org");
    let browser = Browser::signed_in(server, "root", "root password");
    let account = browser.get(&format!("/admin/users/{}", ada.id));
    let _ = account.submit(&browser, &format!("/admin/users/{}/impersonate", ada.id), &[]).assert_status(303);
    server.advance(TimeDelta::seconds(1));
    let refused =
        |page: Page| assert!(page.assert_status(422).html.contains("while an administrator acts as the user"));
    refused(ask(&browser, "ada@example.org"));
    refused(save(&browser.get(&path), &browser, CHOSEN, CHOSEN));
    assert!(mails(server, "ada@example.org").is_empty() && opens(server, "ada", PASSWORD));
    let own = Browser::of(server);
    let _ = save(&own.get(&path), &own, CHOSEN, CHOSEN).location();
}

#[both_databases(mail)]
fn a_user_who_has_signed_in_may_have_forgotten_the_password(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    assert!(browser.get("/profile/password/edit").links().iter().any(|link| link == NEW));
    let _ = ask(&browser, "ada@example.org").location();
    let path = link(&only_mail(server, "ada@example.org"));
    assert_eq!(save(&browser.get(&path), &browser, CHOSEN, CHOSEN).location(), "/users/sign_in");
    let page = browser.get("/users/sign_in").assert_status(200);
    assert!(page.html.contains("Sign in with your new password."), "{}", page.html);
}

#[both_databases(mail)]
fn a_new_user_chooses_the_first_password_by_a_link(server: &TestServer) {
    let browser = Browser::of(server);
    let make = |name: &str, more: serde_json::Value| {
        let mut body = json!({"username": name, "name": name, "email": format!("{name}@example.org")});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.root().post("/users", body).assert_status(201).json()["id"].as_i64().unwrap()
    };
    make("ada", json!({"reset_password": true, "skip_confirmation": true}));
    let mail = only_mail(server, "ada@example.org");
    assert!(mail.subject().starts_with("Choose a password for your account on "), "{}", mail.subject());
    assert!(mail.text.contains("Your username is ada.") && mail.text.contains("expires on "), "{}", mail.text);
    server.advance(TimeDelta::hours(47));
    let path = link(&mail);
    assert_eq!(save(&browser.get(&path), &browser, CHOSEN, CHOSEN).location(), "/users/sign_in");
    let _ = browser.sign_in("ada", CHOSEN).location();
    let _ = browser.get("/profile/keys").assert_status(200);
    // The link was sent to the address, which it confirms.
    let late = make("late", json!({"reset_password": true}));
    let user = || server.root().get(&format!("/users/{late}")).json();
    assert_eq!(user()["confirmed_at"], json!(null));
    let path = link(&only_mail(server, "late@example.org"));
    let other = Browser::of(server);
    let _ = save(&other.get(&path), &other, CHOSEN, CHOSEN).location();
    assert!(user()["confirmed_at"].is_string());
    assert_eq!(other.sign_in("late", CHOSEN).location(), "/");
    for (name, more) in [
        ("random", json!({"force_random_password": true})),
        ("typed", json!({"reset_password": false, "password": PASSWORD})),
    ] {
        make(name, more);
        assert!(mails(server, &format!("{name}@example.org")).is_empty(), "{name}");
    }
    make("slow", json!({"reset_password": true}));
    let path = link(&only_mail(server, "slow@example.org"));
    server.advance(TimeDelta::days(2));
    assert_ended(&Browser::of(server), &path);
    // A user who was too slow asks for another one, as the mail says.
    let path = asked(server, "slow@example.org");
    assert_eq!(save(&other.get(&path), &other, CHOSEN, CHOSEN).location(), "/users/sign_in");
    assert!(opens(server, "slow", CHOSEN));
}

#[both_databases(mail)]
fn an_address_that_was_mistyped_opens_no_account(server: &TestServer) {
    let body = json!({"username": "ada", "name": "Ada", "email": "wrong@example.org", "reset_password": true});
    let ada = server.root().post("/users", body).assert_status(201).json()["id"].as_i64().unwrap();
    let browser = Browser::of(server);
    let path = link(&only_mail(server, "wrong@example.org"));
    let page = browser.get(&path).assert_status(200);
    let _ = server.root().put(&format!("/users/{ada}"), json!({"email": "right@example.org"})).assert_status(200);
    assert_ended(&browser, &path);
    assert!(save(&page, &browser, CHOSEN, CHOSEN).assert_status(422).html.contains(ENDED));
    let _ = ask(&browser, "wrong@example.org").location();
    assert!(mails(server, "wrong@example.org").is_empty());
}

#[both_databases(mail)]
fn no_token_and_no_address_is_stored(server: &TestServer) {
    let _ada = member(server, "ada");
    let _ = ask(&Browser::of(server), "none@planted.example").location();
    let path = asked(server, "ada@example.org");
    let (_, token) = path.split_once("reset_password_token=").expect("a token");
    assert!(token.len() >= 22, "128 bits of 6 in each character");
    if let Some(file) = server.database().file() {
        let folder = std::fs::read_dir(file.parent().expect("a folder")).expect("a folder");
        for entry in folder.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()) {
            let bytes = std::fs::read(&entry).expect("a file");
            for secret in [token, "planted.example"] {
                assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{}", entry.display());
            }
        }
    }
}

#[both_databases]
fn a_server_without_mail_refers_to_an_administrator(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::of(server);
    let page = browser.get("/users/sign_in");
    assert!(page.links().iter().any(|link| link == NEW));
    let said = browser.get(NEW).assert_status(200);
    assert!(said.html.contains("This server is not configured to send email. Ask an administrator"), "{}", said.html);
    assert!(!said.html.contains("<form"));
    let token = page.token();
    let refused =
        browser.post("/users/password", &[("authenticity_token", &token), ("user[email]", "ada@example.org")]);
    assert!(refused.assert_status(422).html.contains("This server is not configured to send email"));
    let body = json!({"username": "eve", "name": "Eve", "email": "eve@example.org", "reset_password": true});
    let _ = server.root().post("/users", body).assert_status(201);
    assert_eq!(server.database().count("SELECT COUNT(*) FROM jobs WHERE kind = 'send_password_reset'"), 0);
}

#[test]
fn an_account_gets_so_many_mails_within_an_hour() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let mut limits = tenon_app::Limits::without_rates();
        (limits.rates.password_resets_per_account, limits.rates.password_resets_per_address) = (0, 0);
        limits.mail.password_resets = 2;
        let server = &TestServer::start_with_mail_and(backend, limits);
        let _ada = member(server, "ada");
        let browser = Browser::of(server);
        let mut sent = Vec::new();
        for _ in 0..7 {
            assert_eq!(ask(&browser, "ada@example.org").location(), "/users/sign_in");
            sent.push(mails(server, "ada@example.org").len());
            server.advance(TimeDelta::minutes(15));
        }
        assert_eq!(sent, [1, 1, 0, 0, 1, 1, 0]);
    }
}
