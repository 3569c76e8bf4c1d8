//! Secrets that lie in the database, and addresses that a client claims.

use std::path::Path;

use serde_json::json;
use tenon_testkit::{Backend, Multipart, TestServer, both_databases};

use crate::support::*;

/// All files below a folder, and the database with its log.
fn everything_stored(server: &TestServer) -> Vec<(String, Vec<u8>)> {
    fn below(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                below(&path, found);
            } else {
                found.push((path.display().to_string(), std::fs::read(&path).expect("a file")));
            }
        }
    }
    let mut found = Vec::new();
    below(server.database().file().and_then(Path::parent).expect("a folder"), &mut found);
    below(&server.objects(), &mut found);
    found
}

/// Tokens, passwords, hook tokens, runner tokens, values of variables, deploy tokens and access tokens are nowhere as they are.
#[test]
fn no_secret_lies_in_a_file() {
    let server = TestServer::start(Backend::Sqlite);
    let root = server.root();
    let alice = server.user_with("alice", &json!({"password": "planted-password-1"}));
    let _ = root.put(&format!("/users/{}", alice.id), json!({"password": "planted-password-2"})).assert_status(200);
    let project = made(&alice, "/projects", json!({"name": "tool"}));
    let hook = json!({"url": "https://hooks.example.com/", "token": "planted-hook-token"});
    let hook_id = id(&made(&alice, &format!("/projects/{}/hooks", id(&project)), hook));
    let change = json!({"url": "https://hooks.example.com/", "token": "planted-hook-second"});
    let _ = alice.put(&format!("/projects/{}/hooks/{hook_id}", id(&project)), change).assert_status(200);
    let named = |value: &str| json!({"value": value});
    let hook = format!("/projects/{}/hooks/{hook_id}", id(&project));
    let _ = alice.put(&format!("{hook}/custom_headers/X-A"), named("planted-hook-header")).assert_status(204);
    let _ = alice.put(&format!("{hook}/url_variables/a"), named("planted-hook-variable")).assert_status(204);
    let group = made(&alice, "/groups", json!({"name": "house", "path": "house"}));
    for (client, owner, value) in [
        (&*alice, format!("/projects/{}", id(&project)), "planted-variable-1"),
        (&*alice, format!("/groups/{}", id(&group)), "planted-variable-2"),
        (&root, "/admin/ci".to_owned(), "planted-variable-3"),
    ] {
        made(client, &format!("{owner}/variables"), json!({"key": "A", "value": value}));
    }
    let variables = format!("/projects/{}/variables", id(&project));
    made(&alice, &variables, json!({"key": "B", "value": "planted-variable-4", "masked_and_hidden": true}));
    let _ = alice.put(&format!("{variables}/A"), named("planted-variable-5")).assert_status(200);
    let deploy = json!({"name": "d", "scopes": ["read_repository"]});
    let deploy = made(&alice, &format!("/projects/{}/deploy_tokens", id(&project)), deploy);
    let access = json!({"name": "d", "scopes": ["api"]});
    let access = made(&alice, &format!("/projects/{}/access_tokens", id(&project)), access);
    let impersonation =
        made(&root, &format!("/users/{}/impersonation_tokens", alice.id), json!({"name": "t", "scopes": ["api"]}));
    let _ = alice.multipart(
        "POST",
        &format!("/projects/{}/uploads", id(&project)),
        &Multipart::default().file("file", "a.txt", b"plain text"),
    );
    let rotated = alice.post("/personal_access_tokens/self/rotate", json!({})).assert_status(200).json();
    let text = |value: &serde_json::Value| value.as_str().expect("a secret").to_owned();
    let secrets = [
        "planted-password-1".to_owned(),
        "planted-password-2".to_owned(),
        "planted-hook-token".to_owned(),
        "planted-hook-second".to_owned(),
        "planted-hook-header".to_owned(),
        "planted-hook-variable".to_owned(),
        "planted-variable-1".to_owned(),
        "planted-variable-2".to_owned(),
        "planted-variable-3".to_owned(),
        "planted-variable-4".to_owned(),
        "planted-variable-5".to_owned(),
        text(&deploy["token"]),
        text(&access["token"]),
        alice.token.clone(),
        text(&rotated["token"]),
        text(&impersonation["token"]),
        text(&project["runners_token"]),
    ];
    let stored = everything_stored(&server);
    let holds = |needle: &str| {
        stored.iter().find(|(_, bytes)| bytes.windows(needle.len()).any(|part| part == needle.as_bytes()))
    };
    assert!(holds("alice@example.org").is_some(), "the search finds what is there");
    assert!(holds("plain text").is_some(), "the search finds what is there");
    for secret in secrets {
        assert_eq!(holds(&secret).map(|(path, _)| path), None, "{secret}");
    }
}

#[both_databases]
fn a_hook_never_shows_its_token(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "tool", "private");
    let body = json!({"url": "https://hooks.example.com/", "token": "planted-hook-token"});
    let reply = alice.post(&format!("/projects/{project}/hooks"), body).assert_status(201);
    let list = alice.get(&format!("/projects/{project}/hooks"));
    let one = alice.get(&format!("/projects/{project}/hooks/{}", id(&reply.json())));
    for reply in [reply, list, one] {
        assert!(!reply.text().contains("planted"), "{}", reply.text());
    }
}

#[both_databases]
fn links_are_built_from_the_servers_own_address(server: &TestServer) {
    let headers = b"Host: evil.example\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: 10.0.0.1\r\nForwarded: host=evil.example\r\n";
    let mut request = b"GET /api/v4/users?username=root HTTP/1.1\r\nConnection: close\r\n".to_vec();
    request.extend(headers);
    request.extend(b"\r\n");
    let answer = raw(server, &request);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(!answer.contains("evil.example"), "{answer}");
    assert!(answer.contains(&format!("{}/root", server.base())), "{answer}");
}

/// Secrets in the query do not come back in links.
#[both_databases]
fn links_do_not_repeat_tokens(server: &TestServer) {
    let alice = server.user("alice");
    for name in ["private_token", "access_token", "bearer_token"] {
        let reply = server.anonymous().get(&format!("/projects?{name}={}", alice.token)).assert_status(200);
        assert!(!reply.header("link").contains(&alice.token), "{}", reply.header("link"));
    }
}
