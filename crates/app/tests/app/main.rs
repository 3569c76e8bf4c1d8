//! Consequences of a use case: jobs, notes, lists. On both databases, over a real socket.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what goes wrong here is a failed test"
)]

mod archives;
mod care;
mod commit_comments;
mod commit_messages;
mod doctor;
mod doctor_rows;
mod group_commit;
mod identity;
mod jobs;
mod milestones;
mod moved_files;
mod note_targets;
mod oauth;
mod own_address;
mod password_resets;
mod passwords;
mod pushes;
mod reviews;
mod search;
mod server_tasks;
mod shares;
mod sign_up;
mod ssh_keys;
mod strangers;
mod terms;
mod two_factor;

use serde_json::{Value, json};
use tenon_app::identity::Identity;
use tenon_domain::id::UserId;
use tenon_testkit::{Client, User};

/// The user as a program has authenticated them.
fn of(user: &User) -> Identity {
    Identity::user(UserId::new(user.id))
}

/// Waits for an answer.
fn wait<T>(answer: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(answer)
}

/// A project of the client's with a first commit on `main`; its id.
fn project(client: &Client, name: &str, visibility: &str) -> i64 {
    let body = json!({"name": name, "visibility": visibility, "initialize_with_readme": true});
    client.post("/projects", body).assert_status(201).json()["id"].as_i64().expect("an id")
}

/// Commits one new file with this message; the id of the commit.
fn commit(client: &Client, project: i64, branch: &str, start: Option<&str>, message: &str) -> String {
    static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let file = format!("file{}", NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
    let mut body = json!({"branch": branch, "commit_message": message,
        "actions": [{"action": "create", "file_path": file, "content": "x"}]});
    if let Some(start) = start {
        body["start_branch"] = json!(start);
    }
    let made = client.post(&format!("/projects/{project}/repository/commits"), body).assert_status(201).json();
    made["id"].as_str().expect("an id").to_owned()
}

/// An issue of the client's; its number.
fn issue(client: &Client, project: i64, title: &str) -> i64 {
    let made = client.post(&format!("/projects/{project}/issues"), json!({"title": title})).assert_status(201).json();
    made["iid"].as_i64().expect("a number")
}

/// The client's view of an issue.
fn shown(client: &Client, project: i64, iid: i64) -> Value {
    client.get(&format!("/projects/{project}/issues/{iid}")).assert_status(200).json()
}

/// The bodies of the notes of an issue that the client sees, oldest first.
fn notes(client: &Client, project: i64, iid: i64) -> Vec<String> {
    let path = format!("/projects/{project}/issues/{iid}/notes?sort=asc");
    client
        .get(&path)
        .assert_status(200)
        .each("body")
        .iter()
        .map(|body| body.as_str().expect("a text").to_owned())
        .collect()
}

/// Makes a user a member of a project.
fn member(client: &Client, project: i64, user: &User, level: i64) {
    let body = json!({"user_id": user.id, "access_level": level});
    client.post(&format!("/projects/{project}/members"), body).assert_status(201).json();
}
