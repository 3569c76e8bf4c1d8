//! A clone of any repository, served by a fresh server whose answers are compared with Git's own.

mod commits;
mod contents;
mod local;
mod refs;
mod report;

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tenon_app::repository::reconcile_all;
use tenon_domain::limits::{Limits, Milliseconds};
use tenon_testkit::{Backend, Client, TestServer};

pub use self::local::Local;
pub use self::report::Report;

/// The amount that is compared.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Refs, paths and commits that are compared of each kind; the first, the last and some between.
    pub samples: usize,
    /// Commits of a list.
    pub commits: usize,
}

/// The server's project, and the repository that it was filled from.
struct Both<'a> {
    client: Client,
    /// The server's project, such as `/projects/1/repository`.
    at: String,
    local: &'a Local,
    plan: Plan,
}

/// Serves a clone and compares the API's answers with Git's.
///
/// # Errors
/// If Git fails, or the server cannot be filled. Differences are part of the report.
pub fn run(clone: &Path, plan: Plan) -> Result<Report> {
    let source = Local::of_clone(clone)?;
    ensure!(source.has_commits()?, "{} has no commit", clone.display());
    let mut limits = Limits::without_rates();
    // Each total is compared.
    limits.reads.count_patience = Milliseconds(600_000);
    let server = TestServer::start_with(Backend::Sqlite, limits);
    let root = server.root();
    let made =
        root.post("/projects", json!({"name": "compared", "visibility": "public", "initialize_with_readme": true}));
    ensure!(made.status() == 201, "the project was not created: {}", made.text());
    let id = made.json().get("id").and_then(Value::as_i64).context("a project without an id")?;
    let repository = server.data().join(format!("repositories/{:03}/{id}.git", id % 1000));
    let local = source.fill(&repository)?;
    reconcile_all(server.app())?;
    server.run_jobs();
    let head = local.head()?;
    let branch = json!({"default_branch": head});
    let changed = root.put(&format!("/projects/{id}"), branch);
    ensure!(changed.status() == 200, "the default branch was not set: {}", changed.text());
    server.run_jobs();
    let both = Both { client: server.anonymous(), at: format!("/projects/{id}/repository"), local: &local, plan };
    let mut report = Report::default();
    refs::compare(&both, &mut report)?;
    commits::compare(&both, &mut report)?;
    contents::compare(&both, &mut report)?;
    Ok(report)
}

impl Both<'_> {
    /// An answer as JSON; its status if it is no JSON.
    fn get(&self, path: &str) -> Result<Value, u16> {
        let reply = self.client.get(&format!("{}{path}", self.at));
        if reply.status() == 200 { Ok(reply.json()) } else { Err(reply.status()) }
    }

    /// All pages of a list, up to so many elements, and the total in the header.
    fn list(&self, path: &str, most: usize) -> Result<(Vec<Value>, String), u16> {
        let and = if path.contains('?') { '&' } else { '?' };
        let (mut found, mut total) = (Vec::new(), String::new());
        for page in 1.. {
            let reply = self.client.get(&format!("{}{path}{and}per_page=100&page={page}", self.at));
            if reply.status() != 200 {
                return Err(reply.status());
            }
            total = reply.header("x-total");
            let items = reply.json().as_array().cloned().unwrap_or_default();
            let is_last = items.len() < 100;
            found.extend(items);
            if is_last || found.len() >= most {
                break;
            }
        }
        found.truncate(most);
        Ok((found, total))
    }

    /// Some of these: the first, the last and others between, at even distances.
    fn some<T: Clone>(&self, all: &[T]) -> Vec<T> {
        let most = self.plan.samples.max(2);
        if all.len() <= most {
            return all.to_vec();
        }
        (0..most).filter_map(|at| all.get(at * (all.len() - 1) / (most - 1)).cloned()).collect()
    }
}

fn text(value: &Value, field: &str) -> String {
    value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Bytes as a part of an address, slashes included.
fn encoded(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            text.push(char::from(*byte));
        } else {
            text += &format!("%{byte:02X}");
        }
        text
    })
}

/// Bytes as answers show them.
fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
