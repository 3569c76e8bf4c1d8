//! Commits made again somewhere else: rebase, cherry-pick, revert.

use tenon_domain::time::Timestamp;

use crate::commit::{Commit, CommitQuery, CommitRange};
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::signature::Signature;
use crate::write::object::Text;
use crate::write::{Refusal, WriteError};

impl Repository {
    /// Makes the commits of `source` that `onto` has not again on top of `onto`, and gives the last one. Authors stay.
    /// Merges are left out, and so are changes that `onto` has already. No ref moves. Refuses with
    /// [`Refusal::Conflict`]; with [`Refusal::Empty`] if there are more than `limit` or none.
    pub fn rebase(&self, source: Oid, onto: Oid, committer: &Signature, limit: i64) -> Result<Oid, WriteError> {
        let query =
            CommitQuery { no_merges: true, ..CommitQuery::new(CommitRange::Between { from: onto, to: source }) };
        let commits = self.commit_ids(&query, limit.saturating_add(1))?;
        if commits.is_empty() || i64::try_from(commits.len()).is_ok_and(|count| count > limit) {
            return Err(Refusal::Empty.into());
        }
        let mut details = self.whole_commits(&commits)?;
        let mut tip = onto;
        for id in commits.iter().rev() {
            let commit = details.remove(id).ok_or(GitError::Unexpected("log"))?;
            match self.picked(&commit, tip, &commit.author, committer, &commit.message) {
                Ok(next) => tip = next,
                Err(WriteError::Refused(Refusal::Empty)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(tip)
    }

    /// Makes the change of `commit` against its first parent again on top of `onto`, by its author. No ref moves.
    /// Refuses with [`Refusal::Conflict`], with [`Refusal::Empty`] if nothing would change, and with
    /// [`Refusal::Missing`].
    pub fn cherry_pick(&self, commit: Oid, onto: Oid, committer: &Signature, message: &str) -> Result<Oid, WriteError> {
        let commit = self.commit(commit)?.ok_or(Refusal::Missing)?;
        self.picked(&commit, onto, &commit.author, committer, message)
    }

    /// Takes back the change of `commit` against its first parent on top of `onto`. No ref moves. Refusals as in
    /// [`Repository::cherry_pick`].
    pub fn revert(&self, commit: Oid, onto: Oid, author: &Signature, message: &str) -> Result<Oid, WriteError> {
        let commit = self.commit(commit)?.ok_or(Refusal::Missing)?;
        let before = self.first_parent(&commit)?;
        self.applied((commit.id, before), onto, Text { author, committer: author, message })
    }

    fn picked(
        &self,
        commit: &Commit,
        onto: Oid,
        author: &Signature,
        committer: &Signature,
        message: &str,
    ) -> Result<Oid, WriteError> {
        let before = self.first_parent(commit)?;
        self.applied((before, commit.id), onto, Text { author, committer, message })
    }

    /// Makes the change from one commit to another on top of `onto`.
    fn applied(&self, (from, to): (Oid, Oid), onto: Oid, text: Text<'_>) -> Result<Oid, WriteError> {
        let tree = self.merge_trees(Some(from), onto, to, None)?.tree()?;
        if tree == self.tree_of(onto)? {
            return Err(Refusal::Empty.into());
        }
        self.write_commit(tree, &[onto], text)
    }

    /// The commit with which a commit is compared. For a root that is a commit without files, made for the purpose:
    /// always the same, and reached by nothing.
    fn first_parent(&self, commit: &Commit) -> Result<Oid, WriteError> {
        if let Some(parent) = commit.parents.first() {
            return Ok(*parent);
        }
        let signature = Signature::new("Tenon", "tenon@localhost", Timestamp::default());
        self.write_commit(Oid::EMPTY_TREE, &[], Text { author: &signature, committer: &signature, message: "" })
    }
}
