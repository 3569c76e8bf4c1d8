//! The snippets of the tests that count statements.

use serde_json::json;
use tenon_testkit::{Client, TestServer};

use crate::statements::{EMOJI, ROWS, made};

/// Snippets of people and of the user who asks, alone and in the project. The third has comments and reactions.
pub(crate) fn fill(server: &TestServer, root: &Client, user: i64, project: i64) {
    let own = server.client(&server.token(user, &["api"]));
    for number in 0..ROWS {
        let files = json!([{"file_path": "piece", "content": "piece"}, {"file_path": "b", "content": "c"}]);
        let one = json!({"title": "piece", "visibility": "public", "files": files});
        made(&root.header("Sudo", &format!("x{number}")), "/snippets", one.clone());
        made(&own, "/snippets", one.clone());
        made(root, &format!("/projects/{project}/snippets"), one);
    }
    let talk = format!("/projects/{project}/snippets/3");
    for (number, emoji) in EMOJI.iter().enumerate() {
        let person = root.header("Sudo", &format!("x{number}"));
        let _ = person.post(&format!("{talk}/discussions"), json!({"body": "b"})).assert_status(201);
        for path in [format!("{talk}/award_emoji"), format!("{talk}/notes/1/award_emoji")] {
            made(&person, &path, json!({"name": emoji}));
        }
    }
}
