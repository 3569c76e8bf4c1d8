//! Addresses that the server would call.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn a_hook_goes_to_a_web_address_or_nowhere(server: &TestServer) {
    let alice = server.user("alice");
    let hooks = format!("/projects/{}/hooks", project(&alice, "tool", "private"));
    for url in [
        "",
        "nonsense",
        "gopher://example.com/",
        "file:///etc/passwd",
        "ftp://example.com/",
        "javascript:alert(1)",
        "http://",
        "https://example.com/\r\nX-Evil: 1",
        "https://exa\nmple.com/",
        "https://example.com/a b",
        "//example.com/",
    ] {
        let want = json!({"message": "Invalid url given", "error": "Invalid url given"});
        alice.post(&hooks, json!({"url": url})).assert(422, want);
    }
    for token in ["a\nb", "a\rb", "a\r\nX-Evil: 1", "a\0b"] {
        let _ = alice.post(&hooks, json!({"url": "https://example.com/", "token": token})).assert_status(400);
    }
    assert_eq!(alice.get(&hooks).header("x-total"), "0");
}

/// An edit is no way around.
#[both_databases]
fn an_edited_hook_keeps_to_the_same_rules(server: &TestServer) {
    let alice = server.user("alice");
    let hooks = format!("/projects/{}/hooks", project(&alice, "tool", "private"));
    let hook = format!("{hooks}/{}", id(&made(&alice, &hooks, json!({"url": "https://example.com/"}))));
    for url in ["gopher://example.com/", "http://127.0.0.1/", "https://example.com/\r\n"] {
        let _ = alice.put(&hook, json!({"url": url})).assert_status(422);
    }
    let _ = alice.put(&hook, json!({"url": "https://example.com/", "token": "a\nb"})).assert_status(400);
    assert_eq!(alice.get(&hook).json()["url"], "https://example.com/");
}

/// Credentials in the address.
#[both_databases]
fn a_hook_address_holds_no_credentials(server: &TestServer) {
    let alice = server.user("alice");
    let hooks = format!("/projects/{}/hooks", project(&alice, "tool", "private"));
    for url in ["https://user:secret@example.com/", "https://user@example.com/"] {
        let reply = alice.post(&hooks, json!({"url": url}));
        assert!(matches!(reply.status(), 400 | 422), "{url}: {} {}", reply.status(), reply.text());
    }
}

/// Addresses of the own network, at the moment when they are saved.
#[both_databases]
fn a_hook_does_not_go_to_the_servers_own_network(server: &TestServer) {
    let alice = server.user("alice");
    let hooks = format!("/projects/{}/hooks", project(&alice, "tool", "private"));
    for host in [
        "127.0.0.1",
        "127.9.9.9",
        "[::1]",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "[fc00::1]",
        "[fd12::1]",
        "[fe80::1]",
        "[::ffff:127.0.0.1]",
        "100.64.0.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "localhost",
        "localhost.",
        "LOCALHOST",
        "a.localhost",
        "[::]",
        "[::ffff:10.0.0.1]",
        "[64:ff9b::7f00:1]",
        "224.0.0.1",
        "255.255.255.255",
    ] {
        let reply = alice.post(&hooks, json!({"url": format!("http://{host}/x")}));
        assert_eq!(reply.status(), 422, "{host}: {}", reply.text());
    }
    for host in ["example.com", "8.8.8.8", "172.32.0.1", "[2606:4700::1111]", "100.128.0.1"] {
        let _ = alice.post(&hooks, json!({"url": format!("http://{host}:8080/x")})).assert_status(201);
    }
}
