//! The pipelines of merge requests.

use std::collections::HashSet;

use tenon_domain::merge_request::MergeRequest;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::pipeline::JobStatus;
use tenon_storage::pipeline::{self, Pipeline, PipelineFilter, PipelineOrder};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::reference::Reference;
use crate::shared::views::pipelines::{PipelineView, may_see, views};

/// The pipeline of a merge request's head, as far as the caller may know it.
#[derive(Debug, Clone)]
pub enum HeadPipeline {
    /// Nothing: they may not see pipelines.
    Hidden,
    /// There is none.
    Missing,
    /// This one.
    Shown(Box<PipelineView>),
}

impl HeadPipeline {
    /// The pipeline.
    #[must_use]
    pub fn shown(&self) -> Option<&PipelineView> {
        match self {
            Self::Hidden | Self::Missing => None,
            Self::Shown(view) => Some(view),
        }
    }
}

/// The newest pipeline of a branch and commit.
pub(crate) fn of_head(
    query: &mut Query<'_>,
    project: &Reference,
    branch: &str,
    sha: &str,
) -> Result<HeadPipeline, AppError> {
    let Some(found) = query.project_with_standing(project)?.filter(may_see) else { return Ok(HeadPipeline::Hidden) };
    let newest = newest(query, found.project.id, branch, sha)?;
    let shown = views(query, &found, newest.into_iter().collect())?.pop();
    Ok(shown.map_or(HeadPipeline::Missing, |view| HeadPipeline::Shown(Box::new(view))))
}

/// The status of the newest pipeline of a merge request's head, for any caller.
pub(crate) fn status_of_head(query: &mut Query<'_>, of: &MergeRequest) -> Result<Option<JobStatus>, AppError> {
    let (Some(project), Some(sha)) = (of.source_project, of.head()) else { return Ok(None) };
    Ok(newest(query, project, &of.source_branch, sha)?.map(|pipeline| pipeline.status))
}

fn newest(
    query: &mut Query<'_>,
    project: tenon_domain::id::ProjectId,
    branch: &str,
    sha: &str,
) -> Result<Option<Pipeline>, AppError> {
    let filter = PipelineFilter {
        tag: Some(false),
        ref_name: Some(branch.to_owned()),
        sha: Some(sha.to_owned()),
        ..PipelineFilter::default()
    };
    let one = PageRequest::new(None, Some(1));
    Ok(pipeline::list(&mut query.tx, project, &filter, PipelineOrder::Id, true, one)?.items.pop())
}

/// More pipelines of one branch than this are not read.
const MAX_PIPELINES: i64 = 1000;

/// The pipelines of a branch for any of these commits, newest first.
pub(crate) fn of_heads(
    query: &mut Query<'_>,
    project: &Reference,
    branch: &str,
    shas: &HashSet<String>,
    page: PageRequest,
) -> Result<Page<PipelineView>, AppError> {
    // The merge request itself is known to the caller; its source may be hidden.
    let found = query.project_with_standing(project)?.filter(may_see).ok_or(AppError::Forbidden)?;
    let filter = PipelineFilter { tag: Some(false), ref_name: Some(branch.to_owned()), ..PipelineFilter::default() };
    let mut of_branch = Vec::new();
    let per_page = PageRequest::MAX_PER_PAGE;
    for number in 1..=MAX_PIPELINES / per_page {
        let asked = PageRequest::new(Some(number), Some(per_page));
        let part = pipeline::list(&mut query.tx, found.project.id, &filter, PipelineOrder::Id, true, asked)?;
        let is_last = number >= part.total_pages();
        of_branch.extend(part.items.into_iter().filter(|pipeline| shas.contains(&pipeline.sha)));
        if is_last {
            break;
        }
    }
    let part = Page::cut(of_branch, page);
    Ok(Page { items: views(query, &found, part.items)?, total: part.total, request: part.request })
}
