//! The callers who may read and change settings, and the values that are shown for secrets.

use serde_json::json;
use tenon_testkit::{Backend, TestServer, both_databases};

use crate::support::*;

const PATH: &str = "/application/settings";

#[both_databases]
fn only_administrators_read_and_change_settings(server: &TestServer) {
    let alice = server.user("alice");
    server.anonymous().get(PATH).assert(401, unauthorized());
    server.anonymous().put(PATH, json!({"signup_enabled": false})).assert(401, unauthorized());
    alice.get(PATH).assert(403, forbidden());
    // Only callers who may call learn what is wrong with their request.
    alice.put(PATH, json!({"signup_enabled": "perhaps"})).assert(403, forbidden());
    alice.put(PATH, json!({"signup_enabled": false})).assert(403, forbidden());
    assert_eq!(server.root().get(PATH).assert_status(200).json()["signup_enabled"], true);
}

#[both_databases]
fn the_object_has_an_id_and_times(server: &TestServer) {
    let root = server.root();
    let fresh = root.get(PATH).assert_status(200).json();
    assert_eq!(fresh["id"], 1);
    assert_eq!(fresh["created_at"], fresh["updated_at"]);
    let same = changed(&root, PATH, json!({"max_pages_size": 100}));
    assert_eq!(same["updated_at"], fresh["updated_at"], "nothing has changed");
    let other = changed(&root, PATH, json!({"max_pages_size": 101}));
    assert_eq!(other["created_at"], fresh["created_at"]);
    assert!(other["updated_at"].as_str() > fresh["updated_at"].as_str(), "{other}");
    let back = changed(&root, PATH, json!({"max_pages_size": 100}));
    assert!(back["updated_at"].as_str() > other["updated_at"].as_str(), "{back}");
}

#[both_databases]
fn an_event_names_what_was_changed_and_no_value(server: &TestServer) {
    let root = server.root();
    let _ =
        changed(&root, PATH, json!({"spamfilter_api_key": "planted", "max_pages_size": 5, "max_artifacts_size": 100}));
    server.database().execute(
        "UPDATE users SET name = 'seen' WHERE EXISTS (SELECT 1 FROM events \
         WHERE kind = 'settings_changed' AND detail = 'spamfilter_api_key max_pages_size' AND actor_id = users.id)",
    );
    assert_eq!(root.get("/user").json()["name"], "seen");
}

#[test]
fn secrets_are_sealed_where_they_are_stored() {
    let server = TestServer::start(Backend::Sqlite);
    let root = server.root();
    let secrets = ["captcha_private_key", "spamfilter_api_key", "errortracker_dsn", "clientside_errortracker_dsn"];
    for secret in secrets {
        let shown = changed(&root, PATH, json!({ secret: format!("planted-{secret}") }));
        assert_eq!(shown[secret], format!("planted-{secret}"));
    }
    for hidden in ["asset_proxy_secret_key", "static_objects_external_storage_auth_token"] {
        let answer = root.put(PATH, json!({ hidden: format!("planted-{hidden}") })).assert_status(200).text();
        assert!(!answer.contains("planted-asset") && !answer.contains("planted-static"), "{answer}");
    }
    let folder = server.database().file().and_then(std::path::Path::parent).expect("a folder");
    let mut is_stored = false;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
        let holds = |needle: &[u8]| bytes.windows(needle.len()).any(|part| part == needle);
        assert!(!holds(b"planted-"));
        is_stored |= holds(b"spamfilter_api_key");
    }
    assert!(is_stored, "the search finds what is there");
    assert_eq!(changed(&root, PATH, json!({"errortracker_dsn": ""}))["errortracker_dsn"], json!(null));
}
