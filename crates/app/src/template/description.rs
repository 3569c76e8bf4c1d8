//! Templates of descriptions: Markdown files in folders of the project's repository.

use std::collections::BTreeSet;

use tenon_domain::issuable::MAX_TEXT;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::project::setting::{ISSUES_TEMPLATE, MERGE_REQUESTS_TEMPLATE};
use tenon_domain::settings::Setting;
use tenon_git::tree::{Depth, EntryKind};
use tenon_git::{LookupPath, Oid};

use crate::core::app::App;
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::read::context::RepositoryContext;

const EXTENSION: &str = ".md";

/// The template that a new description begins with, whatever the case of its name.
const DEFAULT: &str = "default";

/// The most templates of a kind that are listed.
const MOST: usize = 500;

/// The kind of the described thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DescriptionKind {
    /// An issue.
    Issue,
    /// A merge request.
    MergeRequest,
}

impl DescriptionKind {
    /// The folders of its templates, from the top of the repository. Of two files of one name, that of the first counts.
    const fn folders(self) -> [&'static str; 2] {
        match self {
            Self::Issue => [".tenon/issue_templates", ".gitlab/issue_templates"],
            Self::MergeRequest => [".tenon/merge_request_templates", ".gitlab/merge_request_templates"],
        }
    }

    /// The setting of a project with the text that a new one begins with.
    const fn preset(self) -> &'static Setting {
        match self {
            Self::Issue => &ISSUES_TEMPLATE,
            Self::MergeRequest => &MERGE_REQUESTS_TEMPLATE,
        }
    }
}

/// The keys of the templates in the default branch of a project: names of files without `.md`, in the order of a
/// directory. Of a project without commits or templates, none.
///
/// # Errors
/// [`AppError::NotFound`] if the caller may not see the project, [`AppError::Forbidden`] if not its code.
pub async fn descriptions(
    app: &App,
    identity: &Identity,
    project: Reference,
    kind: DescriptionKind,
    page: PageRequest,
) -> Result<Page<String>, AppError> {
    let code = app.readable(identity, project).await?;
    let keys = app.read_git(move || match code.commit_named(None)? {
        Some(commit) => keys(&code, commit, kind),
        None => Ok(Vec::new()),
    });
    Ok(Page::cut(keys.await?, page))
}

fn keys(code: &RepositoryContext, commit: Oid, kind: DescriptionKind) -> Result<Vec<String>, AppError> {
    let mut files = BTreeSet::new();
    for folder in kind.folders() {
        let Some(folder) = LookupPath::parse(folder) else { continue };
        let entries = code.repository.tree_entries(commit, Some(&folder), Depth::One)?;
        let found = entries.iter().flatten().filter(|entry| entry.kind == EntryKind::Blob);
        let names = found.map(|entry| entry.path.name().to_string()).filter(|name| name.ends_with(EXTENSION));
        files.extend(names.take(MOST));
    }
    let key = |name: String| name.strip_suffix(EXTENSION).map(str::to_owned);
    Ok(files.into_iter().filter_map(key).take(MOST).collect())
}

/// The text of one template.
///
/// # Errors
/// As [`descriptions`]; [`AppError::NotFound`] if there is no such file, [`AppError::TooLarge`] if it is longer than a
/// description may be.
pub async fn description(
    app: &App,
    identity: &Identity,
    project: Reference,
    kind: DescriptionKind,
    key: &str,
) -> Result<String, AppError> {
    let code = app.readable(identity, project).await?;
    let key = key.to_owned();
    app.read_git(move || {
        let commit = code.commit_named(None)?.ok_or(AppError::NotFound(Missing::Template))?;
        text(&code, commit, kind, &key)
    })
    .await
}

/// The text that a new description begins with: that of the template `Default`, or else the one that the settings of the
/// project preset, also to those who may not read its code. Empty if there is none.
///
/// # Errors
/// [`AppError::NotFound`] if the caller may not see the project.
pub async fn default_description(
    app: &App,
    identity: &Identity,
    project: Reference,
    kind: DescriptionKind,
) -> Result<String, AppError> {
    let found = app.read(identity, move |query| {
        let found = query.project(&project, ProjectAction::Read)?;
        let preset = found.project.settings.text_of(kind.preset()).unwrap_or_default().to_owned();
        let code = if found.may(ProjectAction::ReadCode) { Some(query.repository_of(found)?) } else { None };
        Ok((preset, code))
    });
    let (preset, code) = found.await?;
    let Some(code) = code else { return Ok(preset) };
    app.read_git(move || {
        let Some(commit) = code.commit_named(None)? else { return Ok(preset) };
        let keys = keys(&code, commit, kind)?;
        match keys.iter().find(|key| key.eq_ignore_ascii_case(DEFAULT)) {
            Some(key) => match text(&code, commit, kind, key) {
                Err(AppError::TooLarge | AppError::NotFound(_)) => Ok(String::new()),
                text => text,
            },
            None => Ok(preset),
        }
    })
    .await
}

fn text(code: &RepositoryContext, commit: Oid, kind: DescriptionKind, key: &str) -> Result<String, AppError> {
    // A longer text is no description.
    let largest = u64::try_from(MAX_TEXT).unwrap_or(u64::MAX);
    for folder in kind.folders() {
        // A key names a file of these folders only.
        let path = (!key.contains('/')).then(|| format!("{folder}/{key}{EXTENSION}"));
        let Some(path) = path.as_deref().and_then(LookupPath::parse) else { break };
        if let Some((_, blob)) = code.repository.file_at(commit, &path, largest)? {
            let content = blob.content.ok_or(AppError::TooLarge)?;
            return Ok(String::from_utf8_lossy(&content).into_owned());
        }
    }
    Err(AppError::NotFound(Missing::Template))
}
