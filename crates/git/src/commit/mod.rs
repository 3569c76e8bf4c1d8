//! Commits, and how Git is asked for them.

mod containing;
mod graph;
mod history;
mod list;
pub(crate) mod parse;
mod raw;
mod signed;
mod stats;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::command::{Command, lossy};
use crate::error::GitError;
use crate::objects::{Header, ObjectKind};
use crate::oid::Oid;
use crate::remembered::{Question, Size};
use crate::repository::Repository;
use crate::signature::Signature;

pub use crate::numstat::Stats;
pub use containing::{Containing, Offering};
pub use graph::GraphCommit;
pub use history::Divergence;
pub use list::{CommitOrder, CommitQuery, CommitRange, UncountedPage};
pub(crate) use raw::cut_text;
pub use signed::SignedCommit;

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Name of the object.
    pub id: Oid,
    /// The commits that it follows: none for a root, several for a merge.
    pub parents: Vec<Oid>,
    /// Who wrote the change.
    pub author: Signature,
    /// Who made the commit.
    pub committer: Signature,
    /// The message as it is stored, up to `reads.message` bytes of it. Bytes that are no UTF-8 are replaced.
    pub message: String,
}

impl Commit {
    /// The first line of the message; empty if the message is. Shortening it is left to the caller.
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

impl Size for Commit {
    fn size(&self) -> usize {
        let people = [&self.author, &self.committer].map(|who| who.name.len() + who.email.len());
        size_of::<Self>() + self.message.len() + self.parents.size() + people.iter().sum::<usize>()
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct CommitNamed(Oid);

impl Question for CommitNamed {
    type Answer = Commit;
}

/// The fields that `log` prints of each commit, each ended by a NUL. No field can hold one.
const FORMAT: &str = "--format=tformat:%H%x00%P%x00%an%x00%ae%x00%ad%x00%cn%x00%ce%x00%cd%x00%B";
const FIELDS: usize = 9;

/// Beside the message: names of parents, and the names and addresses of two people.
const HEADER: u64 = 16 << 10;
/// Bytes of commits that are held at once.
const AT_ONCE: u64 = 16 << 20;
/// How long commits are read one by one.
const LARGE: Duration = Duration::from_secs(30);

impl Repository {
    /// One commit; `None` if there is no commit of this name.
    pub fn commit(&self, id: Oid) -> Result<Option<Commit>, GitError> {
        Ok(self.commits_by_id(&[id])?.remove(&id))
    }

    /// Several commits. Names that are no commits are left out. Texts are cut: no commit can be so large that those
    /// beside it cannot be read.
    pub fn commits_by_id(&self, ids: &[Oid]) -> Result<HashMap<Oid, Commit>, GitError> {
        let longest = self.limits().reads.message;
        self.commits_within(ids, longest, longest)
    }

    /// As [`Repository::commits_by_id`], for commits that are known to be in this repository, such as those behind its
    /// refs: they are remembered.
    pub fn commits_at(&self, ids: &[Oid]) -> Result<HashMap<Oid, Commit>, GitError> {
        let mut found: HashMap<Oid, Commit> =
            ids.iter().filter_map(|id| Some((*id, (*self.recall(&CommitNamed(*id))?).clone()))).collect();
        let missing: Vec<Oid> = ids.iter().copied().filter(|id| !found.contains_key(id)).collect();
        for (id, commit) in self.commits_by_id(&missing)? {
            let commit = self.remember(CommitNamed(id), || Ok(commit))?;
            found.insert(id, Arc::unwrap_or_clone(commit));
        }
        Ok(found)
    }

    /// As [`Repository::commit`], for a commit that is known to be in this repository.
    pub fn commit_at(&self, id: Oid) -> Result<Option<Commit>, GitError> {
        Ok(self.commits_at(&[id])?.remove(&id))
    }

    /// As [`Repository::commit`], with a message as long as a push may bring it: for a commit that is made again.
    pub fn whole_commit(&self, id: Oid) -> Result<Option<Commit>, GitError> {
        Ok(self.whole_commits(&[id])?.remove(&id))
    }

    pub(crate) fn whole_commits(&self, ids: &[Oid]) -> Result<HashMap<Oid, Commit>, GitError> {
        let longest = self.limits().push.commit.max(self.limits().reads.message);
        self.commits_within(ids, longest, longest)
    }

    /// Commits with at most `kept` bytes of each message. Those with messages of more than `longest` bytes are read one
    /// by one.
    pub(crate) fn commits_within(
        &self,
        ids: &[Oid],
        longest: u64,
        kept: u64,
    ) -> Result<HashMap<Oid, Commit>, GitError> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let most = longest.saturating_add(HEADER);
        let at_once = usize::try_from(AT_ONCE / most).unwrap_or_default().max(1);
        let (mut found, mut odd, mut large) = (HashMap::new(), Vec::new(), Vec::new());
        let mut objects = self.objects();
        for some in ids.chunks(at_once) {
            for (id, answer) in some.iter().zip(objects.all_small(some, most)?) {
                match answer {
                    Some((Header { kind: ObjectKind::Commit, .. }, Some(content))) => {
                        match parse::commit(*id, &content, kept) {
                            Some(commit) => drop(found.insert(*id, commit)),
                            None => odd.push(*id),
                        }
                    }
                    Some((Header { kind: ObjectKind::Commit, .. }, None)) => large.push(*id),
                    _ => {}
                }
            }
        }
        drop(objects);
        for some in odd.chunks(at_once) {
            found.extend(self.odd_commits(some, kept)?);
        }
        let deadline = Instant::now() + LARGE;
        for id in large {
            if Instant::now() > deadline {
                return Err(GitError::Timeout("cat-file"));
            }
            found.insert(id, self.large_commit(id, kept)?);
        }
        Ok(found)
    }

    /// Commits that are not shown as they are written.
    fn odd_commits(&self, ids: &[Oid], kept: u64) -> Result<Vec<(Oid, Commit)>, GitError> {
        let lines: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let commits = self.log().args(["--no-walk=unsorted", "--stdin"]).input(lines).commits(kept)?;
        Ok(commits.into_iter().map(|commit| (commit.id, commit)).collect())
    }

    /// A `log` whose output [`Command::commits`] reads.
    fn log(&self) -> Command {
        self.git("log").args(["-z", "--date=raw", "--no-color", "--no-show-signature", "--encoding=UTF-8", FORMAT])
    }
}

impl Command {
    /// The commits that a `log` prints, with at most `longest` bytes of each message.
    fn commits(self, longest: u64) -> Result<Vec<Commit>, GitError> {
        let output = self.bytes()?;
        let unexpected = || GitError::Unexpected("log");
        let mut fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        // Each record ends with a NUL; behind the last one is nothing.
        fields.pop();
        let records = fields.chunks(FIELDS);
        records.map(|fields| commit(fields, longest).ok_or_else(unexpected)).collect()
    }
}

fn commit(fields: &[&[u8]], longest: u64) -> Option<Commit> {
    let [id, parents, author, author_email, authored, maker, maker_email, made, message] = fields else {
        return None;
    };
    let signature = |name, email, date| Signature::from_parts(lossy(name), lossy(email), &lossy(date));
    Some(Commit {
        id: Oid::from_bytes(id)?,
        parents: lossy(parents).split_whitespace().map(|id| id.parse().ok()).collect::<Option<_>>()?,
        author: signature(author, author_email, authored),
        committer: signature(maker, maker_email, made),
        message: cut_text(lossy(message), longest),
    })
}
