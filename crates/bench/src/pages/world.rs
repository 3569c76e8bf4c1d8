//! The project whose pages are measured: a directory of 50 entries, long files, an issue with 50 notes, and merge
//! requests of 2,000 and of 10,000 lines.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tenon_testkit::Client;

use crate::code::repository::git;
use crate::endpoint::ROOT_TOKEN;
use crate::seed::Landmarks;

const ENTRIES: usize = 50;
const NOTES: usize = 50;
/// How often the server is asked within 30 s if it has processed the push.
const LOOKS: u32 = 300;

/// The objects that paths of pages name.
pub(super) struct World {
    names: [(&'static str, String); 6],
}

impl World {
    /// Makes it. Blocks.
    pub(super) fn make(client: &Client, folder: &Path, landmarks: &Landmarks) -> Result<Self> {
        let id = made(client, "/projects", json!({"name": "measured", "visibility": "public"}))?;
        push(client, &folder.join("pages"))?;
        let project = format!("/projects/{}", id.get("id").and_then(Value::as_i64).context("an id")?);
        wait_until_known(client, &project)?;
        let text = "It **sticks** when cold, see #1 and `crank()`.\n\n- [x] oil\n- [ ] test\n\nThanks, @root";
        made(client, &format!("{project}/issues"), json!({"title": "The crank sticks", "description": text}))?;
        for number in 0..NOTES {
            let body = format!("Note {number}. {text}");
            made(client, &format!("{project}/issues/1/notes"), json!({"body": body}))?;
        }
        for branch in ["changes", "large"] {
            let request = json!({"source_branch": branch, "target_branch": "main", "title": branch});
            made(client, &format!("{project}/merge_requests"), request)?;
        }
        wait_until_compared(client, &project)?;
        Ok(Self {
            names: [
                ("{p}", "root/measured".to_owned()),
                ("{id}", project),
                ("{many}", landmarks.project_path.clone()),
                ("{many_id}", format!("/projects/{}", landmarks.project)),
                ("{group}", landmarks.group_path.clone()),
                ("{group_id}", format!("/groups/{}", landmarks.group)),
            ],
        })
    }

    /// A path with its names filled in.
    pub(super) fn filled(&self, path: &str) -> String {
        self.names.iter().fold(path.to_owned(), |path, (name, value)| path.replace(name, value))
    }
}

fn made(client: &Client, path: &str, body: Value) -> Result<Value> {
    let answer = client.post(path, body);
    ensure!(answer.status() == 201, "POST {path} answers {}: {}", answer.status(), answer.text());
    Ok(answer.json())
}

fn push(client: &Client, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder.join("d"))?;
    git(folder, &["init", "--quiet", "--initial-branch=main"])?;
    for number in 0..ENTRIES {
        std::fs::write(folder.join(format!("d/file{number}.rs")), code(number, 60))?;
        std::fs::write(folder.join(format!("top{number}.txt")), "text\n")?;
    }
    std::fs::write(folder.join("long.rs"), code(0, 500))?;
    std::fs::write(folder.join("README.md"), "# Measured\n\nA project to measure with.\n")?;
    let mut blamed = vec![String::from("line"); 1_000];
    std::fs::write(folder.join("blamed.txt"), blamed.join("\n"))?;
    commit(folder, "Everything")?;
    for number in 0..40 {
        blamed.iter_mut().skip(number).step_by(40).for_each(|line| *line = format!("line of commit {number}"));
        std::fs::write(folder.join("blamed.txt"), blamed.join("\n"))?;
        commit(folder, &format!("Lines {number}"))?;
    }
    git(folder, &["switch", "--quiet", "--create", "changes"])?;
    for number in 0..ENTRIES {
        let changed = code(number, 60).replacen("turn", "crank", 20);
        std::fs::write(folder.join(format!("d/file{number}.rs")), changed)?;
    }
    commit(folder, "Many files")?;
    git(folder, &["switch", "--quiet", "--create", "large", "main"])?;
    for number in 0..20 {
        std::fs::write(folder.join(format!("large{number}.rs")), code(number, 500))?;
    }
    commit(folder, "Ten thousand lines")?;
    let host = client.base().trim_start_matches("http://");
    let address = format!("http://root:{ROOT_TOKEN}@{host}/root/measured.git");
    git(folder, &["push", "--quiet", &address, "main", "changes", "large"]).map(drop)
}

fn commit(folder: &Path, message: &str) -> Result<()> {
    git(folder, &["add", "."])?;
    git(folder, &["commit", "--quiet", "--message", message]).map(drop)
}

/// So many lines of Rust.
fn code(number: usize, lines: usize) -> String {
    let mut text = String::new();
    for line in 0..lines {
        let _ = writeln!(text, "    let value{line} = turn({number}, \"text {line}\"); // Comment {line}.");
    }
    text
}

/// Waits until the server has processed the push, which it does in the background.
fn wait_until_known(client: &Client, project: &str) -> Result<()> {
    until("processed the push", || {
        let shown = client.get(&format!("{project}/repository/branches/large"));
        shown.status() == 200
    })
}

fn wait_until_compared(client: &Client, project: &str) -> Result<()> {
    until("compared the branches", || {
        [1, 2].iter().all(|number| {
            let shown = client.get(&format!("{project}/merge_requests/{number}")).json();
            shown.get("merge_status").and_then(Value::as_str) == Some("can_be_merged")
        })
    })
}

#[expect(clippy::disallowed_methods, reason = "the server does not announce when it has done so")]
fn until(what: &str, is_done: impl Fn() -> bool) -> Result<()> {
    for _ in 0..LOOKS {
        if is_done() {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    bail!("the server has not {what} in 30 s")
}
