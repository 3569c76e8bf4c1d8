//! Making, changing and removing snippets.

use tenon_domain::field_errors::FieldErrors;
use tenon_domain::group::visibility_restricted;
use tenon_domain::id::SnippetId;
use tenon_domain::patch::Patch;
use tenon_domain::refusal::{Quota, SnippetRefusal};
use tenon_domain::snippet::{FileChange, Snippet, SnippetAction, SnippetFile, change_files, check, size};
use tenon_domain::time::Timestamp;
use tenon_domain::visibility::Visibility;
use tenon_storage::snippet::{self, Sender};

use super::view::{SnippetView, view};
use crate::core::app::Command;
use crate::core::error::{AppError, Missing};
use crate::policy::account::check_room;
use crate::policy::precondition::check_unmodified;
use crate::policy::quota::fits;
use crate::policy::reference::Reference;
use crate::policy::snippet::SnippetReference;

/// A request for a new snippet.
#[derive(Debug, Clone)]
pub struct NewSnippet {
    /// The title.
    pub title: String,
    /// Markdown.
    pub description: Option<String>,
    /// Who may read it.
    pub visibility: Visibility,
    /// Its files. One without a path gets one.
    pub files: Vec<SnippetFile>,
    /// From where it was sent.
    pub sender: Sender,
}

/// How a request changes the files of a snippet.
#[derive(Debug, Clone)]
pub enum FilesChange {
    /// Another name or text for the only file; a name alone is that of the first.
    Only {
        /// The name.
        name: Option<String>,
        /// The text.
        content: Option<String>,
    },
    /// These changes, one after the other.
    Each(Vec<FileChange>),
    /// These files instead of all.
    All(Vec<SnippetFile>),
}

/// A request to change a snippet.
#[derive(Debug, Clone)]
pub struct EditSnippet {
    /// Another title.
    pub title: Option<String>,
    /// Another description.
    pub description: Patch<String>,
    /// Another visibility.
    pub visibility: Option<Visibility>,
    /// Changes of its files.
    pub files: FilesChange,
    /// When it was last changed, as the caller has seen it. Another moment refuses the change.
    pub seen: Option<Timestamp>,
}

/// Makes a snippet in a project, or one of the caller alone.
pub fn create(
    command: &mut Command<'_>,
    project: Option<&Reference>,
    request: NewSnippet,
) -> Result<SnippetView, AppError> {
    let home = command.query().snippet_home(project)?;
    let mut snippet = Snippet {
        id: SnippetId::new(0),
        project: home,
        author: command.user()?.id,
        title: request.title,
        description: request.description,
        visibility: request.visibility,
        created_at: command.now,
        updated_at: command.now,
    };
    let files = change_files(Vec::new(), request.files.into_iter().map(FileChange::Create).collect())?;
    check_fields(command, &snippet, &files, None)?;
    check_quotas(command, &snippet, None, size(&files))?;
    snippet.id = snippet::insert(&mut command.tx, &snippet, &files, &request.sender)?;
    view(&mut command.query(), snippet)
}

/// Changes a snippet.
pub fn edit(command: &mut Command<'_>, of: &SnippetReference, request: EditSnippet) -> Result<SnippetView, AppError> {
    command.user()?;
    let before = command.query().snippet(of, SnippetAction::Edit, Missing::Snippet)?.snippet;
    if request.seen.is_some_and(|seen| seen != before.updated_at) {
        return Err(SnippetRefusal::Changed.into());
    }
    let mut snippet = before.clone();
    if let Some(title) = request.title {
        snippet.title = title;
    }
    snippet.description = request.description.apply(snippet.description.take());
    snippet.visibility = request.visibility.unwrap_or(snippet.visibility);
    let stored = snippet::files(&mut command.tx, snippet.id)?;
    let files = changed(stored.clone(), request.files)?;
    check_fields(command, &snippet, &files, Some(before.visibility))?;
    let other_files = (files != stored).then_some(files);
    if let Some(files) = &other_files {
        check_quotas(command, &snippet, Some(size(&stored)), size(files))?;
    }
    if snippet != before || other_files.is_some() {
        snippet.updated_at = command.now;
        snippet::update(&mut command.tx, &snippet, other_files.as_deref())?;
    }
    view(&mut command.query(), snippet)
}

fn changed(files: Vec<SnippetFile>, change: FilesChange) -> Result<Vec<SnippetFile>, AppError> {
    Ok(match change {
        FilesChange::Each(changes) => change_files(files, changes)?,
        FilesChange::All(files) => change_files(Vec::new(), files.into_iter().map(FileChange::Create).collect())?,
        FilesChange::Only { name: None, content: None } => files,
        FilesChange::Only { name, content } => {
            if content.is_some() && files.len() > 1 {
                return Err(SnippetRefusal::SeveralFiles.into());
            }
            let Some(from) = files.first().map(|file| file.path.clone()) else { return Ok(files) };
            let to = name.unwrap_or_else(|| from.clone());
            change_files(files, vec![FileChange::Move { from, to, content }])?
        }
    })
}

/// Removes a snippet.
pub fn delete(
    command: &mut Command<'_>,
    of: &SnippetReference,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    command.user()?;
    let found = command.query().snippet(of, SnippetAction::Edit, Missing::Snippet)?.snippet;
    check_unmodified(found.updated_at, unmodified_since)?;
    Ok(snippet::delete(&mut command.tx, found.id)?)
}

/// `present` is the visibility that a snippet has already: it may stay, even if it is restricted now.
fn check_fields(
    command: &mut Command<'_>,
    snippet: &Snippet,
    files: &[SnippetFile],
    present: Option<Visibility>,
) -> Result<(), AppError> {
    let settings = command.query().settings()?;
    let mut errors = FieldErrors::default();
    check(&mut errors, snippet, files, usize::try_from(settings.snippet_bytes).unwrap_or(usize::MAX));
    let wanted = snippet.visibility;
    if present != Some(wanted) && settings.restricts(wanted) && !command.viewer().is_admin() {
        errors.add("visibility_level", visibility_restricted(wanted));
    }
    Ok(errors.into_result()?)
}

/// Refuses what the author has no room for. `before` is the size of the files of a snippet that there is already.
fn check_quotas(
    command: &mut Command<'_>,
    snippet: &Snippet,
    before: Option<usize>,
    after: usize,
) -> Result<(), AppError> {
    let limits = command.app.limits();
    let (most, bytes) = (limits.contents.snippets, limits.contents.snippet_bytes);
    let (count, kept) = snippet::usage(&mut command.tx, snippet.author)?;
    if before.is_none() {
        check_room(count, most, "snippets")?;
    }
    let number = |size: usize| u64::try_from(size).unwrap_or(u64::MAX);
    let before = number(before.unwrap_or_default());
    let others = u64::try_from(kept).unwrap_or(0).saturating_sub(before);
    // A snippet that becomes smaller is stored, whatever there is.
    if number(after) > before && !fits(others, number(after), bytes) {
        return Err(AppError::QuotaExceeded(Quota::Snippets(bytes)));
    }
    Ok(())
}
