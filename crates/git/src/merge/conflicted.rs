//! Files in conflict with both of their sides, and the commit that resolves them.

use std::time::Duration;

use tenon_domain::file_path::FilePath;

use crate::command::budget::Budget;
use crate::command::failure;
use crate::error::GitError;
use crate::mode::Mode;
use crate::name::BranchName;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::signature::Signature;
use crate::tree_path::TreePath;
use crate::write::actions::{Action, CommitRequest};
use crate::write::object::Text;
use crate::write::{Refusal, WriteError};

/// The merge of two commits that are in conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflicted {
    /// The merged tree. Files in conflict have both sides, between lines that begin with `<<<<<<<`, `=======` and `>>>>>>>`.
    pub tree: Oid,
    /// The files in conflict; none if all could be merged.
    pub files: Vec<ConflictedFile>,
}

/// A path that is in conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictedFile {
    /// From the top of the repository.
    pub path: FilePath,
    /// The contents of both sides, if both have a regular file there. The merged tree then has one with both texts.
    pub sides: Option<[Oid; 2]>,
}

impl Repository {
    /// The merge of `theirs` into `ours`. Writes objects but no ref. None if they have no common commit. Fails if a commit is not
    /// there, and if it takes longer than `time`.
    pub fn conflicted(&self, ours: Oid, theirs: Oid, time: Duration) -> Result<Option<Conflicted>, GitError> {
        if self.merge_base(&[ours, theirs])?.is_none() {
            return Ok(None);
        }
        let command = self
            .git("merge-tree")
            .args(["--write-tree", "-z", "--no-messages"])
            .operands([ours.to_string(), theirs.to_string()])
            .budget(Budget::Transfer);
        let outcome = command.time(time).outcome()?;
        let read = match outcome.code {
            Some(0 | 1) => read(&outcome.stdout),
            _ => None,
        };
        match read {
            Some(conflicted) => Ok(Some(conflicted)),
            None => Err(failure("merge-tree", Some(self.path()), outcome.code, outcome.log)),
        }
    }

    /// A merge commit of this tree with other contents of these files, which it must have. No ref moves.
    pub fn resolved(
        &self,
        tree: Oid,
        parents: [Oid; 2],
        files: Vec<(TreePath, Vec<u8>)>,
        author: &Signature,
        message: &str,
    ) -> Result<Oid, WriteError> {
        let text = Text { author, committer: author, message };
        self.check_message(message)?;
        let update = |(path, content)| Action::Update { path, content, last_commit: None };
        let draft = CommitRequest {
            branch: BranchName::parse("draft").map_err(|_invalid| Refusal::Missing)?,
            tip: None,
            start: Some(self.write_commit(tree, &[], text)?),
            author: author.clone(),
            committer: author.clone(),
            message: message.to_owned(),
            actions: files.into_iter().map(update).collect(),
        };
        let changed = self.prepare_commit(&draft)?;
        self.write_commit(self.tree_of(changed)?, &parents, text)
    }
}

/// The tree, and for each path in conflict the sides that have something there: `100644 OID 2\tPATH`.
fn read(output: &[u8]) -> Option<Conflicted> {
    let mut fields = output.split(|byte| *byte == 0);
    let tree = Oid::from_bytes(fields.next()?)?;
    let mut files: Vec<(&[u8], [Option<Oid>; 2])> = Vec::new();
    for entry in fields.filter(|field| !field.is_empty()) {
        let at = entry.iter().position(|byte| *byte == b'\t')?;
        let (head, path) = entry.split_at_checked(at)?;
        let path = path.get(1..)?;
        let mut words = head.split(|byte| *byte == b' ');
        let (mode, oid, stage) = (Mode::read(words.next()?)?, words.next()?, words.next()?);
        let file = Oid::from_bytes(oid).filter(|_| matches!(mode, Mode::File | Mode::Program));
        if files.last().is_none_or(|(known, _)| *known != path) {
            files.push((path, [None; 2]));
        }
        let (_, [ours, theirs]) = files.last_mut()?;
        match stage {
            b"2" => *ours = file,
            b"3" => *theirs = file,
            _ => {}
        }
    }
    let file = |(path, [ours, theirs]): (&[u8], [Option<Oid>; 2])| ConflictedFile {
        path: FilePath::from_bytes(path),
        sides: ours.zip(theirs).map(|(ours, theirs)| [ours, theirs]),
    };
    Some(Conflicted { tree, files: files.into_iter().map(file).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_on_both_sides_if_both_have_a_file() {
        let id = "a".repeat(40);
        let line = |mode: &str, stage: u8, path: &str| format!("{mode} {id} {stage}\t{path}\0");
        let output = [
            format!("{id}\0"),
            line("100644", 1, "a b"),
            line("100644", 2, "a b"),
            line("100755", 3, "a b"),
            line("100644", 1, "gone"),
            line("100644", 2, "gone"),
            line("120000", 2, "link"),
            line("100644", 3, "link"),
        ];
        let found = read(output.concat().as_bytes()).expect("a tree");
        let files: Vec<(String, bool)> =
            found.files.iter().map(|file| (file.path.to_string(), file.sides.is_some())).collect();
        assert_eq!(files, [("a b".to_owned(), true), ("gone".to_owned(), false), ("link".to_owned(), false)]);
        assert!(read(b"x\0").is_none() && read(format!("{id}\0a\0").as_bytes()).is_none());
    }
}
