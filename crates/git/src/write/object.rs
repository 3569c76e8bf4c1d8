//! Commits and tags as objects that no ref names yet.

use crate::command::{Command, lossy};
use crate::error::GitError;
use crate::name::TagName;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::signature::Signature;
use crate::write::{Refusal, WriteError};

/// The author, the committer and the message of a commit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'a> {
    pub(crate) author: &'a Signature,
    pub(crate) committer: &'a Signature,
    pub(crate) message: &'a str,
}

/// Bytes of a commit or tag beside its message: names of objects, and two people.
const HEADERS: u64 = 1024;

impl Repository {
    /// Refuses a message with [`Refusal::MessageTooLong`] that no client could push.
    pub(crate) fn check_message(&self, message: &str) -> Result<(), WriteError> {
        let most = self.limits().push.commit.saturating_sub(HEADERS);
        let is_within = u64::try_from(message.len()).is_ok_and(|bytes| bytes <= most);
        if is_within { Ok(()) } else { Err(Refusal::MessageTooLong(most).into()) }
    }

    pub(crate) fn write_commit(&self, tree: Oid, parents: &[Oid], text: Text<'_>) -> Result<Oid, WriteError> {
        let Text { author, committer, message } = text;
        self.check_message(message)?;
        let (author, committer) = (author.with_name(), committer.with_name());
        let parents = parents.iter().flat_map(|parent| ["-p".to_owned(), parent.to_string()]);
        let command = self.git("commit-tree").args(parents).args(["-F", "-"]).arg(tree.to_string());
        let command = command
            .env("GIT_AUTHOR_NAME", &author.name)
            .env("GIT_AUTHOR_EMAIL", &author.email)
            .env("GIT_AUTHOR_DATE", format!("@{}", author.date()))
            .env("GIT_COMMITTER_NAME", &committer.name)
            .env("GIT_COMMITTER_EMAIL", &committer.email)
            .env("GIT_COMMITTER_DATE", format!("@{}", committer.date()))
            .input(without_nul(message));
        Ok(written(command, "commit-tree")?)
    }

    pub(crate) fn write_tag(
        &self,
        name: &TagName,
        at: Oid,
        message: &str,
        tagger: &Signature,
    ) -> Result<Oid, WriteError> {
        self.check_message(message)?;
        let Signature { name: who, email, .. } = tagger;
        let head = format!("object {at}\ntype commit\ntag {name}\ntagger {who} <{email}> {}\n\n", tagger.date());
        let text = format!("{head}{}\n", without_nul(message).trim_end());
        Ok(written(self.git("mktag").input(text), "mktag")?)
    }

    /// The tree of a commit that is there.
    pub fn tree_of(&self, commit: Oid) -> Result<Oid, GitError> {
        self.tree_id(commit, None)?.ok_or(GitError::Unexpected("cat-file"))
    }
}

fn written(command: Command, name: &'static str) -> Result<Oid, GitError> {
    let output = command.bytes()?;
    lossy(&output).trim().parse().map_err(|_error| GitError::Unexpected(name))
}

/// Git refuses a NUL in a message, and no reader expects one.
pub(crate) fn without_nul(text: &str) -> String {
    text.replace('\0', "")
}
