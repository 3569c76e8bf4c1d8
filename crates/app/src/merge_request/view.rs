//! Merge requests with what answers show of them.

use tenon_domain::id::UserId;
use tenon_domain::issuable::Issuable;
use tenon_domain::merge_request::{AcceptFacts, MergeRequest, MergeStatus, SquashOption, readiness};
use tenon_storage::merge_request;

use super::obstacles;
use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::shared::issuable::view as issuable_view;
use crate::shared::issuable::view::{Detail, IssuableView};
use crate::shared::views::head_pipeline::HeadPipeline;
use crate::shared::views::user_ref::UserRef;

/// A merge request as answers show it.
#[derive(Debug, Clone)]
pub struct MergeRequestView {
    /// The part that it shares with issues.
    pub of: IssuableView,
    /// The rest.
    pub request: MergeRequest,
    /// Who has merged it.
    pub merged_by: Option<UserRef>,
    /// Who has asked for it to be merged when the pipeline succeeds.
    pub auto_merge_by: Option<UserRef>,
    /// The reviewers.
    pub reviewers: Vec<UserRef>,
    /// `detailed_merge_status` of today's clients.
    pub readiness: &'static str,
    /// The decision of the project if its commits become one when it is merged.
    pub squash_option: SquashOption,
    /// True if no discussion is open that has to be resolved before the merge.
    pub discussions_resolved: bool,
    /// The part that only single merge requests show.
    pub single: Option<Box<Single>>,
}

/// The part that only single merge requests show.
#[derive(Debug, Clone)]
pub struct Single {
    /// True if the caller may merge it, by their role.
    pub can_merge: bool,
    /// The pipeline of its head.
    pub pipeline: HeadPipeline,
    /// Commits of the target branch that the source has not, if asked for.
    pub diverged: Option<i64>,
    /// The title as HTML, if asked for.
    pub title_html: Option<String>,
    /// The description as HTML, if asked for.
    pub description_html: Option<String>,
}

/// The views of these, in their order.
pub(crate) fn views(
    query: &mut Query<'_>,
    found: Vec<Issuable>,
    detail: Detail,
) -> Result<Vec<MergeRequestView>, AppError> {
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<_> = found.iter().map(|one| one.id).collect();
    let mut requests = merge_request::by_ids(&mut query.tx, &ids)?;
    let mut reviewers = merge_request::reviewers(&mut query.tx, &ids)?;
    let mut people: Vec<UserId> = reviewers.values().flatten().copied().collect();
    people.extend(requests.values().flat_map(|request| {
        let merged = request.merged.as_ref().and_then(|merged| merged.by);
        merged.into_iter().chain(request.auto_merge.as_ref().map(|waiting| waiting.by))
    }));
    let people = UserRef::of(query, people)?;
    let obstacles = obstacles::of_all(query, &found, &requests)?;
    let mut shown = Vec::with_capacity(found.len());
    for of in issuable_view::views(query, found, detail)? {
        let id = of.issuable.id;
        let Some(request) = requests.remove(&id) else { continue };
        let reviewers = reviewers.remove(&id).unwrap_or_default();
        let obstacles = obstacles.get(&id).copied().unwrap_or_default();
        shown.push(MergeRequestView {
            merged_by: request.merged.as_ref().and_then(|merged| people.get(&merged.by?).cloned()),
            auto_merge_by: request.auto_merge.as_ref().and_then(|waiting| people.get(&waiting.by).cloned()),
            reviewers: reviewers.iter().filter_map(|user| people.get(user).cloned()).collect(),
            readiness: readiness(&AcceptFacts {
                needs_rebase: obstacles.needs_rebase,
                pipeline: obstacles.pipeline,
                pipeline_must_succeed: obstacles.pipeline.is_some(),
                open_discussions: obstacles.open_discussions,
                not_approved: obstacles.not_approved,
                ..facts(&of.issuable, &request)
            }),
            squash_option: obstacles.squash_option.unwrap_or(SquashOption::DefaultOff),
            discussions_resolved: !obstacles.open_discussions,
            of,
            request,
            single: None,
        });
    }
    Ok(shown)
}

/// The view of one.
pub(super) fn bare(query: &mut Query<'_>, of: Issuable) -> Result<MergeRequestView, AppError> {
    let detail = Detail { subscribed: true, ..Detail::default() };
    views(query, vec![of], detail)?.pop().ok_or(AppError::NotFound(Missing::Record))
}

/// The facts about a merge request that are known without asking about its project.
pub(super) fn facts<'a>(of: &Issuable, request: &'a MergeRequest) -> AcceptFacts<'a> {
    AcceptFacts {
        state: of.state,
        may_merge: true,
        draft: request.draft,
        merge_status: if request.has_commits() { request.merge_status } else { MergeStatus::CannotBeMerged },
        needs_rebase: false,
        pipeline: None,
        pipeline_must_succeed: false,
        open_discussions: false,
        not_approved: false,
        head: request.head().unwrap_or_default(),
        sha: None,
        when_pipeline_succeeds: false,
    }
}
