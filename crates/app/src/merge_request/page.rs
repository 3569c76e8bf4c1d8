//! A merge request as its pages show it: what stands in the way of its merge, what the caller may do, and what differs.

use std::collections::HashSet;

use tenon_domain::access::Decision;
use tenon_domain::group::GroupAction;
use tenon_domain::id::{ProjectId, VersionId};
use tenon_domain::issuable::{IssuableAction, IssuableKind, State};
use tenon_domain::merge_request::{DiffRefs, Version};
use tenon_domain::page::PageRequest;
use tenon_domain::project::{self as project_ability, ProjectAction};
use tenon_git::diff::{Diff, DiffLimits};
use tenon_git::merge::MergeCheck;
use tenon_git::{LookupPath, Repository};
use tenon_storage::{issuable, merge_request, note};

use super::approve::{self, ApprovalsView};
use super::close_issues::closing;
use super::mergeability::oid;
use super::progress::progress;
use super::requirements;
use super::show::one;
use super::source_branch::{SourceBranch, may_push, source_branch};
use super::view::MergeRequestView;
use crate::core::app::{App, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::authorization::facts;
use crate::policy::issuable::{IssuableReference, visible_issuables};
use crate::policy::reference::Reference;
use crate::repository::read::browse::{WhiteSpace, shown_limits};
use crate::repository::read::difference::FileDifference;
use crate::repository::read::sides::Sides;
use crate::shared::issuable::list::{ListIssuables, filter};
use crate::shared::issuable::open_discussions::OpenDiscussions;
use crate::shared::issuable::view::{Detail, IssuableView, views};
use tenon_storage::issuable::{IssuableSet, StateCounts, VisibleIssuables};

/// Versions that a page offers.
const VERSIONS: i64 = 100;

/// How much of a difference a page shows, at most.
const DIFF_BYTES: usize = 2 << 20;
const DIFF_TIME: std::time::Duration = std::time::Duration::from_secs(20);

/// A merge request, for its pages.
pub struct MergeRequestPage {
    /// The merge request itself.
    pub view: MergeRequestView,
    /// The caller's rights.
    pub may: MergeRights,
    /// The issues that its merge closes, as far as the caller may see them.
    pub closes: Vec<IssuableView>,
    /// Its versions after each push, newest first; the newest ones if there are many.
    pub versions: Vec<Version>,
    /// How many of those there are.
    pub versions_total: i64,
    /// The full path of the project of the source branch, if the caller may see it.
    pub source_path: Option<String>,
    /// Its approvals.
    pub approvals: ApprovalsView,
    /// How many discussions are open; counted if the caller may resolve them.
    pub open_discussions: usize,
    /// The source branch of a merged one, if the caller may see its project.
    pub source_branch: Option<SourceBranch>,
    /// How many suggestions of its comments the caller can apply.
    pub suggestions: i64,
    /// True if a pipeline that is there must have succeeded, and whether no discussion may be open.
    pub requirements: (bool, bool),
}

/// The caller's rights in a merge request besides those in any. The use cases ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeRights {
    /// Merge it, when nothing else stands in the way.
    pub merge: bool,
    /// Rebase the source branch. A rebase that has stopped at conflicts would stop there again.
    pub rebase: bool,
    /// Give up a merge that waits.
    pub cancel: bool,
    /// Push to the source branch.
    pub push: bool,
}

/// How many suggestions of the comments of a merge request the caller can apply, and if the caller may apply any.
pub fn applicable(query: &mut Query<'_>, of: &IssuableReference) -> Result<(i64, bool), AppError> {
    let found = query.merge_request(of, IssuableAction::Read)?;
    if found.issuable.state != State::Opened || found.home.project.archived {
        return Ok((0, false));
    }
    let may_push = may_push(query, &found)?;
    Ok((if may_push { note::count_appliable(&mut query.tx, found.issuable.id)? } else { 0 }, may_push))
}

/// The merge request of that number.
pub fn page(query: &mut Query<'_>, of: &IssuableReference) -> Result<MergeRequestPage, AppError> {
    let found = query.merge_request(of, IssuableAction::Read)?;
    let mut view = one(query, &found)?;
    let labels = Detail { labels: true, subscribed: true };
    view.of = views(query, vec![found.issuable.clone()], labels)?.pop().ok_or(AppError::NotFound(Missing::Record))?;
    let closing = closing(query, &found.home, &found.request)?;
    let closes = views(query, closing, Detail::default())?;
    let versions = merge_request::versions(&mut query.tx, found.request.id, PageRequest::new(None, Some(VERSIONS)))?;
    let signed_in = query.viewer().user();
    let open = found.issuable.state == State::Opened && !found.home.project.archived;
    let source = match found.request.source_project {
        Some(id) => query.project_with_standing(&Reference::Id(id.get()))?,
        None => None,
    };
    let source = source.filter(|source| source.may(ProjectAction::Read));
    let can_merge = view.single.as_ref().is_some_and(|single| single.can_merge);
    let reads = project_ability::decide(&found.home.standing, facts(&found.home.project), ProjectAction::ReadCode);
    let may = MergeRights {
        merge: open && can_merge,
        rebase: open
            && !found.request.has_failed_rebase()
            && reads == Decision::Allow
            && source.as_ref().is_some_and(|source| source.may(ProjectAction::Push)),
        push: open && may_push(query, &found)?,
        cancel: open && signed_in.is_some() && (can_merge || signed_in == Some(found.issuable.author)),
    };
    let open_discussions = match signed_in {
        Some(_) if found.may(IssuableAction::Resolve) => OpenDiscussions::find(query, of, None)?.len(),
        _ => 0,
    };
    let requirements = requirements::of(query, &found.home.project)?;
    let requirements = (requirements.pipeline, requirements.resolved);
    let source_branch = match &source {
        Some(source) => source_branch(query, &found, source.project.id)?,
        None => None,
    };
    Ok(MergeRequestPage {
        source_branch,
        approvals: approve::view(query, &found)?,
        view,
        may,
        closes,
        versions_total: versions.total,
        versions: versions.items,
        source_path: source.map(|source| source.full_path()),
        open_discussions,
        suggestions: if may.push { note::count_appliable(&mut query.tx, found.issuable.id)? } else { 0 },
        requirements,
    })
}

/// The branches of a project that cannot be offered to this branch of `target`, the project itself if none is named:
/// out of which merge requests into it are open, and the branch itself.
pub fn not_to_offer(
    query: &mut Query<'_>,
    source: &Reference,
    target: Option<ProjectId>,
    branch: &str,
) -> Result<HashSet<String>, AppError> {
    let source = query.project(source, ProjectAction::Read)?.project.id;
    let target = target.unwrap_or(source);
    let mut taken = merge_request::open_into(&mut query.tx, source, target, branch)?;
    if target == source {
        taken.insert(branch.to_owned());
    }
    Ok(taken)
}

/// How many merge requests into a project are open and closed; `all` counts merged ones too.
pub fn statistics_of_project(
    query: &mut Query<'_>,
    project: &Reference,
    request: &ListIssuables,
) -> Result<StateCounts, AppError> {
    let home = query.merge_request_home(project)?;
    let reach = visible_issuables(IssuableKind::MergeRequest, &home);
    let Some(filter) = filter(query, reach, request)? else { return Ok(StateCounts::default()) };
    Ok(issuable::count_by_state(&mut query.tx, &filter)?)
}

/// How many merge requests that the caller may see are open and closed; `all` counts merged ones too.
pub fn statistics(query: &mut Query<'_>, request: &ListIssuables) -> Result<StateCounts, AppError> {
    counted(query, IssuableSet::All, request)
}

/// How many merge requests of a group and of what is below it are open and closed; `all` counts merged ones too.
pub fn statistics_of_group(
    query: &mut Query<'_>,
    group: &Reference,
    request: &ListIssuables,
) -> Result<StateCounts, AppError> {
    let group = query.group(group, GroupAction::Read)?.group.id();
    counted(query, IssuableSet::Below(group), request)
}

fn counted(query: &mut Query<'_>, set: IssuableSet, request: &ListIssuables) -> Result<StateCounts, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    let reach = VisibleIssuables::resolve(&mut query.tx, IssuableKind::MergeRequest, viewer, set, today)?;
    let Some(filter) = filter(query, reach, request)? else { return Ok(StateCounts::default()) };
    Ok(issuable::count_by_state(&mut query.tx, &filter)?)
}

/// Which difference of a merge request is asked for.
#[derive(Debug, Clone, Default)]
pub struct AskedDifference {
    /// The version after one push; the newest if none is named.
    pub version: Option<VersionId>,
    /// The head of an older version, from which on; from the target on if none is named.
    pub start: Option<String>,
    /// Of the file with these paths alone, in their kept form, before and after. Its text may then be as long as that of all files
    /// together.
    pub file: Option<(String, String)>,
    /// From the version on up to which the caller has looked, without what came from the target since then. It outranks the
    /// others.
    pub since_seen: bool,
}

/// A difference that is still to be read from Git.
pub struct DifferencePage {
    repository: Repository,
    project: ProjectId,
    /// The commits of the version that is shown; nothing if there are no commits.
    pub refs: Option<DiffRefs>,
    /// The version, if it is not the newest.
    pub version: Option<VersionId>,
    /// The head of the older version with which it is compared.
    pub start: Option<String>,
    /// The version up to which the caller has looked, if what has changed since then is shown.
    pub since: Option<Version>,
    /// The paths of the file, before and after, that alone is shown.
    pub file: Option<(String, String)>,
}

/// The files that differ, as far as pages show them.
#[derive(Debug, Clone, Default)]
pub struct DifferingFiles {
    /// The files.
    pub files: Vec<FileDifference>,
    /// True if there are more of them, or more text.
    pub overflow: bool,
    /// The compared sides; nothing if there are no commits.
    pub sides: Option<Sides>,
    /// True if they also show what came from the target: the old change could not be made on top of it.
    pub with_target: bool,
}

/// The difference that is asked for. 404 if it names no version of the merge request.
pub fn difference_page(
    query: &mut Query<'_>,
    of: &IssuableReference,
    asked: AskedDifference,
) -> Result<DifferencePage, AppError> {
    let found = query.merge_request(of, IssuableAction::Read)?;
    let missing = || AppError::NotFound(Missing::Record);
    let project = found.home.project.id;
    let file = asked.file;
    let repository = query.app.repositories().store.repository(project);
    if asked.since_seen {
        let since = progress(query, of)?.seen.ok_or_else(missing)?;
        let refs = found.request.diff.clone();
        return Ok(DifferencePage { repository, project, refs, version: None, start: None, since: Some(since), file });
    }
    let refs = match asked.version {
        Some(id) => Some(merge_request::version(&mut query.tx, found.request.id, id)?.ok_or_else(missing)?.diff),
        None => found.request.diff.clone(),
    };
    if let Some(start) = &asked.start {
        let known = merge_request::known_heads(&mut query.tx, found.request.id)?;
        if !known.contains(start) {
            return Err(missing());
        }
    }
    Ok(DifferencePage { repository, project, refs, version: asked.version, start: asked.start, since: None, file })
}

impl DifferencePage {
    /// The files that differ.
    pub async fn files(&self, app: &App, white_space: WhiteSpace) -> Result<DifferingFiles, AppError> {
        let Some(refs) = &self.refs else { return Ok(DifferingFiles::default()) };
        let (base, head) = (oid(&refs.base)?, oid(&refs.head)?);
        let start = self.start.as_deref().map(oid).transpose()?;
        let since = self.since.as_ref().map(|seen| Ok::<_, AppError>((oid(&seen.diff.base)?, oid(&seen.diff.head)?)));
        let since = since.transpose()?;
        let named = self.file.iter().flat_map(|(before, after)| [before, after]);
        let paths: Option<Vec<LookupPath>> = named.map(|path| LookupPath::parse(path)).collect();
        let paths = paths.ok_or(AppError::NotFound(Missing::Plain))?;
        let (repository, project) = (self.repository.clone(), self.project);
        let ignore_space = white_space == WhiteSpace::Ignored;
        let of_all = DiffLimits { total_bytes: DIFF_BYTES, time: DIFF_TIME, ignore_space, ..shown_limits(app) };
        let limits = if paths.is_empty() { of_all } else { DiffLimits { file_bytes: DIFF_BYTES, ..of_all } };
        app.on_git_long(move || {
            let (from, with_target) = match since {
                Some((old_base, old_head)) if old_base == base => (old_head, false),
                // The old change on the new base: what came from the target stands on both sides.
                Some((old_base, old_head)) => match repository.change_onto(old_base, old_head, base, DIFF_TIME)? {
                    MergeCheck::Clean(tree) => (tree, false),
                    MergeCheck::Conflicts(_) | MergeCheck::Unrelated => (old_head, true),
                },
                None => (start.unwrap_or(base), false),
            };
            // A path as JSON shows it stands for the one that either side has.
            let exact = |path: LookupPath| match repository.exact_path(head, path.clone())? {
                same if same == path => repository.exact_path(from, path),
                exact => Ok(exact),
            };
            let paths = paths.into_iter().map(exact).collect::<Result<Vec<_>, _>>()?;
            let Diff { files, overflow } = repository.diff_of(from, head, &paths, limits)?;
            let sides = Some(Sides { repository, project, before: from, after: head });
            Ok(DifferingFiles { files, overflow, sides, with_target })
        })
        .await
    }

    /// The files of another version, which must be one of the merge request's own; none if its commits are gone.
    pub async fn files_of(&self, app: &App, version: &DiffRefs) -> Result<Vec<FileDifference>, AppError> {
        let (from, to) = (oid(&version.base)?, oid(&version.head)?);
        let repository = self.repository.clone();
        let limits = DiffLimits { total_bytes: DIFF_BYTES, time: DIFF_TIME, ..shown_limits(app) };
        app.on_git_long(move || Ok(repository.diff(from, to, limits).map(|diff| diff.files).unwrap_or_default())).await
    }
}
