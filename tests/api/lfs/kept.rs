//! How long bytes are kept: as long as a project has them, and two weeks more.

use serde_json::json;
use tenon_app::doctor;
use tenon_app::repository::{Depth, Mending};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use super::{BYTES, OID, OTHER, OTHER_OID, get, lfs, send};
use crate::support::*;

fn is_stored(server: &TestServer, oid: &str) -> bool {
    server.objects().join(format!("lfs/{}/{}/{oid}", &oid[..2], &oid[2..4])).exists()
}

fn collect(server: &TestServer) {
    server.enqueue("collect_lfs_objects", &json!({"kind": "collect_lfs_objects"}));
    server.run_jobs();
}

/// The findings of the doctor about files.
fn findings(server: &TestServer) -> Vec<String> {
    let found = doctor(server.app(), Mending::LookOnly, Depth::Contents).expect("a working server");
    found.into_iter().filter(|one| one.subject == "files").map(|one| one.text).collect()
}

#[both_databases]
fn bytes_go_two_weeks_after_the_last_project_that_had_them(server: &TestServer) {
    let [alice, bob] = server.users(["alice", "bob"]);
    let ids = [&alice, &bob].map(|user| {
        let id = project(user, "tool", "private");
        let _ = send(&lfs(server, &user.token), &format!("{}/tool", user.username), OID, BYTES).assert_status(200);
        id
    });
    let _ = send(&lfs(server, &alice.token), "alice/tool", OTHER_OID, OTHER).assert_status(200);
    let _ = alice.delete(&format!("/projects/{}", ids[0])).assert_status(202);
    server.run_jobs();
    server.advance(TimeDelta::days(13));
    collect(server);
    assert!(is_stored(server, OTHER_OID), "for two weeks");
    server.advance(TimeDelta::days(2));
    collect(server);
    assert!(!is_stored(server, OTHER_OID) && is_stored(server, OID), "another project has it");
    assert_eq!(get(&lfs(server, &bob.token), "bob/tool", OID).assert_status(200).bytes(), BYTES);
    let _ = bob.delete(&format!("/projects/{}", ids[1])).assert_status(202);
    server.run_jobs();
    // One that a project gets again stays.
    server.advance(TimeDelta::days(10));
    let _ = project(&alice, "again", "private");
    let _ = send(&lfs(server, &alice.token), "alice/again", OID, BYTES).assert_status(200);
    server.advance(TimeDelta::days(10));
    collect(server);
    assert_eq!(get(&lfs(server, &alice.token), "alice/again", OID).assert_status(200).bytes(), BYTES);
    assert_eq!(findings(server), ["files that rows name: 1, all are there"]);
}

#[both_databases]
fn the_doctor_names_rows_without_bytes_and_bytes_without_rows(server: &TestServer) {
    let alice = server.user("alice");
    let _ = project(&alice, "tool", "private");
    let client = lfs(server, &alice.token);
    let _ = send(&client, "alice/tool", OID, BYTES).assert_status(200);
    let path = server.objects().join(format!("lfs/{}/{}/{OID}", &OID[..2], &OID[2..4]));
    std::fs::rename(&path, path.with_extension("away")).expect("a file");
    server.advance(TimeDelta::days(4000));
    let found = findings(server);
    assert!(found.iter().any(|text| text.contains(OID) && text.contains("a row names it")), "{found:?}");
    assert!(found.iter().any(|text| text.starts_with("files that no row names: 1, 23 bytes")), "{found:?}");
    // It is answered as an object that the project does not have, and can be sent again.
    let _ = get(&lfs(server, &server.token(alice.id, &["api"])), "alice/tool", OID).assert_status(404);
}
