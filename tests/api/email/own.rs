//! The caller's own addresses.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::{new, taken};
use crate::support::*;

#[both_databases]
fn an_address_is_added_unconfirmed(server: &TestServer) {
    let alice = server.user("alice");
    let made = made(&alice, "/user/emails", new(" Alice@Work.example "));
    assert_eq!(made, json!({"id": id(&made), "email": "alice@work.example", "confirmed_at": null}));
    assert_eq!(alice.get(&format!("/user/emails/{}", id(&made))).assert_status(200).json(), made);
    // The primary address is not listed.
    assert_eq!(alice.get("/user/emails").assert_status(200).json(), json!([made]));
    assert_eq!(alice.get("/user/emails?per_page=1&page=2").header("x-total"), "1");
    let body = json!({"email": "alice@home.example", "skip_confirmation": true});
    assert_eq!(self::made(&alice, "/user/emails", body)["confirmed_at"], json!(null));
}

#[both_databases]
fn every_rule_has_its_text(server: &TestServer) {
    let alice = server.user("alice");
    let refused = |body, want| alice.post("/user/emails", body).assert(400, want);
    refused(json!({}), parameter("email is missing"));
    refused(new(""), field("email", "can't be blank"));
    let long = format!("{}@b.c", "a".repeat(300));
    for address in ["x", "a b@example.org", "@example.org", "a@", "a@b@c", "a@example.org\nb", &long] {
        refused(new(address), field("email", "is invalid"));
    }
    assert_eq!(alice.get("/user/emails").json(), json!([]));
}

#[both_databases]
fn an_address_belongs_to_one_account(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let secondary = id(&made(&alice, "/user/emails", new("alice@work.example")));
    for client in [&*alice, &*bob, &server.root()] {
        for address in ["alice@example.org", "ALICE@example.org", "alice@work.example"] {
            client.post("/user/emails", new(address)).assert(400, taken());
        }
    }
    let _ = alice.delete(&format!("/user/emails/{secondary}")).assert_status(204);
    made(&bob, "/user/emails", new("alice@work.example"));
}

#[both_databases]
fn addresses_of_others_are_missing(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let path = format!("/user/emails/{}", id(&made(&alice, "/user/emails", new("a@work.example"))));
    for client in [&*bob, &server.root()] {
        client.get(&path).assert(404, missing("Email"));
        client.delete(&path).assert(404, missing("Email"));
    }
    alice.get("/user/emails/ASDF").assert(400, parameter("email_id is invalid"));
    for path in [path.as_str(), "/user/emails", "/user/emails/ASDF"] {
        server.anonymous().get(path).assert(401, unauthorized());
    }
}

#[both_databases]
fn deleting_is_conditional(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/user/emails/{}", id(&made(&alice, "/user/emails", new("a@work.example"))));
    let early = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    early.delete(&path).assert(412, json!({"message": "412 Precondition Failed"}));
    let _ = alice.delete(&path).assert_status(204);
    alice.delete(&path).assert(404, missing("Email"));
}

#[both_databases]
fn a_token_that_reads_users_adds_no_address(server: &TestServer) {
    let alice = server.user("alice");
    let reader = server.client(&server.token(alice.id, &["read_user"]));
    let _ = reader.get("/user/emails").assert_status(200);
    let refused = reader.post("/user/emails", new("a@work.example")).assert_status(403).json();
    assert_eq!(refused["error"], "insufficient_scope");
}

#[both_databases]
fn an_account_has_a_bounded_number_of_addresses(server: &TestServer) {
    let alice = server.user("alice");
    for number in 0..50 {
        made(&alice, "/user/emails", new(&format!("a{number}@work.example")));
    }
    let refused = field("base", "An account has at most 50 secondary e-mail addresses");
    alice.post("/user/emails", new("more@work.example")).assert(400, refused);
}

#[both_databases]
fn the_addresses_of_a_removed_user_are_free_again(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    made(&alice, "/user/emails", new("alice@work.example"));
    let _ = server.root().delete(&format!("/users/{}", alice.id)).assert_status(204);
    server.run_jobs();
    made(&bob, "/user/emails", new("alice@work.example"));
}
