//! One merge request.

use tenon_domain::access::Viewer;
use tenon_domain::issuable::{IssuableAction, State};
use tenon_domain::merge_request::MergeStatus;
use tenon_domain::page::{Page, PageRequest};
use tenon_git::Repository;
use tenon_storage::merge_request;

use super::found::{AuthorizedMergeRequest, may_merge};
use super::view::{MergeRequestView, Single, bare};
use crate::core::app::{App, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::policy::issuable::IssuableReference;
use crate::policy::reference::Reference;
use crate::shared::issuable::view::{Detail, views as issuable_views};
use crate::shared::views::head_pipeline;
use crate::shared::views::head_pipeline::HeadPipeline;
use crate::shared::views::pipelines::PipelineView;

/// A request for a merge request.
#[derive(Debug, Clone, Copy, Default)]
pub struct ShowMergeRequest {
    /// With title and description as HTML.
    pub render_html: bool,
    /// With the number of commits that the target has and the source has not.
    pub diverged: bool,
    /// Labels with their colours.
    pub labels: bool,
}

/// The merge request of that number. If Git has not been asked whether it can be merged since a branch moved, it is
/// asked now, but for callers without an account: they are shown what is known, and nothing is written for them.
pub async fn show(
    app: &App,
    identity: &Identity,
    of: IssuableReference,
    request: ShowMergeRequest,
) -> Result<MergeRequestView, AppError> {
    let reference = of.clone();
    let (found, is_stranger) = app
        .read(identity, move |query| {
            let found = query.merge_request(&reference, IssuableAction::Read)?;
            Ok((found, query.viewer() == Viewer::Anonymous))
        })
        .await?;
    let is_unchecked = found.issuable.state == State::Opened && found.request.merge_status == MergeStatus::Unchecked;
    let mut diverged = None;
    if is_unchecked && !is_stranger || request.diverged {
        let this = app.clone();
        diverged = app
            .on_git(move || {
                if !is_stranger {
                    this.sync_source(found.issuable.id, None)?;
                }
                if request.diverged { this.diverged(&found).map(Some) } else { Ok(None) }
            })
            .await?;
    }
    app.read(identity, move |query| {
        let found = query.merge_request(&of, IssuableAction::Read)?;
        let mut view = one(query, &found)?;
        if request.labels {
            let detail = Detail { labels: true, subscribed: true };
            let detailed = issuable_views(query, vec![found.issuable.clone()], detail)?.pop();
            view.of.label_details = detailed.and_then(|detailed| detailed.label_details);
        }
        if let Some(single) = &mut view.single {
            single.diverged = diverged;
            if request.render_html {
                let project = Reference::Id(found.home.project.id.get());
                let mut html = |text: &str| crate::shared::markdown::render(query, text, Some(&project));
                single.title_html = Some(html(&found.issuable.title)?);
                single.description_html = Some(html(found.issuable.description.as_deref().unwrap_or_default())?);
            }
        }
        Ok(view)
    })
    .await
}

/// The view of a merge request by itself.
pub(super) fn one(query: &mut Query<'_>, found: &AuthorizedMergeRequest) -> Result<MergeRequestView, AppError> {
    let pipeline = head_pipeline(query, found)?;
    let can_merge = may_merge(query, &found.home, &found.request.target_branch)?;
    let mut view = bare(query, found.issuable.clone())?;
    let single = Single { can_merge, pipeline, diverged: None, title_html: None, description_html: None };
    view.single = Some(Box::new(single));
    Ok(view)
}

fn head_pipeline(query: &mut Query<'_>, found: &AuthorizedMergeRequest) -> Result<HeadPipeline, AppError> {
    let (Some(source), Some(head)) = (found.request.source_project, found.request.head()) else {
        return Ok(HeadPipeline::Missing);
    };
    head_pipeline::of_head(query, &Reference::Id(source.get()), &found.request.source_branch, head)
}

/// The pipelines of the source branch for any commit that was its head, newest first.
pub fn pipelines(
    query: &mut Query<'_>,
    of: &IssuableReference,
    page: PageRequest,
) -> Result<Page<PipelineView>, AppError> {
    let found = query.merge_request(of, IssuableAction::Read)?;
    let heads = merge_request::known_heads(&mut query.tx, found.request.id)?;
    let project = found.request.source_project.unwrap_or(found.home.project.id);
    head_pipeline::of_heads(query, &Reference::Id(project.get()), &found.request.source_branch, &heads, page)
}

impl App {
    /// How many commits the target branch has that the source has not.
    fn diverged(&self, found: &AuthorizedMergeRequest) -> Result<i64, AppError> {
        let repositories = self.merge_repositories(&found.home.project, &found.request);
        let (Some(head), Some(target)) = (found.request.head(), repositories.target_tip(&found.request)?) else {
            return Ok(0);
        };
        behind(&repositories.target, super::mergeability::oid(head)?, target)
    }
}

fn behind(repository: &Repository, head: tenon_git::Oid, target: tenon_git::Oid) -> Result<i64, AppError> {
    use tenon_git::commit::{CommitQuery, CommitRange};
    Ok(repository.commit_count(&CommitQuery::new(CommitRange::Between { from: head, to: target }))?)
}
