//! The requirements of a project before a merge, and their state: for one merge request as for a list of them, in a constant
//! number of statements.

use std::collections::{HashMap, HashSet};

use tenon_domain::group::MergeRequirements;
use tenon_domain::id::{IssuableId, ProjectId};
use tenon_domain::issuable::{Issuable, State};
use tenon_domain::merge_request::{MergeRequest, SquashOption};
use tenon_domain::pipeline::JobStatus;
use tenon_domain::project::{MergeMethod, Project};
use tenon_storage::pipeline::HeadOf;
use tenon_storage::{note, pipeline, project, repository};

use super::{approvals, requirements};
use crate::core::app::Query;
use crate::core::error::AppError;
use crate::shared::views::pipelines;

/// The obstacles to one merge, as far as the caller may know.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Obstacles {
    /// True if the target has gone on and only a fast-forward is merged.
    pub(super) needs_rebase: bool,
    /// The pipeline of the head, if one must have succeeded.
    pub(super) pipeline: Option<JobStatus>,
    /// True if a discussion is open if none may be.
    pub(super) open_discussions: bool,
    /// True if approvals are missing that the rules require.
    pub(super) not_approved: bool,
    /// The decision of the project if its commits become one.
    pub(super) squash_option: Option<SquashOption>,
}

/// Those of each of these merge requests.
pub(super) fn of_all(
    query: &mut Query<'_>,
    found: &[Issuable],
    requests: &HashMap<IssuableId, MergeRequest>,
) -> Result<HashMap<IssuableId, Obstacles>, AppError> {
    let targets: Vec<ProjectId> = found.iter().map(|of| of.project).collect();
    let targets: HashMap<ProjectId, Project> = project::by_ids(&mut query.tx, &targets)?
        .into_iter()
        .map(|placed| (placed.project.id, placed.project))
        .collect();
    let requirements = requirements::of_all(query, targets.values())?;
    let requiring = |requirement: fn(&MergeRequirements) -> bool| -> Vec<&Issuable> {
        found.iter().filter(|of| requirements.get(&of.project).is_some_and(requirement)).collect()
    };
    let without_talk: Vec<IssuableId> =
        requiring(|requirements| requirements.resolved).into_iter().map(|of| of.id).collect();
    let talking = if without_talk.is_empty() {
        HashSet::new()
    } else {
        note::having_open_discussions(&mut query.tx, &without_talk)?
    };
    let rebasing = |target: &Project| target.merge_method != MergeMethod::Merge;
    let rebasing: Vec<&Issuable> = found.iter().filter(|of| targets.get(&of.project).is_some_and(rebasing)).collect();
    let behind = behind(query, &rebasing, requests)?;
    let pipelines = shown_pipelines(query, &requiring(|requirements| requirements.pipeline), requests)?;
    let lacking = approvals::lacking(query, found, requests)?;
    let obstacles = |of: &Issuable| Obstacles {
        squash_option: targets.get(&of.project).map(SquashOption::of),
        needs_rebase: behind.contains(&of.id),
        pipeline: pipelines.get(&of.id).copied(),
        open_discussions: talking.contains(&of.id),
        not_approved: lacking.contains(&of.id),
    };
    Ok(found.iter().map(|of| (of.id, obstacles(of))).collect())
}

/// Those of these that are open and whose target has gone on since they were measured.
fn behind(
    query: &mut Query<'_>,
    among: &[&Issuable],
    requests: &HashMap<IssuableId, MergeRequest>,
) -> Result<HashSet<IssuableId>, AppError> {
    let open =
        || among.iter().filter(|of| of.state == State::Opened).filter_map(|of| Some((of, requests.get(&of.id)?)));
    let target = |of: &Issuable, request: &MergeRequest| (of.project, format!("refs/heads/{}", request.target_branch));
    let wanted: Vec<(ProjectId, String)> = open().map(|(of, request)| target(of, request)).collect();
    if wanted.is_empty() {
        return Ok(HashSet::new());
    }
    let tips = repository::stored_refs_named(&mut query.tx, &wanted)?;
    let is_behind = |of: &Issuable, request: &MergeRequest| {
        let base = request.diff.as_ref().map(|diff| &diff.base);
        tips.get(&target(of, request)).is_some_and(|tip| Some(tip) != base)
    };
    Ok(open().filter(|(of, request)| is_behind(of, request)).map(|(of, _)| of.id).collect())
}

/// The states of the newest pipelines of the heads of those that are open, as far as the caller may see pipelines of the
/// source.
fn shown_pipelines(
    query: &mut Query<'_>,
    among: &[&Issuable],
    requests: &HashMap<IssuableId, MergeRequest>,
) -> Result<HashMap<IssuableId, JobStatus>, AppError> {
    let open = among.iter().filter(|of| of.state == State::Opened).filter_map(|of| requests.get(&of.id));
    let heads: HashMap<IssuableId, HeadOf> = open.filter_map(|request| Some((request.id, head(request)?))).collect();
    let sources: Vec<ProjectId> = heads.values().map(|head| head.project).collect();
    let shown = pipelines::shown_of(query, &sources)?;
    let shown: HashSet<ProjectId> = shown.into_iter().map(|placed| placed.project.id).collect();
    let asked: Vec<HeadOf> = heads.values().filter(|head| shown.contains(&head.project)).cloned().collect();
    let states = pipeline::newest_of_heads(&mut query.tx, &asked)?;
    Ok(heads.into_iter().filter_map(|(id, head)| Some((id, *states.get(&head)?))).collect())
}

fn head(request: &MergeRequest) -> Option<HeadOf> {
    let (project, sha) = (request.source_project?, request.head()?.to_owned());
    Some(HeadOf { project, branch: request.source_branch.clone(), sha })
}
