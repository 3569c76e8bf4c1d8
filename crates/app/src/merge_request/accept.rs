//! Merging. Two stores change, so it is a saga: the intent is recorded and the merge request locked, the branch moves
//! by compare-and-swap, and the merge is recorded. `recover.rs` recovers what a crash leaves in between.

use tenon_domain::group::MergeRequirements;
use tenon_domain::id::{IssuableId, UserId};
use tenon_domain::issuable::{Issuable, IssuableAction, MergeStep, State};
use tenon_domain::merge_request::{
    Accept, AcceptFacts, AcceptRefusal, AutoMerge, MergeIntent, MergeRequest, MergeStatus, Merged, SquashOption,
    accept as may_accept,
};
use tenon_domain::pipeline::JobStatus;
use tenon_domain::project::MergeMethod;
use tenon_domain::refusal::{self, RepositoryRefusal};
use tenon_domain::repository::code_owners::TouchedOwners;
use tenon_domain::transition::Transition;
use tenon_git::merge::{Accepted, MergeCheck, MergeMethod as GitMethod, MergeRequest as GitMerge, Squash};
use tenon_git::write::{RefChange, Refusal, WriteError};
use tenon_git::{BranchName, Oid, Signature};
use tenon_storage::{issuable, merge_request, note, todo, user};

use super::close_issues::{close_all, closing};
use super::code_owners;
use super::found::{AuthorizedMergeRequest, may_merge};
use super::mergeability::MergeRepositories;
use super::message::{Messages, messages};
use super::show::one;
use super::view::{MergeRequestView, facts};
use super::{approvals, requirements};
use crate::core::app::{App, By, Command, CrashPoint, Query};
use crate::core::caller::Rights;
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::core::ref_update::RefUpdate;
use crate::jobs::enqueue;
use crate::policy::issuable::IssuableReference;
use crate::policy::reference::Reference;
use crate::repository::refs::branch_update::BranchUpdate;
use crate::shared::issuable::aggregate::save_changes;
use crate::shared::issuable::merge_requests::load;
use crate::shared::issuable::merge_when_ready::MergeWhenReady;
use crate::shared::issuable::system_notes;
use crate::shared::issuable_aggregate::IssuableAggregate;
use crate::shared::views::head_pipeline;

/// A request to merge.
#[derive(Debug, Clone, Default)]
pub struct AcceptRequest {
    /// The text of the merge commit.
    pub message: Option<String>,
    /// The text of the one commit.
    pub squash_message: Option<String>,
    /// One commit instead of several, even if the merge request does not say so. The project may have decided otherwise.
    pub squash: Option<bool>,
    /// True if the source branch goes; else what the author wants.
    pub remove_source_branch: Option<bool>,
    /// True if to wait for the pipeline.
    pub when_pipeline_succeeds: bool,
    /// The commit that the caller has seen.
    pub sha: Option<String>,
}

/// How often a merge is tried when the target branch moves under it. Of those that merge into a branch at once, one succeeds in
/// each round, and with the default limits no more than six merge at once.
const ATTEMPTS: usize = 16;
/// How often what was pushed to the source branch is recorded for one merge.
const MOST_UNRECORDED: usize = 3;

/// Merges a merge request, or remembers to do it when the pipeline succeeds.
pub async fn accept(
    app: &App,
    identity: &Identity,
    of: IssuableReference,
    request: AcceptRequest,
) -> Result<MergeRequestView, AppError> {
    let reference = of.clone();
    let (id, by) = app
        .read(identity, move |query| {
            let found = query.merge_request_or(&reference, AcceptRefusal::Unauthorized.into())?;
            let rights = Rights::OfRequest { administers: query.is_admin() };
            Ok((found.request.id, (query.user()?.id, rights)))
        })
        .await?;
    let (this, reference) = (app.clone(), of.clone());
    app.on_git(move || this.accept_now(id, by, &reference, &request)).await?;
    app.read(identity, move |query| {
        let found = query.merge_request(&of, IssuableAction::Read)?;
        one(query, &found)
    })
    .await
}

/// The facts of the decision, as of one moment.
struct Plan {
    found: AuthorizedMergeRequest,
    may_merge: bool,
    requirements: MergeRequirements,
    pipeline: Option<JobStatus>,
    open_discussions: bool,
    not_approved: bool,
    /// The code owners of its changes, if their approvals are needed.
    owners: Option<TouchedOwners>,
    messages: Messages,
    merger: Signature,
    author: Signature,
}

impl App {
    /// Merges as a user, with these of the rights that they have now. Blocks: asks Git.
    pub(super) fn accept_now(
        &self,
        id: IssuableId,
        by: (UserId, Rights),
        of: &IssuableReference,
        request: &AcceptRequest,
    ) -> Result<(), AppError> {
        let mut unrecorded = 0;
        for _ in 0..ATTEMPTS {
            let plan = self.query_as(by.0, by.1, |query| plan(query, of))?;
            let plan = plan.ok_or(AcceptRefusal::Unauthorized)?;
            match self.attempt(id, by, &plan, request) {
                Ok(Attempt::Done) => return Ok(()),
                Ok(Attempt::Again) => {}
                // The target has no room for it.
                Ok(Attempt::Unrecorded) if unrecorded == MOST_UNRECORDED => {
                    return Err(AcceptRefusal::CannotBeMerged.into());
                }
                Ok(Attempt::Unrecorded) => unrecorded += 1,
                // Git is asked after the plan was read: a concurrent merge may be why it cannot merge any more.
                Err(AppError::Refused(refusal::Refusal::Accept(AcceptRefusal::CannotBeMerged)))
                    if !self.is_opened(id)? => {}
                Err(error) => return Err(error),
            }
        }
        Err(RepositoryRefusal::BranchMoved.into())
    }

    /// True if a merge request is neither merged, closed nor being merged now.
    fn is_opened(&self, id: IssuableId) -> Result<bool, AppError> {
        self.query(|query| Ok(issuable::find_by_id(&mut query.tx, id)?.is_some_and(|of| of.state == State::Opened)))
    }

    fn attempt(
        &self,
        id: IssuableId,
        (user, rights): (UserId, Rights),
        plan: &Plan,
        request: &AcceptRequest,
    ) -> Result<Attempt, AppError> {
        let (of, details) = (&plan.found.issuable, &plan.found.request);
        let project = &plan.found.home.project;
        let repositories = self.merge_repositories(project, details);
        let tips = if of.state == State::Opened {
            repositories.target_tip(details)?.zip(repositories.source_tip(details)?)
        } else {
            None
        };
        let (facts, check) = accept_facts(plan, request, &repositories, tips)?;
        let decided = may_accept(&facts);
        let Some((target, source)) = tips else {
            return Err(decided.err().unwrap_or(AcceptRefusal::CannotBeMerged).into());
        };
        if details.head() != Some(&source.to_string()) {
            // A push that is not recorded yet.
            self.sync_source(id, None)?;
            return Ok(Attempt::Unrecorded);
        }
        if let Some((known, check)) = plan.owners.as_ref().zip(check) {
            // The file of the target, and what is changed, are those of this moment.
            let owners = repositories.touched_owners(target, source, &check)?;
            if owners != *known {
                self.command(|command| Ok(merge_request::set_touched_owners(&mut command.tx, id, &owners)?))?;
                return Ok(Attempt::Again);
            }
        }
        let decided = decided?;
        // A merge that waits asks for what the project permits, too.
        let squashes = SquashOption::of(project).accepted(details.squash, request.squash)?;
        if decided == Accept::WhenPipelineSucceeds {
            let waits = self.command_as(user, rights, |command| wait(command, details, request))?;
            return Ok(if waits == Some(true) { Attempt::Done } else { Attempt::Again });
        }
        let branch = BranchName::parse(&details.target_branch).map_err(AppError::internal)?;
        let (message, squash_message) = plan.messages.of_commits(&of.title, &repositories.target, (target, source))?;
        let squash = squashes.then(|| Squash {
            author: plan.author.clone(),
            message: request.squash_message.clone().unwrap_or(squash_message),
        });
        let accepted = repositories.target.prepare_merge(&GitMerge {
            target: branch.clone(),
            target_tip: target,
            source,
            method: git_method(project.merge_method),
            squash,
            author: plan.merger.clone(),
            committer: plan.merger.clone(),
            message: request.message.clone().unwrap_or(message),
        });
        let accepted = match accepted {
            Ok(accepted) => accepted,
            Err(WriteError::Refused(Refusal::Stale)) => return Ok(Attempt::Again),
            Err(WriteError::Refused(_)) => return Err(AcceptRefusal::CannotBeMerged.into()),
            Err(WriteError::Git(error)) => return Err(error.into()),
        };
        if accepted.merge_commit.or(accepted.squash_commit).is_some() {
            self.check_room(project.id)?;
        }
        let remove = request.remove_source_branch.unwrap_or(details.force_remove_source_branch);
        let intent = self.intent(id, user, (target, source), &accepted, remove);
        if !self.as_actor(By::User(user), |command| lock(command, &intent, details))? {
            return Ok(Attempt::Again);
        }
        self.crash_point(CrashPoint::Locked)?;
        let change = RefChange::Update { name: branch.full(), new: accepted.tip, old: target };
        if let Err(error) = repositories.target.update_refs(&[change]) {
            self.as_actor(By::User(user), |command| give_up(command, id))?;
            return match error {
                WriteError::Refused(_) => Ok(Attempt::Again),
                WriteError::Git(error) => Err(error.into()),
            };
        }
        self.crash_point(CrashPoint::Moved)?;
        self.finish(&intent)?;
        self.crash_point(CrashPoint::Finished)?;
        let moved = RefUpdate { name: branch.full().as_str().to_owned(), old: target, new: accepted.tip };
        self.handle_ref_updates(project.id, Some(user), &[moved])?;
        if remove {
            let by = if request.remove_source_branch.is_none() { of.author } else { user };
            self.remove_source(details, by, source);
        }
        Ok(Attempt::Done)
    }

    fn intent(
        &self,
        of: IssuableId,
        by: UserId,
        (target, source): (Oid, Oid),
        accepted: &Accepted,
        remove_source_branch: bool,
    ) -> MergeIntent {
        MergeIntent {
            of,
            by,
            target: target.to_string(),
            source: source.to_string(),
            tip: accepted.tip.to_string(),
            merge_commit: accepted.merge_commit.map(|commit| commit.to_string()),
            squash_commit: accepted.squash_commit.map(|commit| commit.to_string()),
            remove_source_branch,
            at: self.now(),
        }
    }

    /// Records a merge whose commits the target branch has.
    pub(super) fn finish(&self, intent: &MergeIntent) -> Result<(), AppError> {
        self.as_actor(By::User(intent.by), |command| {
            merge_request::drop_intent(&mut command.tx, intent.of)?;
            let Some((found, before)) = load(command, intent.of)? else { return Ok(()) };
            // The account may be gone by now.
            let by = user::find(&mut command.tx, intent.by)?.map(|user| user.id);
            let Transition::Moved(state) = before.issuable.state.step(MergeStep::Finish) else { return Ok(()) };
            let mut after = before.clone();
            after.issuable.state = state;
            let Some(request) = &mut after.request else { return Ok(()) };
            request.auto_merge = None;
            request.merge_error = None;
            request.merge_status = MergeStatus::CanBeMerged;
            request.merged = Some(Merged {
                by,
                at: command.now,
                commit: Some(intent.merge_commit.clone().unwrap_or_else(|| intent.tip.clone())),
                squash_commit: intent.squash_commit.clone(),
            });
            let request = request.clone();
            save_changes(command, &found, &before, after, None)?;
            let now = command.now;
            for user in before.assignees.iter().chain([&before.issuable.author]) {
                todo::mark_issuable_done(&mut command.tx, *user, intent.of, now)?;
            }
            close_all(command, &found.home, &found.issuable, &request)
        })
    }

    /// Removes the source branch after a merge, if `by` may do that. That it may not be done is no failure of the
    /// merge.
    pub(super) fn remove_source(&self, request: &MergeRequest, by: UserId, head: Oid) {
        let (Some(project), branch) = (request.source_project, &request.source_branch) else { return };
        if let Err(error) = self.remove_merged_branch(project, branch, head, by) {
            tracing::info!(%error, "the source branch of a merge request stays");
        }
    }
}

enum Attempt {
    Done,
    /// A branch was updated concurrently.
    Again,
    /// A push to the source branch was not recorded yet.
    Unrecorded,
}

const fn git_method(method: MergeMethod) -> GitMethod {
    match method {
        MergeMethod::Merge => GitMethod::Merge,
        MergeMethod::RebaseMerge => GitMethod::RebaseMerge,
        MergeMethod::FastForward => GitMethod::FastForward,
    }
}

fn plan(query: &mut Query<'_>, of: &IssuableReference) -> Result<Plan, AppError> {
    let found = query.merge_request(of, IssuableAction::Read)?;
    let (home, request, issuable) = (&found.home, &found.request, &found.issuable);
    let may_merge = may_merge(query, home, &request.target_branch)?;
    let closes = closing(query, home, request)?;
    let owners = if code_owners::are_needed(query, home.project.id, &request.target_branch)? {
        let (_, owners) =
            merge_request::touched_owners(&mut query.tx, &[issuable.id])?.remove(&issuable.id).unwrap_or_default();
        Some(owners)
    } else {
        None
    };
    let author = user::find(&mut query.tx, issuable.author)?;
    let merger = query.user()?.clone();
    let messages = messages(query, home, issuable, request, &closes, &merger)?;
    let now = query.now;
    let mut signature = |user: &tenon_domain::user::User| -> Result<Signature, AppError> {
        Ok(Signature::new(&user.name, &user::commit_email(&mut query.tx, user)?, now))
    };
    let (author, merger) = (signature(author.as_ref().unwrap_or(&merger))?, signature(&merger)?);
    Ok(Plan {
        may_merge,
        requirements: requirements::of(query, &home.project)?,
        pipeline: head_pipeline::status_of_head(query, request)?,
        open_discussions: note::has_open_discussions(&mut query.tx, request.id)?,
        not_approved: !approvals::of_one(query, issuable)?.is_approved(),
        owners,
        messages,
        author,
        merger,
        found,
    })
}

/// The facts that the decision needs. Git is asked now if it can merge, and its answer comes with them: `None` if the caller may
/// not merge, or there is nothing to merge.
fn accept_facts<'a>(
    plan: &'a Plan,
    request: &'a AcceptRequest,
    repositories: &MergeRepositories,
    tips: Option<(Oid, Oid)>,
) -> Result<(AcceptFacts<'a>, Option<MergeCheck>), AppError> {
    let (of, details) = (&plan.found.issuable, &plan.found.request);
    let project = &plan.found.home.project;
    let mut facts = AcceptFacts {
        may_merge: plan.may_merge,
        pipeline: plan.pipeline,
        pipeline_must_succeed: plan.requirements.pipeline,
        open_discussions: plan.open_discussions && plan.requirements.resolved,
        not_approved: plan.not_approved,
        sha: request.sha.as_deref().filter(|sha| !sha.is_empty()),
        when_pipeline_succeeds: request.when_pipeline_succeeds,
        merge_status: MergeStatus::CannotBeMerged,
        ..facts(of, details)
    };
    let Some((target, source)) = tips.filter(|_| plan.may_merge && details.has_commits()) else {
        return Ok((facts, None));
    };
    repositories.fetch(source)?;
    let check = repositories.target.merge_check(target, source)?;
    if matches!(check, MergeCheck::Clean(_)) {
        facts.merge_status = MergeStatus::CanBeMerged;
    }
    facts.needs_rebase =
        project.merge_method != MergeMethod::Merge && !repositories.target.is_ancestor(target, source)?;
    Ok((facts, Some(check)))
}

/// Begins a merge, which locks out others. `false` if another has begun, or the merge request has changed since the
/// plan.
fn lock(command: &mut Command<'_>, intent: &MergeIntent, decided: &MergeRequest) -> Result<bool, AppError> {
    let Some((_, before)) = load(command, intent.of)? else { return Ok(false) };
    let Transition::Moved(state) = before.issuable.state.step(MergeStep::Begin) else { return Ok(false) };
    if !is_as_decided(&before, decided) || !approvals::of_one(&mut command.query(), &before.issuable)?.is_approved() {
        return Ok(false);
    }
    set_state(command, &before.issuable, state)?;
    merge_request::begin(&mut command.tx, intent)?;
    Ok(true)
}

/// True if it still offers the same commits to the same branch, and is as ready as it was.
fn is_as_decided(now: &IssuableAggregate, decided: &MergeRequest) -> bool {
    let facts =
        |request: &MergeRequest| (request.head().map(ToOwned::to_owned), request.target_branch.clone(), request.draft);
    now.request.as_ref().map(facts) == Some(facts(decided))
}

/// Opens a merge request again whose merge failed. Its branches are measured again: that was not done while it was locked.
pub(super) fn give_up(command: &mut Command<'_>, id: IssuableId) -> Result<(), AppError> {
    merge_request::drop_intent(&mut command.tx, id)?;
    let Some((_, before)) = load(command, id)? else { return Ok(()) };
    if let Transition::Moved(state) = before.issuable.state.step(MergeStep::GiveUp) {
        set_state(command, &before.issuable, state)?;
        merge_request::set_status(&mut command.tx, id, MergeStatus::Unchecked)?;
        if let Some((project, branch)) = before.request.and_then(|of| Some((of.source_project?, of.source_branch))) {
            enqueue(command, &BranchUpdate::somewhere(project, branch))?;
        }
    }
    Ok(())
}

fn set_state(command: &mut Command<'_>, before: &Issuable, state: State) -> Result<(), AppError> {
    let after = Issuable { state, ..before.clone() };
    Ok(issuable::update(&mut command.tx, before, &after)?)
}

/// Remembers to merge when the pipeline succeeds; `false` if it is not what was decided upon any more.
fn wait(command: &mut Command<'_>, decided: &MergeRequest, asked: &AcceptRequest) -> Result<bool, AppError> {
    let id = decided.id;
    let Some((found, before)) = load(command, id)? else { return Ok(false) };
    if before.issuable.state != State::Opened || !is_as_decided(&before, decided) {
        return Ok(false);
    }
    let by = command.user()?.id;
    let mut after = before.clone();
    let Some(request) = &mut after.request else { return Ok(false) };
    let is_news = request.auto_merge.is_none();
    request.auto_merge =
        Some(AutoMerge { by, message: asked.message.clone(), squash_message: asked.squash_message.clone() });
    request.should_remove_source_branch = asked.remove_source_branch.or(request.should_remove_source_branch);
    request.squash |= asked.squash == Some(true);
    let head = request.head().unwrap_or_default().to_owned();
    save_changes(command, &found, &before, after, None)?;
    if is_news {
        let body = format!("enabled an automatic merge when the pipeline for {head} succeeds");
        system_notes::write(command, id, by, body, None)?;
    }
    // The pipeline may have succeeded since it was read.
    let is_done = head_pipeline::status_of_head(&mut command.query(), decided)? == Some(JobStatus::Success);
    if let Some(project) = decided.source_project.filter(|_| is_done) {
        let branch = decided.source_branch.clone();
        enqueue(command, &MergeWhenReady { project: project.get(), branch, sha: head })?;
    }
    Ok(true)
}

/// The reference that names a merge request by its id.
pub(super) fn reference_to(of: &Issuable) -> IssuableReference {
    IssuableReference { kind: of.kind, project: Reference::Id(of.project.get()), iid: of.iid }
}
