//! The values of the form of one file, and the commit that it asks for.

use tenon_app::repository::{FileAction, FileActionKind, NewCommit};
use tenon_domain::file_path::shown;

use crate::kit::address::in_path;
use crate::kit::form::Form;

/// The kind of change that a form asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    New,
    Edit,
    Delete,
}

/// The values of the form, typed or initial.
#[derive(Debug, Clone, Default)]
pub(super) struct FormValues {
    /// The branch on which the form was opened.
    pub(super) start: String,
    /// The path of the file until now, in its kept form ([`tenon_domain::file_path`]). Empty for a new file.
    pub(super) was: String,
    /// The path that was typed.
    pub(super) path: String,
    pub(super) content: String,
    pub(super) message: String,
    /// The branch that gets the commit.
    pub(super) branch: String,
    /// The last commit that has changed the file, as the form has shown it.
    pub(super) last_commit: String,
}

impl FormValues {
    pub(super) fn sent(form: Form<'_>) -> Self {
        let line = |field: &str| form.text("file", field).trim().to_owned();
        let start = line("start");
        Self {
            was: form.text("file", "was"),
            path: line("path"),
            content: form.text("file", "content"),
            message: form.text("file", "message").trim().to_owned(),
            branch: Some(line("branch")).filter(|branch| !branch.is_empty()).unwrap_or_else(|| start.clone()),
            last_commit: line("last_commit"),
            start,
        }
    }

    /// The branch and the path until now, as part of addresses.
    pub(super) fn place(&self) -> String {
        format!("{}/{}", in_path(&self.start), in_path(&self.was))
    }

    /// The path after the change, in its kept form. One that was not changed may have bytes that no form can send.
    pub(super) fn becomes(&self) -> String {
        if self.path.is_empty() || self.path == shown(&self.was) { self.was.clone() } else { self.path.clone() }
    }

    /// The message of the commit: the typed one, or one that says what is done.
    pub(super) fn said(&self, change: Change) -> String {
        let name = |path: &str| shown(path.rsplit('/').next().unwrap_or_default()).into_owned();
        let (old, new) = (name(&self.was), name(&self.becomes()));
        match change {
            _ if !self.message.is_empty() => self.message.clone(),
            Change::New => format!("Create {new}"),
            Change::Edit if self.becomes() == self.was => format!("Update {new}"),
            Change::Edit => format!("Rename {old} to {new}"),
            Change::Delete => format!("Delete {old}"),
        }
    }

    /// The files of the branch after the change: their paths with their contents, or with none for one that is gone.
    pub(super) fn outcome(&self, change: Change, content: &[u8]) -> Vec<(String, Option<Vec<u8>>)> {
        let (was, becomes) = (self.was.clone(), self.becomes());
        let made = (becomes.clone(), Some(content.to_vec()));
        match change {
            Change::Delete => vec![(was, None)],
            Change::Edit if becomes != was => vec![made, (was, None)],
            Change::New | Change::Edit => vec![made],
        }
    }

    pub(super) fn commit(&self, change: Change, content: Vec<u8>) -> NewCommit {
        let action = |kind, path, previous_path, content| FileAction {
            kind,
            path,
            previous_path,
            content,
            last_commit_id: Some(self.last_commit.clone()).filter(|id| !id.is_empty()),
            executable: None,
        };
        let (was, becomes) = (self.was.clone(), self.becomes());
        let action = match change {
            Change::New => action(FileActionKind::Create, becomes, None, Some(content)),
            Change::Edit if becomes == was => action(FileActionKind::Update, was, None, Some(content)),
            Change::Edit => action(FileActionKind::Move, becomes, Some(was), Some(content)),
            Change::Delete => action(FileActionKind::Delete, was, None, None),
        };
        NewCommit {
            branch: self.branch.clone(),
            start_branch: Some(self.start.clone()).filter(|start| *start != self.branch),
            message: self.said(change),
            actions: vec![action],
            ..NewCommit::default()
        }
    }
}
