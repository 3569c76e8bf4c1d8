//! Files that texts of a wiki show or link to.

use bytes::Bytes;
use tenon_auth::Secret;
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::{RepositoryRefusal, WikiRefusal};
use tenon_domain::wiki::{UPLOADS, attachment_name};
use tenon_git::write::actions::Action;
use tenon_git::{BranchName, LookupPath, RepositoryKind, TreePath};

use super::change::head_of;
use crate::core::app::App;
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::refs::ref_write::at_the_head;
use crate::repository::{Content, RawFile};
use crate::shared::files::upload::UploadLink;

/// A file to be attached.
#[derive(Debug, Clone)]
pub struct Attachment {
    /// The name that the client gave it. Not to be trusted.
    pub file_name: String,
    /// Its bytes.
    pub bytes: Bytes,
    /// The branch of the wiki that gets it; the one with the pages if absent.
    pub branch: Option<String>,
}

/// A file that was attached.
#[derive(Debug, Clone)]
pub struct Attached {
    /// The name under which it is stored.
    pub file_name: String,
    /// Its path from the top of the wiki.
    pub file_path: String,
    /// The branch that has it.
    pub branch: String,
    /// How a text of the wiki names it.
    pub link: UploadLink,
}

/// Puts a file into the repository of a wiki, in a folder of its own.
///
/// # Errors
/// [`AppError::TooLarge`] above the setting `max_attachment_size`, [`WikiRefusal::NoFileName`] without a name, those of a commit and
/// of a caller who may not write the wiki.
pub async fn attach(
    app: &App,
    identity: &Identity,
    project: Reference,
    file: Attachment,
) -> Result<Attached, AppError> {
    let writable = app.writable_wiki(identity, project, ProjectAction::WriteWiki).await?;
    let most = u64::try_from(app.known_settings().max_attachment_size).unwrap_or(0).saturating_mul(1024 * 1024);
    if u64::try_from(file.bytes.len()).unwrap_or(u64::MAX) > most {
        return Err(AppError::TooLarge);
    }
    let file_name = attachment_name(&file.file_name);
    if file_name.is_empty() {
        return Err(WikiRefusal::NoFileName.into());
    }
    let file_path = format!("{UPLOADS}/{}/{file_name}", Secret::generate_hex(app.entropy()).expose());
    let path = TreePath::parse(&file_path).map_err(|_invalid| RepositoryRefusal::InvalidFileName(file_name.clone()))?;
    let named = match file.branch.filter(|name| !name.is_empty()) {
        Some(name) => Some(BranchName::parse(&name).map_err(|_invalid| RepositoryRefusal::InvalidBranch)?),
        None => None,
    };
    let this = app.clone();
    app.on_git(move || {
        let project = writable.wiki.project.id;
        let repository = this.repository_of_kind(project, RepositoryKind::Wiki)?;
        let message = format!("Upload attachment {file_name}");
        let branch = at_the_head(|| {
            let (head, tip) = head_of(&repository)?;
            let (branch, tip) = match &named {
                Some(named) => (named.clone(), repository.ref_target(&named.full())?),
                None => (head.clone(), tip),
            };
            // Only the first branch is made.
            if tip.is_none() && (branch != head || repository.has_refs()?) {
                return Err(RepositoryRefusal::NotOnABranch.into());
            }
            let content = file.bytes.to_vec();
            let action = Action::Create { path: path.clone(), content, executable: false };
            this.commit_to_wiki(&writable, &repository, (branch.clone(), tip), &message, action)?;
            Ok(branch)
        })?;
        this.record_wiki_change(project, Some(writable.user.id), None)?;
        let link = UploadLink::of(&file_name, file_path.clone());
        Ok(Attached { file_name, file_path, branch: branch.as_str().to_owned(), link })
    })
    .await
}

/// A file of a wiki that the caller may read, with its content if that has no more than `limit` bytes. `path` begins at the top.
///
/// # Errors
/// [`Missing::WikiPage`] if there is no such file, or if it is a symbolic link.
pub async fn attachment(
    app: &App,
    identity: &Identity,
    project: Reference,
    path: String,
    limit: u64,
) -> Result<RawFile, AppError> {
    let wiki = app.readable_wiki(identity, project).await?;
    app.read_git(move || {
        let missing = || AppError::NotFound(Missing::WikiPage);
        let path = LookupPath::parse(&path).ok_or_else(missing)?;
        let (_, tip) = wiki.head()?.ok_or_else(missing)?;
        let (entry, blob) = wiki.repository.file_at(tip, &path, limit)?.ok_or_else(missing)?;
        if entry.is_link() {
            return Err(missing());
        }
        let content = Content::of_blob(&wiki.repository, blob);
        Ok(RawFile { name: path.file().name(), content, blob_id: entry.id.to_string(), is_fixed: false })
    })
    .await
}
