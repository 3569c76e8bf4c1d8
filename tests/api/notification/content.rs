//! The content of mail.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Multipart, TestServer, both_databases};

use super::{mails, only_mail};
use crate::support::*;

#[both_databases(mail)]
fn further_mails_answer_the_first_one(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let project = project(&alice, "Tool", "public");
    let path = format!("/projects/{project}");
    let issue =
        made(&alice, &format!("{path}/issues"), json!({"title": "It breaks", "description": "For @bob: **now**"}));
    let first = only_mail(server, "bob");
    let host = "@127.0.0.1>";
    assert_eq!(first.subject(), "Tool | It breaks (#1)");
    let thread = format!("<issue_{}{host}", id(&issue));
    assert_eq!(first.header("Message-ID"), thread);
    assert_eq!(first.header("In-Reply-To"), "");
    for (name, value) in [
        ("From", "alice <tenon@example.org>".to_owned()),
        ("To", "bob@example.org".to_owned()),
        ("X-GitLab-Project", "Tool".to_owned()),
        ("X-GitLab-Project-Id", project.to_string()),
        ("X-GitLab-Project-Path", "alice/tool".to_owned()),
        ("X-GitLab-Issue-ID", id(&issue).to_string()),
        ("X-GitLab-Issue-IID", "1".to_owned()),
        ("X-GitLab-NotificationReason", "mentioned".to_owned()),
        ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()),
        ("Auto-Submitted", "auto-generated".to_owned()),
    ] {
        assert_eq!(first.header(name), value, "{name}");
    }
    assert!(first.text.starts_with("For @bob: **now**"), "{}", first.text);
    assert!(first.text.contains("/alice/tool/-/issues/1"), "{}", first.text);
    let html = first.html.expect("HTML");
    assert!(html.contains("<strong>now</strong>") && html.contains("View online"), "{html}");
    let note = id(&made(&alice, &format!("{path}/issues/1/notes"), json!({"body": "Soon <script>x</script>"})));
    let second = only_mail(server, "bob");
    assert_eq!(second.subject(), "Re: Tool | It breaks (#1)");
    assert_eq!(second.header("Message-ID"), format!("<note_{note}{host}"));
    assert_eq!((second.header("In-Reply-To"), second.header("References")), (thread.as_str(), thread.as_str()));
    assert_eq!(second.header("X-GitLab-Discussion-ID").len(), 40);
    assert!(second.text.contains(&format!("#note_{note}")), "{}", second.text);
    assert!(!second.html.expect("HTML").contains("<script"));
    changed(&alice, &format!("{path}/issues/1"), json!({"state_event": "close"}));
    let third = only_mail(server, "bob");
    assert!(third.text.starts_with("The issue was closed by alice (@alice)."), "{}", third.text);
    assert_eq!(third.header("In-Reply-To"), thread);
    let _ = bob;
}

#[both_databases(mail)]
fn uploads_are_named_with_the_address_of_the_server(server: &TestServer) {
    let (alice, _bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/projects/{}", project(&alice, "tool", "public"));
    let form = Multipart::default().file("file", "a.png", b"bytes");
    let made_url = alice.multipart("POST", &format!("{path}/uploads"), &form).assert_status(201).json();
    let url = made_url["url"].as_str().expect("an address");
    let description = format!("@bob ![one]({url}) <img src=\"{url}\">");
    made(&alice, &format!("{path}/issues"), json!({"title": "It breaks", "description": description}));
    let mail = only_mail(server, "bob");
    let there = format!("{}/alice/tool{url}", server.base());
    let html = mail.html.expect("HTML");
    assert_eq!(html.matches(&format!("src=\"{there}\"")).count(), 2, "{html}");
    assert!(mail.text.contains(&format!("![one]({there})")), "{}", mail.text);
    let path = format!("/{}", there.strip_prefix(server.base()).expect("an address of this server"));
    assert_eq!(server.anonymous().get(&path).assert_status(200).bytes(), b"bytes");
}

#[both_databases(mail)]
fn settings_say_whether_html_is_sent_and_who_wrote(server: &TestServer) {
    let (alice, _bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    server.set("html_emails_enabled", &json!(false));
    server.set("email_author_in_body", &json!(true));
    made(&alice, &format!("{path}/issues"), json!({"title": "It breaks", "description": "@bob"}));
    let mail = only_mail(server, "bob");
    assert!(mail.html.is_none());
    assert!(mail.text.starts_with("alice (@alice) wrote:\n\n@bob"), "{}", mail.text);
}

#[both_databases(mail)]
fn names_and_titles_make_no_other_header(server: &TestServer) {
    let (alice, _bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    let title = "a\r\nBcc: eve@example.org\r\n\r\nbody";
    made(&alice, &format!("{path}/issues"), json!({"title": title, "description": "@bob"}));
    let mail = only_mail(server, "bob");
    assert_eq!(mail.header("Bcc"), "");
    assert!(mail.subject().contains("Bcc: eve@example.org") && mail.text.starts_with("@bob"), "{mail:?}");
}

#[both_databases(mail)]
fn a_long_text_is_cut(server: &TestServer) {
    let (alice, _bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    let long = format!("@bob {}", "word ".repeat(10_000));
    made(&alice, &format!("{path}/issues"), json!({"title": "It breaks", "description": long}));
    let mail = only_mail(server, "bob");
    assert!(mail.text.chars().count() < 21_000 && mail.text.contains("The rest of this message is available online."));
}

#[both_databases(mail)]
fn a_mail_that_fails_is_tried_again_and_stays_the_same(server: &TestServer) {
    let (alice, _bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    let folder = server.data().join("mails");
    std::fs::remove_dir_all(&folder).expect("a folder");
    made(&alice, &format!("{path}/issues"), json!({"title": "It breaks", "description": "@bob"}));
    assert!(mails(server, "bob").is_empty());
    std::fs::create_dir(&folder).expect("a folder");
    server.advance(TimeDelta::hours(1));
    let mail = only_mail(server, "bob");
    assert!(mail.header("Message-ID").starts_with("<issue_"));
    assert!(mail.header("Date").starts_with("Mon, 02 Mar 2026 12:00:0"), "the mail was written then");
    server.advance(TimeDelta::hours(1));
    assert!(mails(server, "bob").is_empty());
}

#[both_databases(mail)]
fn what_is_relayed_twice_is_one_mail(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    changed(&bob, &format!("{path}/notification_settings"), json!({"level": "watch"}));
    made(&alice, &format!("{path}/issues"), json!({"title": "It breaks", "description": "@bob @bob"}));
    assert_eq!(mails(server, "bob").len(), 1);
}
