//! Links that end the mail about something.

use serde_json::json;
use tenon_testkit::{Mail, TestServer, both_databases};

use super::{mails, only_mail};
use crate::support::*;

/// The path of the link, as a client of the server names it.
fn path_of(mail: &Mail, base: &str) -> String {
    let link = mail.header("List-Unsubscribe").trim_matches(['<', '>']).to_owned();
    format!("/{}", link.strip_prefix(base).expect("a link to this server"))
}

#[both_databases(mail)]
fn one_click_ends_the_mail_about_it(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    made(&alice, &format!("{path}/issues"), json!({"title": "It breaks", "description": "@bob"}));
    let link = path_of(&only_mail(server, "bob"), server.base());
    let anonymous = server.anonymous();
    // Programs open links: reading ends nothing.
    let page = anonymous.get(&link).assert_status(200).text();
    assert!(page.contains("<form method=\"post\""), "{page}");
    made(&alice, &format!("{path}/issues/1/notes"), json!({"body": "one"}));
    assert_eq!(mails(server, "bob").len(), 1);
    let kind = Some("application/x-www-form-urlencoded");
    let forged = anonymous.send("POST", &link, kind, b"x=y".to_vec());
    assert_eq!(forged.status(), 422, "{}", forged.text());
    let done = anonymous.send("POST", &link, kind, b"List-Unsubscribe=One-Click".to_vec());
    assert_eq!(done.status(), 200, "{}", done.text());
    assert_eq!(bob.get(&format!("{path}/issues/1")).json()["subscribed"], false);
    made(&alice, &format!("{path}/issues/1/notes"), json!({"body": "two"}));
    assert!(mails(server, "bob").is_empty());
}

#[both_databases(mail)]
fn another_key_is_none(server: &TestServer) {
    let alice = server.user("alice");
    project(&alice, "Tool", "public");
    let kind = Some("application/x-www-form-urlencoded");
    for key in ["x", "unsubscribe-1-1", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
        let link = format!("//-/sent_notifications/{key}/unsubscribe");
        let _ = server.anonymous().get(&link).assert_status(404);
        let sent = server.anonymous().send("POST", &link, kind, b"List-Unsubscribe=One-Click".to_vec());
        assert_eq!(sent.status(), 404);
    }
}
