//! Addresses are confirmed by links that are sent to them.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Mail, TestServer, both_databases};

use crate::PASSWORD;
use crate::browser::Browser;

/// The path of the link in a mail.
fn link(mail: &Mail) -> String {
    assert_eq!(mail.subject(), "Confirm your email address");
    format!("/users/confirmation?confirmation_token={}", mail.after("/users/confirmation?confirmation_token="))
}

fn only_mail(server: &TestServer, address: &str) -> Mail {
    server.run_jobs();
    let mut mails = server.mails(address);
    assert_eq!(mails.len(), 1, "{mails:?}");
    mails.remove(0)
}

fn emails(server: &TestServer, token: &str) -> Value {
    server.client(token).get("/user/emails").assert_status(200).json()
}

#[both_databases(mail)]
fn a_link_that_is_opened_and_a_button_that_is_pressed_confirm_an_address(server: &TestServer) {
    let ada = server.user("ada");
    let _ = ada.post("/user/emails", json!({"email": "ada@work.example"})).assert_status(201);
    let mail = only_mail(server, "ada@work.example");
    assert!(mail.text.contains("@ada") && mail.html.is_none(), "{}", mail.text);
    assert!(mail.header("Message-ID").starts_with("<confirmation_"));
    let (browser, path) = (Browser::of(server), link(&mail));
    for _ in 0..2 {
        let page = browser.get(&path).assert_status(200);
        assert!(page.html.contains("ada@work.example"), "{}", page.html);
    }
    assert_eq!(emails(server, &ada.token)[0]["confirmed_at"], json!(null), "reading changes nothing");
    let page = browser.get(&path);
    assert_eq!(page.submit(&browser, "/users/confirmation", &[]).location(), "/");
    assert!(browser.get("/users/sign_in").html.contains("Your email address has been confirmed."));
    assert!(emails(server, &ada.token)[0]["confirmed_at"].is_string());
    // It works once.
    assert!(browser.get(&path).assert_status(422).html.contains("This confirmation link is invalid"));
    let again = page.submit(&browser, "/users/confirmation", &[]).assert_status(422);
    assert!(again.html.contains("This confirmation link is invalid"));
}

#[both_databases(mail)]
fn a_link_ends(server: &TestServer) {
    let ada = server.user("ada");
    let _ = ada.post("/user/emails", json!({"email": "ada@work.example"})).assert_status(201);
    let (browser, path) = (Browser::of(server), link(&only_mail(server, "ada@work.example")));
    let page = browser.get(&path).assert_status(200);
    server.advance(TimeDelta::hours(24));
    let _ = browser.get(&path).assert_status(422);
    let _ = page.submit(&browser, "/users/confirmation", &[]).assert_status(422);
    for (token, status) in [("", 422), ("x", 422), ("%00", 400)] {
        let _ = browser.get(&format!("/users/confirmation?confirmation_token={token}")).assert_status(status);
    }
    assert_eq!(emails(server, &ada.token)[0]["confirmed_at"], json!(null));
}

#[both_databases(mail)]
fn an_address_that_was_given_up_is_not_confirmed(server: &TestServer) {
    let ada = server.user("ada");
    let made = ada.post("/user/emails", json!({"email": "ada@work.example"})).assert_status(201).json();
    let (browser, path) = (Browser::of(server), link(&only_mail(server, "ada@work.example")));
    let _ = ada.delete(&format!("/user/emails/{}", made["id"])).assert_status(204);
    let _ = browser.get(&path).assert_status(422);
    // Nor is it when another user has it.
    let bob = server.user("bob");
    let _ = bob.post("/user/emails", json!({"email": "ada@work.example"})).assert_status(201);
    let _ = browser.get(&path).assert_status(422);
}

#[both_databases(mail)]
fn an_address_that_an_administrator_confirms_gets_no_link(server: &TestServer) {
    let ada = server.user("ada");
    let body = json!({"email": "ada@work.example", "skip_confirmation": true});
    let _ = server.root().post(&format!("/users/{}/emails", ada.id), body).assert_status(201);
    let mail = only_mail(server, "ada@example.org");
    assert!(mail.subject().starts_with("An email address was added") && !mail.text.contains("confirmation_token"));
    assert!(server.mails("ada@work.example").is_empty());
}

#[both_databases(mail)]
fn a_new_primary_address_counts_when_it_is_confirmed(server: &TestServer) {
    let ada = server.user("ada");
    let path = format!("/users/{}", ada.id);
    let _ = server.root().put(&path, json!({"email": "ada@new.example"})).assert_status(200);
    let primary = || ada.get("/user").json()["email"].clone();
    assert_eq!(primary(), "ada@example.org");
    let (browser, path) = (Browser::of(server), link(&only_mail(server, "ada@new.example")));
    let _ = browser.get(&path).submit(&browser, "/users/confirmation", &[]).assert_status(302);
    assert_eq!(primary(), "ada@new.example");
    let kept = emails(server, &ada.token);
    assert_eq!(kept[0]["email"], "ada@example.org");
    assert!(kept[0]["confirmed_at"].is_string());
}

#[both_databases(mail)]
fn an_account_is_signed_in_to_when_its_address_is_confirmed(server: &TestServer) {
    let body = json!({"username": "ada", "name": "Ada", "email": "ada@new.example", "password": PASSWORD});
    let made = server.root().post("/users", body).assert_status(201).json();
    let first = only_mail(server, "ada@new.example");
    let browser = Browser::of(server);
    for login in ["ada", "ada@new.example"] {
        let refused = browser.sign_in(login, PASSWORD).assert_status(422);
        assert!(refused.html.contains("You have to confirm your email address before continuing."));
    }
    let wrong = browser.sign_in("ada", "wrong horse").assert_status(422);
    assert!(!wrong.html.contains("confirm"), "only who knows the password reads why");
    server.run_jobs();
    assert!(server.mails("ada@new.example").is_empty(), "the first link has just been sent");
    server.advance(TimeDelta::minutes(11));
    let _ = browser.sign_in("ada", PASSWORD).assert_status(422);
    let second = only_mail(server, "ada@new.example");
    assert_ne!(link(&first), link(&second));
    // A token that an administrator has made works all the same.
    let token = server.token(made["id"].as_i64().expect("an id"), &["api"]);
    assert_eq!(server.client(&token).get("/user").assert_status(200).json()["confirmed_at"], json!(null));
    let _ = browser.get(&link(&second)).submit(&browser, "/users/confirmation", &[]).assert_status(302);
    assert_eq!(browser.sign_in("ada", PASSWORD).reply.status(), 302);
}

#[both_databases(mail)]
fn who_signs_up_confirms_the_address_where_the_settings_ask_for_it(server: &TestServer) {
    server.set("send_user_confirmation_email", &json!(true));
    let browser = Browser::of(server);
    let fields = [
        ("user[name]", "Grace"),
        ("user[username]", "grace"),
        ("user[email]", "grace@example.org"),
        ("user[password]", PASSWORD),
    ];
    let page = browser.get("/users/sign_up").submit(&browser, "/users", &fields);
    assert_eq!(page.location(), "/users/sign_in");
    let path = link(&only_mail(server, "grace@example.org"));
    let _ = browser.sign_in("grace", PASSWORD).assert_status(422);
    let _ = browser.get(&path).submit(&browser, "/users/confirmation", &[]).assert_status(302);
    assert_eq!(browser.sign_in("grace", PASSWORD).location(), "/");
}

#[both_databases(mail)]
fn who_confirms_and_waits_for_approval_reads_of_both(server: &TestServer) {
    server.set("send_user_confirmation_email", &json!(true));
    server.set("require_admin_approval_after_user_signup", &json!(true));
    let browser = Browser::of(server);
    let fields = [
        ("user[name]", "Grace"),
        ("user[username]", "grace"),
        ("user[email]", "grace@example.org"),
        ("user[password]", PASSWORD),
    ];
    let next = browser.get("/users/sign_up").submit(&browser, "/users", &fields).location();
    let said = browser.get(&next).html;
    assert!(
        said.contains("Check your inbox for the confirmation link") && said.contains("once an administrator approves"),
        "{said}"
    );
    assert!(!said.contains("then sign in."), "{said}");
}

#[both_databases(mail)]
fn a_user_asks_for_so_many_links_only(server: &TestServer) {
    let ada = server.user("ada");
    for number in 0..20 {
        let made = ada.post("/user/emails", json!({"email": format!("a{number}@work.example")})).assert_status(201);
        let _ = ada.delete(&format!("/user/emails/{}", made.json()["id"])).assert_status(204);
    }
    let one_more = json!({"email": "more@work.example"});
    let _ = ada.post("/user/emails", one_more.clone()).assert_status(429);
    assert_eq!(ada.get("/user/emails").json(), json!([]));
    server.advance(TimeDelta::hours(25));
    let _ = ada.post("/user/emails", one_more).assert_status(201);
}

#[both_databases(mail)]
fn the_database_does_not_have_the_token(server: &TestServer) {
    let ada = server.user("ada");
    let _ = ada.post("/user/emails", json!({"email": "ada@work.example"})).assert_status(201);
    let path = link(&only_mail(server, "ada@work.example"));
    let (_, token) = path.split_once("confirmation_token=").expect("a token");
    assert!(token.len() >= 20);
    if let Some(file) = server.database().file() {
        let folder = std::fs::read_dir(file.parent().expect("a folder")).expect("a folder");
        for entry in folder.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()) {
            let bytes = std::fs::read(&entry).expect("a file");
            assert!(!bytes.windows(token.len()).any(|part| part == token.as_bytes()), "{}", entry.display());
        }
    }
}
