//! Reading a server: all things that writers make, by the names that the model has for them.

use std::hash::{DefaultHasher, Hasher as _};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use tenon_testkit::Client;

use super::model::Found;

/// The beginning of the description of a project of the writers. Projects that were there before them are not written to.
pub(crate) const OWN: &str = "rehearsal-";

/// Bytes, shortly.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    format!("{} bytes {:016x}", bytes.len(), hasher.finish())
}

/// The value of an issue.
pub(crate) fn issue(description: &str, state: &str) -> String {
    format!("{state} {description}")
}

/// The field of an answer; empty if it is no text.
pub(crate) fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The number in a field of an answer; 0 if there is none.
pub(crate) fn number(value: &Value, field: &str) -> i64 {
    value.get(field).and_then(Value::as_i64).unwrap_or_default()
}

/// Everything on a server. Uploads are in no list: those of `known`, the names of all things, are asked for.
pub(crate) fn everything(client: &Client, known: &[String]) -> Result<Found> {
    let mut found = Found::new();
    for project in list(client, "/projects?simple=false")? {
        // Its name and path change; the description does not.
        let name = text(&project, "description");
        let at = format!("/projects/{}", number(&project, "id"));
        let path = text(&project, "path_with_namespace");
        if !name.starts_with(OWN) {
            // The restore has compared the rows of such a project. The counts are asked for through the rights of a caller.
            let issues = number(&project, "open_issues_count");
            found.insert(format!("earlier/{path}"), format!("{issues} open issues"));
            continue;
        }
        found.insert(format!("project/{name}"), path.to_owned());
        picture(client, &project, name, &mut found)?;
        issues(client, &at, name, &mut found)?;
        for branch in list(client, &format!("{at}/repository/branches?"))? {
            let tip = branch.pointer("/commit/id").and_then(Value::as_str).unwrap_or_default();
            found.insert(format!("branch/{name}/{}", text(&branch, "name")), tip.to_owned());
        }
        merge_requests(client, &at, name, &mut found)?;
        let start = format!("file/{name}");
        for file in known.iter().filter_map(|thing| thing.strip_prefix(&start)).filter(|it| it.starts_with('/')) {
            let reply = client.get(&format!("//{path}{file}"));
            match reply.status() {
                200 => drop(found.insert(format!("{start}{file}"), digest(reply.bytes()))),
                404 => {}
                status => anyhow::bail!("{path}{file}: {status}"),
            }
        }
    }
    Ok(found)
}

/// The picture of a project. One that a row names and that is missing is a value of its own.
fn picture(client: &Client, project: &Value, name: &str, found: &mut Found) -> Result<()> {
    let address = text(project, "avatar_url");
    if address.is_empty() {
        return Ok(());
    }
    let path = address.split_once("/uploads/").context("an address of a picture")?.1;
    let reply = client.get(&format!("//uploads/{path}"));
    let value = if reply.status() == 200 { digest(reply.bytes()) } else { format!("status {}", reply.status()) };
    found.insert(format!("picture/{name}"), value);
    Ok(())
}

fn issues(client: &Client, at: &str, name: &str, found: &mut Found) -> Result<()> {
    for it in list(client, &format!("{at}/issues?scope=all"))? {
        let title = text(&it, "title");
        found.insert(format!("issue/{name}/{title}"), issue(text(&it, "description"), text(&it, "state")));
        if number(&it, "user_notes_count") == 0 {
            continue;
        }
        for note in list(client, &format!("{at}/issues/{}/notes?", number(&it, "iid")))? {
            if note.get("system") == Some(&Value::Bool(false)) {
                found.insert(format!("note/{name}/{title}/{}", text(&note, "body")), "there".to_owned());
            }
        }
    }
    Ok(())
}

/// Merge requests. One that is merged is so only if its commit is in the target.
fn merge_requests(client: &Client, at: &str, name: &str, found: &mut Found) -> Result<()> {
    for it in list(client, &format!("{at}/merge_requests?scope=all"))? {
        let mut state = text(&it, "state").to_owned();
        if state == "merged" {
            // The refs of a backup may be newer than its rows. A server that finds its commits in the target knows no merge commit.
            let merged = text(&it, "merge_commit_sha");
            let commit = if merged.is_empty() { text(&it, "sha") } else { merged };
            let refs = client.get(&format!("{at}/repository/commits/{commit}/refs?type=branch"));
            let target = text(&it, "target_branch");
            let is_in = refs.status() == 200 && refs.each("name").iter().any(|branch| *branch == *target);
            if !is_in {
                state = format!("merged, but {commit} is not in {target}");
            }
        }
        found.insert(format!("merge/{name}/{}", text(&it, "title")), state);
    }
    Ok(())
}

/// All pages of a list.
fn list(client: &Client, path: &str) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    let mut page = "1".to_owned();
    while !page.is_empty() {
        let reply = client.get(&format!("{path}&per_page=100&page={page}"));
        ensure!(reply.status() == 200, "{path}: {} {}", reply.status(), reply.text());
        page = reply.header("x-next-page");
        all.extend(reply.json().as_array().cloned().unwrap_or_default());
    }
    Ok(all)
}
