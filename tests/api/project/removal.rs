//! While a backup runs, no bytes are removed that its rows may name.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Multipart, TestServer, both_databases};

use crate::support::*;

#[both_databases]
fn nothing_is_removed_while_a_backup_runs(server: &TestServer) {
    let alice = server.user("alice");
    let (gone, stays) = (project(&alice, "gone", "private"), project(&alice, "stays", "private"));
    let file = Multipart::default().file("file", "a.txt", b"text");
    alice.multipart("POST", &format!("/projects/{gone}/uploads"), &file).assert_status(201).text();
    let picture = Multipart::default().file("avatar", "a.png", PIXEL);
    alice.multipart("PUT", &format!("/projects/{stays}"), &picture).assert_status(200).text();
    let change = json!({"branch": "main", "content": "x", "commit_message": "x"});
    alice.post(&format!("/projects/{gone}/repository/files/x"), change).assert_status(201).text();
    let count =
        |folder: &str| std::fs::read_dir(server.objects().join(folder)).map(Iterator::count).unwrap_or_default();
    let files = || (count(&format!("uploads/{gone}")), count("avatars"));
    let repository = server.data().join(format!("repositories/{:03}/{gone}.git", gone % 1000));
    assert_eq!((files(), repository.exists()), ((1, 1), true));
    server.database().execute(
        "INSERT INTO backup_pins (id, started_at, lease_until) VALUES ('b', '2000-01-01 00:00:00', '9999-01-01 00:00:00')",
    );
    alice.delete(&format!("/projects/{gone}")).assert_status(202).text();
    let no_picture = Multipart::default().text("avatar", "");
    alice.multipart("PUT", &format!("/projects/{stays}"), &no_picture).assert_status(200).text();
    server.run_jobs();
    // They are hidden at once, and their bytes stay.
    alice.get(&format!("/projects/{gone}")).assert_status(404).text();
    assert_eq!((files(), repository.exists()), ((1, 1), true));
    // A pin that nobody renews ends by itself.
    server.database().execute("UPDATE backup_pins SET lease_until = '2000-01-01 00:00:00'");
    server.advance(TimeDelta::minutes(10));
    server.run_jobs();
    assert_eq!((files(), repository.exists()), ((0, 0), false));
}
