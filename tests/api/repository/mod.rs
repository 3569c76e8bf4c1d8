//! Repositories over the API.

mod bounds;
mod branches;
mod comments;
mod commit_parts;
mod commits;
mod files;
mod odd_names;
mod pipelines;
mod protection;
mod protection_entries;
mod replay;
mod revisions;
mod signatures;
mod tags;
mod tree;
mod write_commit;

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, Reply, TestServer};

use crate::merge_request::{
    branch, cast, commit, merge, message, offer, repository, simple, some, text, tip, with, work, write,
};
use crate::support::*;

/// The address of the repository of a project, such as `/projects/7/repository`.
fn at(project: i64) -> String {
    format!("/projects/{project}/repository")
}

/// Makes a project read-only.
#[track_caller]
fn archive(client: &Client, project: i64) {
    let _ = client.post(&format!("/projects/{project}/archive"), json!({})).assert_status(200);
}

/// Commits as [`commit`] does, and yields the answer.
fn try_commit(client: &Client, project: i64, branch: &str, actions: &Value) -> Reply {
    let body = json!({"branch": branch, "commit_message": "Change", "actions": actions});
    client.post(&format!("{}/commits", at(project)), body)
}

/// A new file, as part of a commit.
fn new_file(path: &str, content: &str) -> Value {
    json!({"action": "create", "file_path": path, "content": content})
}

/// Lets an hour pass, so that later commits of Git have another date.
fn later(server: &TestServer) {
    server.advance(TimeDelta::hours(1));
}

/// The data that Git lists of a commit, by its name.
#[track_caller]
fn listed(client: &Client, project: i64, sha: &str) -> Value {
    client.get(&format!("{}/commits?ref_name={sha}&per_page=1", at(project))).assert_status(200).json()[0].clone()
}

/// The content of a file; `None` if there is none.
fn content(client: &Client, project: i64, branch: &str, file: &str) -> Option<String> {
    let reply = client.get(&format!("{}/files/{file}/raw?ref={branch}", at(project)));
    (reply.status() == 200).then(|| reply.text())
}

/// The names in a list, and the total in its headers.
#[track_caller]
fn found(client: &Client, path: &str, field: &str) -> (Vec<String>, String) {
    let reply = client.get(path).assert_status(200);
    (texts(&reply, field), reply.header("x-total"))
}

/// The refusal of a commit that a rule forbids.
fn protected() -> Value {
    message("403 Forbidden - You are not allowed to push into this branch")
}

/// The fields of a user that are shown everywhere.
fn basic(user: &Value) -> Value {
    BASIC_USER.iter().map(|field| ((*field).to_owned(), user[field].clone())).collect::<serde_json::Map<_, _>>().into()
}
