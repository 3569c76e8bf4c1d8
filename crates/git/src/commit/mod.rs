//! Commits: what one is, and how Git is asked for it.

mod containing;
mod history;
mod list;
mod stats;

use std::collections::HashMap;

use crate::command::{Command, lossy};
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::signature::Signature;

pub use containing::{Containing, Offering};
pub use history::Divergence;
pub use list::{CommitQuery, CommitRange};
pub use stats::Stats;

/// A commit (reference, repository-git-webhooks, section 1.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its name.
    pub id: Oid,
    /// What it follows: none for a root, several for a merge.
    pub parents: Vec<Oid>,
    /// Who wrote the change.
    pub author: Signature,
    /// Who made the commit.
    pub committer: Signature,
    /// The whole message, as it is stored; replaced where it was no UTF-8.
    pub message: String,
}

impl Commit {
    /// The first line of the message; empty when the message is. Shortening it is the business of whoever shows it.
    #[must_use]
    pub fn title(&self) -> &str {
        self.message.trim_start().lines().next().unwrap_or_default().trim_end()
    }

    /// The first eight digits of its name.
    #[must_use]
    pub fn short_id(&self) -> String {
        let mut id = self.id.to_string();
        id.truncate(8);
        id
    }
}

/// What `log` prints of each commit, each field ended by a NUL. No field can hold one.
const FORMAT: &str = "--format=tformat:%H%x00%P%x00%an%x00%ae%x00%ad%x00%cn%x00%ce%x00%cd%x00%B";
const FIELDS: usize = 9;

impl Repository {
    /// One commit; `None` when there is no commit of this name.
    pub fn commit(&self, id: Oid) -> Result<Option<Commit>, GitError> {
        Ok(self.commits_by_id(&[id])?.remove(&id))
    }

    /// Several commits by one process. Names that are no commits are left out.
    pub fn commits_by_id(&self, ids: &[Oid]) -> Result<HashMap<Oid, Commit>, GitError> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        // `log` gives up at the first name that is none.
        let lines: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let known = self.git("cat-file").arg("--batch-check").input(lines).text()?;
        let known: String =
            known.lines().filter_map(|line| line.split_once(" commit ")).map(|(id, _)| format!("{id}\n")).collect();
        if known.is_empty() {
            return Ok(HashMap::new());
        }
        let commits = self.log().args(["--no-walk=unsorted", "--stdin"]).input(known).commits()?;
        Ok(commits.into_iter().map(|commit| (commit.id, commit)).collect())
    }

    /// A `log` whose output [`Command::commits`] reads.
    fn log(&self) -> Command {
        self.git("log").args(["-z", "--date=raw", "--no-color", "--no-show-signature", "--encoding=UTF-8", FORMAT])
    }
}

impl Command {
    fn commits(self) -> Result<Vec<Commit>, GitError> {
        let output = self.bytes()?;
        let unexpected = || GitError::Unexpected("log");
        let mut fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        // Each record ends with a NUL; behind the last one is nothing.
        fields.pop();
        let records = fields.chunks(FIELDS);
        records.map(|fields| commit(fields).ok_or_else(unexpected)).collect()
    }
}

fn commit(fields: &[&[u8]]) -> Option<Commit> {
    let [id, parents, author, author_email, authored, maker, maker_email, made, message] = fields else {
        return None;
    };
    let signature = |name, email, date| Signature::from_parts(lossy(name), lossy(email), &lossy(date));
    Some(Commit {
        id: Oid::from_bytes(id)?,
        parents: lossy(parents).split_whitespace().map(|id| id.parse().ok()).collect::<Option<_>>()?,
        author: signature(author, author_email, authored),
        committer: signature(maker, maker_email, made),
        message: lossy(message),
    })
}
