//! Tags and their release notes.

use std::collections::HashMap;

use tenon_domain::id::ProjectId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::project::setting::RELEASES;
use tenon_domain::release::Release;
use tenon_domain::repository::{ProtectedRef, ProtectionKind, Protections};
use tenon_domain::time::Timestamp;
use tenon_git::TagName;
use tenon_git::branch::NameSearch;
use tenon_git::tag::{Direction, Tag, TagOrder as GitOrder};
use tenon_storage::release::by_tags;

use crate::core::app::App;
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::read::commit::CommitView;
use crate::repository::read::context::{Code, RepositoryContext};

/// A tag as answers show it.
#[derive(Debug, Clone)]
pub struct TagView {
    /// Its name.
    pub name: String,
    /// The message of an annotated one.
    pub message: Option<String>,
    /// The tag's own object, or the commit.
    pub target: String,
    /// The commit behind it.
    pub commit: Option<CommitView>,
    /// Its release notes.
    pub release: Option<Release>,
    /// True if a rule covers it.
    pub protected: bool,
    /// When an annotated one was made.
    pub created_at: Option<Timestamp>,
}

/// A request for tags.
#[derive(Debug, Clone, Default)]
pub struct ListTags {
    /// Part of the name.
    pub search: Option<String>,
    /// By name instead of by date.
    pub by_name: bool,
    /// The smallest first.
    pub ascending: bool,
    /// Which page.
    pub page: PageRequest,
}

/// The tags of a repository.
pub async fn tags(
    app: &App,
    identity: &Identity,
    project: Reference,
    request: ListTags,
) -> Result<Page<TagView>, AppError> {
    let code = app.readable(identity, project).await?;
    let (id, rules, pages) = (code.project.id, code.rules.rules.clone(), code.pages.clone());
    let found = list(app, code, request).await?;
    let names: Vec<String> = found.items.iter().map(|tag| tag.name.as_str().to_owned()).collect();
    let mut notes = notes_of(app, identity, id, names).await?;
    Ok(found.map(|tag| view(tag, &pages, &mut notes, &rules)))
}

/// As [`tags`], for a page, without release notes.
pub async fn tags_of(app: &App, code: &Code, request: ListTags) -> Result<Page<TagView>, AppError> {
    let (rules, pages) = (code.0.rules.rules.clone(), code.0.pages.clone());
    let found = list(app, code.0.clone(), request).await?;
    Ok(found.map(|tag| view(tag, &pages, &mut HashMap::new(), &rules)))
}

async fn list(app: &App, code: RepositoryContext, request: ListTags) -> Result<Page<Tag>, AppError> {
    app.read_git(move || {
        if !code.repository.exists() {
            return Ok(Page::empty(request.page));
        }
        let search = request.search.as_deref().filter(|text| !text.is_empty()).map(NameSearch::parse);
        let order = if request.by_name { GitOrder::Name } else { GitOrder::Updated };
        let direction = if request.ascending { Direction::Ascending } else { Direction::Descending };
        Ok(code.repository.tags(search.as_ref(), order, direction, request.page)?)
    })
    .await
}

/// One tag.
pub async fn tag(app: &App, identity: &Identity, project: Reference, name: String) -> Result<TagView, AppError> {
    let code = app.readable(identity, project).await?;
    let (id, rules, pages) = (code.project.id, code.rules.rules.clone(), code.pages.clone());
    let missing = || AppError::NotFound(Missing::Tag);
    let wanted = TagName::parse(&name).map_err(|_invalid| missing())?;
    let found = app
        .read_git(move || {
            let found = if code.repository.exists() { code.repository.tag(&wanted)? } else { None };
            found.ok_or_else(missing)
        })
        .await?;
    let mut notes = notes_of(app, identity, id, vec![name]).await?;
    Ok(view(found, &pages, &mut notes, &rules))
}

/// The release notes of these tags; none if the caller has no releases in the project.
async fn notes_of(
    app: &App,
    identity: &Identity,
    id: ProjectId,
    tags: Vec<String>,
) -> Result<HashMap<String, Release>, AppError> {
    app.read(identity, move |query| {
        let has_releases = query.project(&Reference::Id(id.get()), ProjectAction::ReadCode)?.has(&RELEASES);
        if has_releases { Ok(by_tags(&mut query.tx, id, &tags)?) } else { Ok(HashMap::new()) }
    })
    .await
}

fn view(tag: Tag, pages: &str, notes: &mut HashMap<String, Release>, rules: &[ProtectedRef]) -> TagView {
    let name = tag.name.as_str().to_owned();
    TagView {
        created_at: tag.annotation.as_ref().and_then(|annotation| Some(annotation.tagger.as_ref()?.at())),
        message: tag.annotation.map(|annotation| annotation.message),
        target: tag.target.to_string(),
        commit: tag.commit.map(|commit| CommitView::new(commit, pages)),
        release: notes.remove(&name),
        protected: Protections::covering(rules, ProtectionKind::Tag, &name).is_protected(),
        name,
    }
}
