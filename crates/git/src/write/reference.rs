//! Refs move by compare-and-swap, several at once or none.

use crate::error::GitError;
use crate::name::{BranchName, RefName, TagName};
use crate::objects::{Header, ObjectKind};
use crate::oid::Oid;
use crate::repository::Repository;
use crate::signature::Signature;
use crate::write::{Refusal, WriteError};

/// The change of a ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefChange {
    /// It is made; it must not be there.
    Create {
        /// The ref.
        name: RefName,
        /// Its new target.
        new: Oid,
    },
    /// It moves; it must be at `old`.
    Update {
        /// The ref.
        name: RefName,
        /// Its new target.
        new: Oid,
        /// Its present target.
        old: Oid,
    },
    /// It goes; it must be at `old`.
    Delete {
        /// The ref.
        name: RefName,
        /// Its present target.
        old: Oid,
    },
    /// It is made or moves, wherever it was: for refs that only the server writes.
    Set {
        /// The ref.
        name: RefName,
        /// Its new target.
        new: Oid,
    },
}

impl RefChange {
    /// A change from the present target, `None` if the ref is not there, to the new one.
    #[must_use]
    pub fn to(name: RefName, old: Option<Oid>, new: Oid) -> Self {
        match old {
            Some(old) => Self::Update { name, new, old },
            None => Self::Create { name, new },
        }
    }

    fn name(&self) -> &RefName {
        match self {
            Self::Create { name, .. }
            | Self::Update { name, .. }
            | Self::Delete { name, .. }
            | Self::Set { name, .. } => name,
        }
    }

    fn line(&self) -> String {
        match self {
            Self::Create { name, new } => format!("create {name} {new}\n"),
            Self::Update { name, new, old } => format!("update {name} {new} {old}\n"),
            Self::Delete { name, old } => format!("delete {name} {old}\n"),
            Self::Set { name, new } => format!("update {name} {new}\n"),
        }
    }
}

impl Repository {
    /// Keeps a commit, whatever becomes of its branches, because the server refers to it. Idempotent.
    pub fn keep_alive(&self, commit: Oid) -> Result<(), WriteError> {
        self.update_refs(&[RefChange::Set { name: RefName::keep_around(commit), new: commit }])
    }

    /// Removes the refs of a merge request. Idempotent.
    pub fn forget_merge_request(&self, iid: i64) -> Result<(), WriteError> {
        let mut changes = Vec::new();
        for name in [RefName::merge_request_head(iid), RefName::merge_request_merge(iid)] {
            changes.extend(self.ref_target(&name)?.map(|old| RefChange::Delete { name, old }));
        }
        self.update_refs(&changes)
    }

    /// Makes all these changes or none. Refuses with [`Refusal::Stale`], [`Refusal::Missing`],
    /// [`Refusal::AlreadyExists`], [`Refusal::DirectoryFileConflict`] or [`Refusal::TooManyRefs`]. No hook runs: the
    /// caller has checked the permission.
    pub fn update_refs(&self, changes: &[RefChange]) -> Result<(), WriteError> {
        let mut needed = Vec::new();
        for change in changes {
            if !self.is_made(change)? {
                needed.push(change);
            }
        }
        if needed.is_empty() {
            return Ok(());
        }
        let created = changes.iter().filter(|change| matches!(change, RefChange::Create { .. })).count();
        if self.has_too_many_refs(created)? {
            return Err(Refusal::TooManyRefs(self.limits().quotas.refs).into());
        }
        let lines: String = needed.iter().map(|change| change.line()).collect();
        let input = format!("start\n{lines}prepare\ncommit\n");
        let Err(error) = self.git("update-ref").arg("--stdin").input(input).bytes() else { return Ok(()) };
        // The reason of the failure is read from the refs, not from a message.
        for change in changes {
            if let Some(refusal) = self.refusal(change, changes)? {
                return Err(refusal.into());
            }
        }
        Err(self.write_failure(error).into())
    }

    /// True if a ref is already as a [`RefChange::Set`] asks for. Other changes are for Git to refuse.
    fn is_made(&self, change: &RefChange) -> Result<bool, GitError> {
        match change {
            RefChange::Set { name, new } => Ok(self.ref_target(name)? == Some(*new)),
            _ => Ok(false),
        }
    }

    fn refusal(&self, change: &RefChange, all: &[RefChange]) -> Result<Option<Refusal>, GitError> {
        let name = change.name();
        let now = self.ref_target(name)?;
        let (expected, new) = match change {
            RefChange::Create { new, .. } => (None, Some(*new)),
            RefChange::Update { new, old, .. } => (Some(*old), Some(*new)),
            RefChange::Delete { old, .. } => (Some(*old), None),
            RefChange::Set { new, .. } => (now, Some(*new)),
        };
        if now != expected {
            return Ok(Some(match (expected, now) {
                (None, _) => Refusal::AlreadyExists,
                (_, None) => Refusal::Missing,
                _ => Refusal::Stale,
            }));
        }
        if let Some(new) = new {
            let found = self.objects().header(&new.to_string())?;
            // A branch holds commits only.
            let is_fit =
                |header: Header| header.kind == ObjectKind::Commit || !name.as_str().starts_with("refs/heads/");
            if !found.is_some_and(is_fit) {
                return Ok(Some(Refusal::Missing));
            }
        }
        if now.is_none() && self.is_in_the_way(name, all)? {
            return Ok(Some(Refusal::DirectoryFileConflict));
        }
        Ok(None)
    }

    /// True if there is, or will be, a ref `a` and `a/b` is wanted, or the other way round.
    fn is_in_the_way(&self, name: &RefName, all: &[RefChange]) -> Result<bool, GitError> {
        let below = format!("{name}/");
        let output = self.git("for-each-ref").args(["--count=1", "--format=%(refname)"]).operands([&below]).text()?;
        let together = all.iter().any(|other| other.name().as_str().starts_with(&below));
        if !output.is_empty() || together {
            return Ok(true);
        }
        let text = name.as_str();
        // `refs/heads` itself is no ref.
        let above = text.match_indices('/').skip(2).filter_map(|(end, _)| RefName::parse(text.get(..end)?).ok());
        for above in above {
            if all.iter().any(|other| *other.name() == above) || self.ref_target(&above)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Makes a branch at this commit. Refusals as in [`Repository::update_refs`].
    pub fn create_branch(&self, name: &BranchName, at: Oid) -> Result<(), WriteError> {
        self.update_refs(&[RefChange::Create { name: name.full(), new: at }])
    }

    /// Removes a branch if its tip is still `at`. Refusals as in [`Repository::update_refs`].
    pub fn delete_branch(&self, name: &BranchName, at: Oid) -> Result<(), WriteError> {
        self.update_refs(&[RefChange::Delete { name: name.full(), old: at }])
    }

    /// Makes a lightweight tag. Refusals as in [`Repository::update_refs`].
    pub fn create_tag(&self, name: &TagName, at: Oid) -> Result<(), WriteError> {
        self.update_refs(&[RefChange::Create { name: name.full(), new: at }])
    }

    /// Makes an annotated tag of a commit and gives the name of its object. Refusals as in [`Repository::update_refs`].
    pub fn create_annotated_tag(
        &self,
        name: &TagName,
        at: Oid,
        message: &str,
        tagger: &Signature,
    ) -> Result<Oid, WriteError> {
        if self.commit(at)?.is_none() {
            return Err(Refusal::Missing.into());
        }
        let tag = self.write_tag(name, at, message, tagger)?;
        self.update_refs(&[RefChange::Create { name: name.full(), new: tag }])?;
        Ok(tag)
    }

    /// Removes a tag if it still points at `target`. Refusals as in [`Repository::update_refs`].
    pub fn delete_tag(&self, name: &TagName, target: Oid) -> Result<(), WriteError> {
        self.update_refs(&[RefChange::Delete { name: name.full(), old: target }])
    }

    /// Makes `name` the default branch, whether or not it has commits.
    pub fn set_default_branch(&self, name: &BranchName) -> Result<(), GitError> {
        let command = self.git("symbolic-ref").args(["HEAD", name.full().as_str()]);
        command.bytes().map_err(|error| self.write_failure(error))?;
        Ok(())
    }
}
