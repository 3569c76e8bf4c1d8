//! How users want pages to be shown.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

const PATH: &str = "/user/preferences";

#[both_databases]
fn what_is_not_sent_stays(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let of = |id: i64, by_file: bool, whitespace: bool| {
        json!({
            "id": id, "user_id": id, "view_diffs_file_by_file": by_file, "show_whitespace_in_diffs": whitespace,
            "pass_user_identities_to_ci_jwt": false,
        })
    };
    alice.get(PATH).assert(200, of(alice.id, false, true));
    alice.put(PATH, json!({"view_diffs_file_by_file": true})).assert(200, of(alice.id, true, true));
    alice.put(PATH, json!({"show_whitespace_in_diffs": false})).assert(200, of(alice.id, true, false));
    alice.get(PATH).assert(200, of(alice.id, true, false));
    bob.get(PATH).assert(200, of(bob.id, false, true));
}

#[both_databases]
fn something_must_be_sent(server: &TestServer) {
    let alice = server.user("alice");
    let names = "view_diffs_file_by_file, show_whitespace_in_diffs, pass_user_identities_to_ci_jwt";
    let text = format!("{names} are missing, at least one parameter must be provided");
    alice.put(PATH, json!({})).assert(400, json!({"message": text, "error": text}));
    server.anonymous().get(PATH).assert(401, unauthorized());
    server.anonymous().put(PATH, json!({"view_diffs_file_by_file": true})).assert(401, unauthorized());
}
