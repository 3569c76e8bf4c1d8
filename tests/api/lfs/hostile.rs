//! Faults that other servers had, and requests of clients that mean harm.

use serde_json::json;
use tenon_app::Limits;
use tenon_testkit::{Backend, TestServer, both_databases};

use super::{BYTES, MISSING, OID, OTHER, OTHER_OID, ask, at, get, lfs, said, send};
use crate::support::*;

#[both_databases]
fn an_object_of_others_is_neither_told_nor_served(server: &TestServer) {
    let [alice, mallory] = server.users(["alice", "mallory"]);
    let _ = project(&alice, "secret", "private");
    let _ = project(&mallory, "own", "private");
    let _ = send(&lfs(server, &alice.token), "alice/secret", OID, BYTES).assert_status(200);
    let client = lfs(server, &mallory.token);
    // As of an object that nobody has.
    for (operation, size) in [("upload", BYTES.len()), ("download", BYTES.len()), ("upload", 7)] {
        let answer = |oid: &str| {
            let body = ask(&client, "mallory/own", operation, (oid, size)).assert_status(200).text();
            body.replace(oid, "OID")
        };
        assert_eq!(answer(OID), answer(OTHER_OID), "{operation}");
    }
    let missing = ask(&client, "mallory/own", "download", (OID, BYTES.len())).json();
    assert_eq!(missing["objects"][0]["error"]["message"], MISSING);
    let _ = get(&client, "mallory/own", OID).assert_status(404);
    // The name alone gives nothing: neither with other bytes, nor with none, nor with a part of them.
    for bytes in [&b"guessed bytes of a file"[..], b"", &BYTES[1..]] {
        let _ = send(&client, "mallory/own", OID, bytes).assert_status(422);
        let _ = get(&client, "mallory/own", OID).assert_status(404);
    }
    let own = lfs(server, &alice.token);
    assert_eq!(get(&own, "alice/secret", OID).assert_status(200).bytes(), BYTES, "the bytes are the first ones");
    // Who has all the bytes may have them in a project as well.
    let _ = send(&client, "mallory/own", OID, BYTES).assert_status(200);
    assert_eq!(get(&client, "mallory/own", OID).assert_status(200).bytes(), BYTES);
    let _ = get(&client, "alice/secret", OID).assert_status(404);
}

#[both_databases]
fn two_private_projects_with_one_object_have_their_own_readers(server: &TestServer) {
    let [alice, bob] = server.users(["alice", "bob"]);
    for user in [&alice, &bob] {
        let _ = project(user, "tool", "private");
        let _ = send(&lfs(server, &user.token), &format!("{}/tool", user.username), OID, BYTES).assert_status(200);
    }
    for (user, own, other) in [(&alice, "alice/tool", "bob/tool"), (&bob, "bob/tool", "alice/tool")] {
        let client = lfs(server, &user.token);
        assert_eq!(get(&client, own, OID).assert_status(200).bytes(), BYTES);
        let _ = get(&client, other, OID).assert_status(404);
    }
}

#[both_databases]
fn names_and_sizes_that_are_none_are_refused(server: &TestServer) {
    let alice = server.user("alice");
    let _ = project(&alice, "tool", "private");
    let client = lfs(server, &alice.token);
    let (upper, short) = (OID.to_uppercase(), &OID[1..]);
    for oid in [&*upper, short, "..%2f..%2fsecret.key", "%00", "x"] {
        let path = at("alice/tool", &format!("objects/{oid}/{}", BYTES.len()));
        let _ = client.send("PUT", &path, None, BYTES.to_vec()).assert_status(422);
        let _ = client.get(&at("alice/tool", &format!("objects/{oid}"))).assert_status(404);
        let answer = ask(&client, "alice/tool", "upload", (oid, 1)).assert_status(200).json();
        assert_eq!(answer["objects"][0]["error"]["code"], 422, "{oid}");
    }
    for size in ["-1", "9223372036854775808", "x", "1e3", "22", "24"] {
        let path = at("alice/tool", &format!("objects/{OID}/{size}"));
        let status = client.send("PUT", &path, None, BYTES.to_vec()).status();
        assert!(matches!(status, 413 | 422), "{size}: {status}");
    }
    for body in [
        json!({"operation": "upload", "objects": [{"oid": OID, "size": -1}]}),
        json!({"operation": "download", "objects": [{"oid": OID, "size": -1}]}),
    ] {
        let answer = client.post(&at("alice/tool", "objects/batch"), body).assert_status(200).json();
        assert_eq!(answer["objects"][0]["error"]["code"], 422);
    }
    for (body, status) in [
        (json!({"operation": "upload", "objects": [{"oid": OID, "size": 9_223_372_036_854_775_808_u64}]}), 422),
        (json!({"operation": "upload", "objects": [{"oid": 1, "size": 1}]}), 422),
        (json!({"operation": "remove", "objects": []}), 422),
        (json!({"objects": []}), 422),
        (json!([]), 422),
        (json!({"operation": "upload", "objects": []}), 404),
        (json!({"operation": "upload"}), 404),
        (json!({"operation": "upload", "hash_algo": "sha512", "objects": [{"oid": OID, "size": 1}]}), 409),
        (json!({"operation": "upload", "objects": vec![json!({"oid": OID, "size": 1}); 1001]}), 413),
    ] {
        let _ = client.post(&at("alice/tool", "objects/batch"), body).assert_status(status);
    }
    let many = json!({"operation": "upload", "objects": vec![json!({"oid": OID, "size": 1}); 1000]});
    let _ = client.post(&at("alice/tool", "objects/batch"), many).assert_status(200);
    let long = vec![b' '; 300 << 10];
    let _ = client.send("POST", &at("alice/tool", "objects/batch"), None, long).assert_status(413);
    // Nothing was stored.
    let _ = get(&client, "alice/tool", OID).assert_status(404);
    assert!(!server.objects().join("lfs").exists());
}

#[both_databases]
fn addresses_that_are_none_are_not_found(server: &TestServer) {
    let alice = server.user("alice");
    let _ = project(&alice, "tool", "private");
    let client = lfs(server, &alice.token);
    for path in ["", "x", "objects/a/b/c", "objects/batch/x", "locks/1", "locks/1/unlock/x"] {
        client.post(&at("alice/tool", path), json!({})).assert(404, said(server, "Not found."));
    }
    let old = "Server supports batch API only, please update your Git LFS client to version 1.0.1 and up.";
    client.post(&at("alice/tool", "objects"), json!({})).assert(501, said(server, old));
    let json = client.header("Accept", "application/vnd.git-lfs+json");
    get(&json, "alice/tool", OID).assert(501, said(server, old));
    for project in ["alice/..", "..%2falice/tool", "alice%2ftool", "alice/tool%00", "a/%ff"] {
        let _ = ask(&client, project, "download", (OID, 1)).assert_status(404);
    }
}

#[test]
fn an_object_and_all_objects_of_a_project_have_limits() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let mut limits = Limits::default();
        limits.quotas.lfs_object = 23;
        limits.quotas.lfs = 30;
        let server = &TestServer::start_with(backend, limits);
        let alice = server.user("alice");
        let _ = project(&alice, "tool", "private");
        let client = lfs(server, &alice.token);
        let _ = send(&client, "alice/tool", OID, &[0; 24]).assert_status(413);
        let answer = ask(&client, "alice/tool", "upload", (OID, 24)).json();
        assert_eq!(answer["objects"][0]["error"]["code"], 413);
        let _ = send(&client, "alice/tool", OID, BYTES).assert_status(200);
        let full = "The LFS objects of this project may take 30 bytes (quotas.lfs).";
        send(&client, "alice/tool", OTHER_OID, OTHER).assert(507, said(server, full));
        let _ = get(&client, "alice/tool", OTHER_OID).assert_status(404);
        // An object that it has takes no more room.
        let _ = send(&client, "alice/tool", OID, BYTES).assert_status(200);
    }
}
