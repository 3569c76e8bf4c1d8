//! The state of the two branches of a merge request, by Git.

use tenon_domain::id::ProjectId;
use tenon_domain::merge_request::{DiffRefs, MergeRequest, MergeStatus, Version};
use tenon_domain::project::Project;
use tenon_domain::repository::code_owners::TouchedOwners;
use tenon_git::commit::{Commit, CommitQuery, CommitRange};
use tenon_git::merge::MergeCheck;
use tenon_git::write::RefChange;
use tenon_git::{BranchName, GitError, Oid, RefName, Repository};
use tenon_markdown::Reference;

use crate::core::app::App;
use crate::core::error::AppError;

/// The most files that are counted: one more than answers show.
const MAX_CHANGES: usize = 1001;
/// The most commits whose messages are read.
const MAX_MESSAGES: i64 = 100;
/// How much of a message is read, in characters.
const MAX_MESSAGE: usize = 16_384;

/// The repositories of a merge request.
pub(super) struct MergeRepositories {
    pub(super) app: App,
    /// The target.
    project: ProjectId,
    /// That of the target.
    pub(super) target: Repository,
    /// That of the source; nothing once it is gone.
    pub(super) source: Option<Repository>,
    source_project: Option<ProjectId>,
    /// Bytes of a patch of which the id is computed.
    patch_size: u64,
}

/// The difference of two commits.
#[derive(Debug, Clone)]
pub(super) struct Mergeability {
    pub(super) diff: DiffRefs,
    pub(super) status: MergeStatus,
    /// The code owners of what it changes.
    pub(super) owners: TouchedOwners,
    /// The id of the patch, if there is one that is not too large.
    pub(super) patch_id: Option<String>,
    /// The issues that the messages of its newest commits say are closed.
    pub(super) closes: Vec<Reference>,
}

impl App {
    /// The repositories of a merge request into `target`.
    pub(super) fn merge_repositories(&self, target: &Project, request: &MergeRequest) -> MergeRepositories {
        let store = &self.repositories().store;
        let source = request.source_project.map(|project| store.repository(project));
        MergeRepositories {
            app: self.clone(),
            project: target.id,
            target: store.repository(target.id),
            source: source.filter(Repository::exists),
            source_project: request.source_project,
            patch_size: self.limits().reads.patch_id,
        }
    }
}

impl MergeRepositories {
    /// The commit of the source branch.
    pub(super) fn source_tip(&self, request: &MergeRequest) -> Result<Option<Oid>, AppError> {
        self.source.as_ref().map_or(Ok(None), |repository| tip(repository, &request.source_branch))
    }

    /// The commit of the target branch.
    pub(super) fn target_tip(&self, request: &MergeRequest) -> Result<Option<Oid>, AppError> {
        if !self.target.exists() {
            return Ok(None);
        }
        tip(&self.target, &request.target_branch)
    }

    /// Makes the target's repository have a commit of the source, and keep it whatever becomes of the branches.
    /// [`AppError::QuotaExceeded`] if the target has no room for it.
    pub(super) fn fetch(&self, commit: Oid) -> Result<(), AppError> {
        if self.target.commit(commit)?.is_none()
            && let (Some(source), Some(project)) = (&self.source, self.source_project)
        {
            let name = RefName::keep_around(commit);
            return self.app.fetch_within_quota(self.project, (project, source), commit, &name);
        }
        self.target.keep_alive(commit).map_err(AppError::internal)
    }

    /// Points `refs/merge-requests/:iid/head` at a commit that the target's repository has, and keeps what that was compared
    /// with.
    pub(super) fn update_refs(&self, iid: i64, head: Oid, start: Oid) -> Result<(), AppError> {
        let changes = [(RefName::merge_request_head(iid), head), (RefName::keep_around(start), start)];
        let changes = changes.map(|(name, new)| RefChange::Set { name, new });
        self.target.update_refs(&changes).map_err(AppError::internal)
    }

    /// The difference of a commit of the target and one of the source, both of which the target's repository has.
    /// `known` is the newest version: the id of its patch is not computed again for the same patch.
    pub(super) fn measure(&self, target: Oid, source: Oid, known: Option<&Version>) -> Result<Mergeability, AppError> {
        let query = CommitQuery::new(CommitRange::Between { from: target, to: source });
        let commits_count = self.target.commit_count(&query)?;
        let commits = match self.target.commit_list(&query, 0, MAX_MESSAGES) {
            // Longer messages are cut.
            Err(GitError::TooLarge(_)) => Vec::new(),
            other => other?,
        };
        let base = self.target.merge_base(&[target, source])?;
        let changes = match base {
            Some(base) => self.target.changed_files(base, source, MAX_CHANGES)?,
            None => 0,
        };
        let check = self.target.merge_check(target, source)?;
        let mergeable = commits_count > 0 && matches!(check, MergeCheck::Clean(_));
        Ok(Mergeability {
            diff: DiffRefs {
                base: base.unwrap_or(target).to_string(),
                start: target.to_string(),
                head: source.to_string(),
                commits_count,
                changes_count: i64::try_from(changes).unwrap_or(i64::MAX),
                overflow: changes >= MAX_CHANGES,
            },
            owners: self.touched_owners(target, source, &check)?,
            patch_id: self.patch_id(base, source, known)?,
            status: if mergeable { MergeStatus::CanBeMerged } else { MergeStatus::CannotBeMerged },
            closes: self.closes(&commits),
        })
    }
}

impl MergeRepositories {
    /// The references that the beginnings of messages close.
    fn closes(&self, commits: &[Commit]) -> Vec<Reference> {
        let beginning = |commit: &Commit| commit.message.chars().take(MAX_MESSAGE).collect::<String>();
        commits.iter().flat_map(|commit| self.app.names_of(&beginning(commit)).closes().to_vec()).collect()
    }

    fn patch_id(&self, base: Option<Oid>, head: Oid, known: Option<&Version>) -> Result<Option<String>, AppError> {
        let Some(base) = base else { return Ok(None) };
        let is_same =
            |version: &&Version| version.diff.base == base.to_string() && version.diff.head == head.to_string();
        if let Some(version) = known.filter(is_same) {
            return Ok(version.patch_id.clone());
        }
        let most = usize::try_from(self.patch_size).unwrap_or(usize::MAX);
        Ok(self.target.patch_id(base, head, most)?.map(|id| id.to_string()))
    }
}

/// The beginning of the text of a merge request whose commits the target has no room for.
const NO_ROOM: &str = "The commits do not fit into the target project.";

/// The text of a merge request that cannot be measured, if that is why.
pub(super) fn without_room(error: &AppError) -> Option<String> {
    match error {
        AppError::QuotaExceeded(quota) => Some(format!("{NO_ROOM} {quota}.")),
        _ => None,
    }
}

/// True if the target had no room when a merge request was measured last.
pub(super) fn had_no_room(request: &MergeRequest) -> bool {
    request.merge_error.as_deref().is_some_and(|text| text.starts_with(NO_ROOM))
}

/// The commit of a branch; none if its name cannot be one.
pub(super) fn tip(repository: &Repository, branch: &str) -> Result<Option<Oid>, AppError> {
    let Ok(branch) = BranchName::parse(branch) else { return Ok(None) };
    Ok(repository.ref_target(&branch.full())?)
}

/// A commit that the database remembers.
pub(super) fn oid(text: &str) -> Result<Oid, AppError> {
    text.parse().map_err(AppError::internal)
}
