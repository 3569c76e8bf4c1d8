//! Files that a form puts into a directory of a branch, as one commit.

use bytes::Bytes;
use tenon_domain::file_path::FilePath;
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::RepositoryRefusal;
use tenon_git::write::actions::Action as GitAction;
use tenon_git::write::{Refusal, WriteError};
use tenon_git::{Oid, Repository, TreePath};

use super::commit_files::{CommitPlace, NewCommit};
use crate::core::app::{App, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::refs::ref_write::refused;

/// The most files of one commit.
pub const MOST_FILES: usize = 100;

/// A request for a commit of whole files.
#[derive(Debug, Clone)]
pub struct UploadFiles {
    /// The branch that gets it.
    pub branch: String,
    /// The branch from which that one is made, if it is not there yet.
    pub start_branch: Option<String>,
    /// The message.
    pub message: String,
    /// The directory, by the kept form of its path ([`tenon_domain::file_path`]). Empty at the top.
    pub directory: String,
    /// The names of the files, and their bytes.
    pub files: Vec<(String, Bytes)>,
    /// True if they replace files that have these names and other contents.
    pub replaces: bool,
}

impl UploadFiles {
    /// The paths of the files, in their kept form, with their bytes.
    #[must_use]
    pub fn placed(&self) -> Vec<(String, Bytes)> {
        let between = if self.directory.is_empty() { "" } else { "/" };
        let placed = |(name, bytes): &(String, Bytes)| (format!("{}{between}{name}", self.directory), bytes.clone());
        self.files.iter().map(placed).collect()
    }
}

/// Checks that the caller may read the code of a project, before files are received. They may be for a fork of it.
///
/// # Errors
/// [`AppError::NotFound`] and [`AppError::Forbidden`] as for a reader of the code, [`AppError::Unauthenticated`] without an
/// account.
pub fn check_upload(query: &mut Query<'_>, project: &Reference) -> Result<(), AppError> {
    query.user()?;
    query.project(project, ProjectAction::ReadCode).map(drop)
}

/// Makes a commit of all these files, or none. Those that are there with the same content stay.
///
/// # Errors
/// Those of a commit, and of names that no file may have; [`AppError::Invalid`] for too many files, and for one that is larger
/// than the setting `max_attachment_size`.
pub async fn upload_files(
    app: &App,
    identity: &Identity,
    place: CommitPlace,
    request: UploadFiles,
) -> Result<(), AppError> {
    if request.files.len() > MOST_FILES {
        return Err(AppError::invalid("files", format!("must not be more than {MOST_FILES}")));
    }
    let megabytes = app.known_settings().max_attachment_size;
    let most = usize::try_from(megabytes).unwrap_or(0).saturating_mul(1024 * 1024);
    if let Some((name, _)) = request.files.iter().find(|(_, bytes)| bytes.len() > most) {
        let name = legible(name);
        return Err(AppError::invalid("files", format!("must not be larger than {megabytes} MiB: {name}")));
    }
    let placed = request.placed();
    let replaces = request.replaces;
    let actions = move |_: &Repository, _: Option<Oid>| {
        let put = |(path, bytes): &(String, Bytes)| {
            let path = TreePath::parse(path).map_err(|_invalid| RepositoryRefusal::InvalidFileName(legible(path)))?;
            Ok(GitAction::Put { path, content: bytes.to_vec(), replaces })
        };
        placed.iter().map(put).collect()
    };
    let commit = NewCommit {
        branch: request.branch,
        start_branch: request.start_branch,
        message: request.message,
        ..NewCommit::default()
    };
    app.commit_actions_at(identity, place, commit, actions, refusal).await
}

/// A refusal that names the file, since there may be several.
fn refusal(error: WriteError) -> AppError {
    match error {
        WriteError::Refused(Refusal::FileExists(path)) => RepositoryRefusal::FileTaken(legible(&path)).into(),
        other => refused(other),
    }
}

/// A path as people see it.
fn legible(path: &str) -> String {
    FilePath::from_kept(path).unwrap_or_default().legible()
}
