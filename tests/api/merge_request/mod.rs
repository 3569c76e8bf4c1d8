//! Merge requests.

mod accept;
mod accept_how;
mod accept_then;
mod approval;
mod auto_merge;
mod closing;
mod code_owners;
mod create;
mod diff;
mod edit;
mod filters;
mod fork;
mod list;
mod note;
mod outdated;
mod presets;
mod push;
mod rebase;
mod remove;
mod suggestion;
mod together;

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer};

pub(crate) use note::start_with;

use crate::support::*;

/// A project of the client's with one commit on `main`.
#[track_caller]
pub(crate) fn repository(client: &Client, name: &str, visibility: &str) -> i64 {
    let body = json!({"name": name, "visibility": visibility, "initialize_with_readme": true});
    id(&made(client, "/projects", body))
}

/// Users of all roles, with one commit on `main`, which only maintainers may change.
#[track_caller]
pub(crate) fn cast(server: &TestServer, visibility: &str) -> Cast {
    let cast = Cast::of(server, visibility);
    write(&cast.owner, cast.project, "main", "README.md", "tool");
    cast
}

/// Commits, and yields the name of the commit.
#[track_caller]
pub(crate) fn commit(client: &Client, project: i64, branch: &str, message: &str, actions: &Value) -> String {
    let body = json!({"branch": branch, "commit_message": message, "actions": actions});
    text(&made(client, &format!("/projects/{project}/repository/commits"), body)["id"])
}

/// Commits a new file, and yields the name of the commit.
#[track_caller]
pub(crate) fn write(client: &Client, project: i64, branch: &str, file: &str, content: &str) -> String {
    let actions = json!([{"action": "create", "file_path": file, "content": content}]);
    commit(client, project, branch, &format!("Write {file}"), &actions)
}

/// Makes a branch at another one.
#[track_caller]
pub(crate) fn branch(client: &Client, project: i64, name: &str, from: &str) {
    made(client, &format!("/projects/{project}/repository/branches"), json!({"branch": name, "ref": from}));
}

/// Makes a branch off `main` with a file of the same name, and yields the name of its commit.
#[track_caller]
pub(crate) fn work(client: &Client, project: i64, name: &str) -> String {
    branch(client, project, name, "main");
    write(client, project, name, &format!("{name}.txt"), "one\ntwo\n")
}

/// The tip of a branch; `None` if there is none.
pub(crate) fn tip(client: &Client, project: i64, branch: &str) -> Option<String> {
    let reply = client.get(&format!("/projects/{project}/repository/branches/{branch}"));
    (reply.status() == 200).then(|| text(&reply.json()["commit"]["id"]))
}

/// A commit.
#[track_caller]
fn show_commit(client: &Client, project: i64, sha: &str) -> Value {
    client.get(&format!("/projects/{project}/repository/commits/{sha}")).assert_status(200).json()
}

/// Offers a branch, and yields the path, such as `/projects/7/merge_requests/1`.
#[track_caller]
pub(crate) fn offer(client: &Client, project: i64, from: &str, into: &str, more: &Value) -> String {
    let request = offered(client, project, from, into, more);
    format!("/projects/{}/merge_requests/{}", request["project_id"], request["iid"])
}

/// Offers a branch, and yields the merge request.
#[track_caller]
fn offered(client: &Client, project: i64, from: &str, into: &str, more: &Value) -> Value {
    let body = json!({"source_branch": from, "target_branch": into, "title": from});
    made(client, &format!("/projects/{project}/merge_requests"), with(body, more))
}

/// Makes a branch of this name with one commit, and offers it to `main`.
#[track_caller]
pub(crate) fn simple(client: &Client, project: i64, name: &str) -> String {
    work(client, project, name);
    offer(client, project, name, "main", &json!({}))
}

/// A fork that is ready.
#[track_caller]
pub(crate) fn fork(server: &TestServer, client: &Client, project: i64) -> i64 {
    let fork = id(&made(client, &format!("/projects/{project}/fork"), json!({})));
    server.run_jobs();
    fork
}

/// Merges, and yields the merge request after that.
#[track_caller]
pub(crate) fn merge(client: &Client, path: &str, body: Value) -> Value {
    changed(client, &format!("{path}/merge"), body)
}

/// Posts the status of a job for the head of a merge request.
#[track_caller]
fn status(server: &TestServer, client: &Client, path: &str, state: &str) {
    let request = client.get(path).assert_status(200).json();
    let body = json!({"state": state, "ref": request["source_branch"], "name": "build"});
    made(client, &format!("/projects/{}/statuses/{}", request["source_project_id"], text(&request["sha"])), body);
    server.run_jobs();
}

/// An object with more fields, or others.
pub(crate) fn with(mut object: Value, more: &Value) -> Value {
    let fields = more.as_object().cloned().expect("an object");
    object.as_object_mut().expect("an object").extend(fields);
    object
}

/// Some fields of an object, in this order.
pub(crate) fn some(object: &Value, fields: &[&str]) -> Value {
    fields.iter().map(|field| object[field].clone()).collect()
}

#[track_caller]
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// A body with nothing but a message.
pub(crate) fn message(text: &str) -> Value {
    json!({"message": text})
}

/// The refusal of a merge that Git cannot do.
fn unmergeable() -> Value {
    message("Branch cannot be merged")
}

/// The refusal of a merge while a condition that people can change is not met.
fn unready() -> Value {
    message("405 Method Not Allowed")
}

/// The refusal of a change because it is merged or closed.
fn not_open() -> Value {
    message("Method Not Allowed")
}
