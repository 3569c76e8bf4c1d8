//! What becomes of merge requests when branches move (reference: issues-merge-requests-projects, section 6.13).

use std::collections::HashSet;

use tenon_domain::id::{IssuableId, ProjectId, UserId};
use tenon_domain::issuable::{MergeStep, State, StateEvent};
use tenon_domain::merge_request::{
    DiffRefs, MergeRequest, MergeStatus, Merged, marked_as_draft, says_work_in_progress,
};
use tenon_domain::transition::Transition;
use tenon_git::commit::{Commit, CommitQuery, CommitRange};
use tenon_git::{Oid, Repository};
use tenon_storage::{issuable, merge_request, project};

use super::close_issues::{close_all, take_in_commits};
use super::measure::{Measured, Sides, oid};
use crate::access::Reference;
use crate::app::App;
use crate::context::{Caller, Command};
use crate::error::AppError;
use crate::issuable::{FoundIssuable, Whole, change_state, store, system_note};
use crate::jobs::{Work, enqueue};

/// More new commits than this of one push are not looked through for heads of merge requests.
const MAX_COMMITS: i64 = 20_000;
/// How many merge requests one job asks Git about.
const BATCH: i64 = 100;
/// How many commits a note about a push names.
const MAX_NAMED: usize = 10;

impl App {
    /// Takes in that a branch of a project has moved: merge requests out of it, and into it. Blocks: asks Git.
    pub(crate) fn follow_branch(
        &self,
        project: ProjectId,
        branch: &str,
        (old, new): (Oid, Oid),
        actor: Option<UserId>,
    ) -> Result<(), AppError> {
        let (out_of, into) = self.parts().database.read(|tx| -> Result<_, AppError> {
            Ok((merge_request::open_from(tx, project, branch)?, merge_request::open_into(tx, project, branch)?))
        })?;
        for found in out_of {
            self.bring_up_to_date(found.issuable.id, actor)?;
        }
        if into.is_empty() {
            return Ok(());
        }
        let repository = self.repositories().store.repository(project);
        let news =
            if old.is_zero() || new.is_zero() { HashSet::new() } else { commits_between(&repository, old, new)? };
        for found in into {
            let head = found.request.head().and_then(|head| head.parse::<Oid>().ok());
            if head.is_some_and(|head| news.contains(&head)) && found.request.has_commits() {
                self.merged_by_push(found.issuable.id, actor)?;
            }
        }
        self.command(|command| {
            merge_request::uncheck_into(&mut command.tx, project, branch)?;
            enqueue(command, &Work::CheckMergeRequests { project: project.get() })
        })
    }

    /// Brings what is remembered of an open merge request to where its branches are: a new version where the source has
    /// moved, closed where it is gone, and whether it can be merged. Doing it again does no harm. Blocks: asks Git.
    pub(crate) fn bring_up_to_date(&self, id: IssuableId, actor: Option<UserId>) -> Result<(), AppError> {
        let found = self.parts().database.read(|tx| -> Result<_, AppError> {
            let Some(of) = issuable::by_ids(tx, &[id])?.pop() else { return Ok(None) };
            let (request, target) = (merge_request::find(tx, id)?, project::find(tx, of.project)?);
            Ok(request.zip(target).map(|(request, target)| (of, request, target)))
        })?;
        let Some((of, request, target)) = found.filter(|(of, ..)| of.state == State::Opened) else { return Ok(()) };
        let sides = self.sides(&target, &request);
        let Some(source) = sides.source_tip(&request)? else {
            // A fork that is gone leaves what it has offered; a branch that is gone does not.
            return if sides.source.is_some() { self.close_without_source(id, actor) } else { self.broken(id) };
        };
        sides.bring(source)?;
        sides.point(of.iid.get(), source)?;
        let Some(tip) = sides.target_tip(&request)? else { return self.broken(id) };
        let moved = request.head() != Some(&source.to_string());
        if !moved && request.merge_status != MergeStatus::Unchecked {
            return Ok(());
        }
        let measured = sides.measure(tip, source)?;
        let news = if moved { added(&sides, &request, source)? } else { Vec::new() };
        self.as_somebody(actor.unwrap_or(of.author), |command| {
            take_in(command, id, &request, &measured, moved.then_some(news.as_slice()))
        })
    }

    /// Closes a merge request whose source branch is gone.
    fn close_without_source(&self, id: IssuableId, actor: Option<UserId>) -> Result<(), AppError> {
        self.change(id, actor, |command, found, before| {
            let mut after = before.clone();
            let user = command.user()?.id;
            change_state(&mut after, StateEvent::Close, user, command.now);
            if let Some(request) = &mut after.request {
                request.auto_merge = None;
                let body = format!("deleted source branch `{}`", request.source_branch);
                system_note::write(command, id, user, body, None)?;
            }
            store(command, found, before, after, None).map(drop)
        })
    }

    /// Somebody has pushed the head of a merge request to its target.
    fn merged_by_push(&self, id: IssuableId, actor: Option<UserId>) -> Result<(), AppError> {
        self.change(id, actor, |command, found, before| {
            let Transition::Moved(state) = before.issuable.state.step(MergeStep::Pushed) else { return Ok(()) };
            let mut after = before.clone();
            after.issuable.state = state;
            let Some(request) = &mut after.request else { return Ok(()) };
            request.auto_merge = None;
            request.merged = Some(Merged { by: actor, at: command.now, commit: None, squash_commit: None });
            let request = request.clone();
            store(command, found, before, after, None)?;
            close_all(command, &found.home, &found.issuable, &request)
        })
    }

    /// Nothing can be merged while a branch is missing.
    fn broken(&self, id: IssuableId) -> Result<(), AppError> {
        self.command(|command| Ok(merge_request::set_status(&mut command.tx, id, MergeStatus::CannotBeMerged)?))
    }

    /// Changes an open merge request as `actor`, or as its author where nobody is known to have acted.
    fn change(
        &self,
        id: IssuableId,
        actor: Option<UserId>,
        work: impl FnOnce(&mut Command<'_>, &FoundIssuable, &Whole) -> Result<(), AppError>,
    ) -> Result<(), AppError> {
        let author = self
            .parts()
            .database
            .read(|tx| -> Result<_, AppError> { Ok(issuable::by_ids(tx, &[id])?.pop().map(|of| of.author)) })?;
        let Some(author) = author else { return Ok(()) };
        self.as_somebody(actor.unwrap_or(author), |command| {
            let Some((found, whole)) = load(command, id)? else { return Ok(()) };
            if whole.issuable.state == State::Opened { work(command, &found, &whole) } else { Ok(()) }
        })
    }

    /// Runs a use case as this user, whatever has become of the account: what is noted down has happened already.
    pub(super) fn as_somebody<T>(
        &self,
        user: UserId,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError>,
    ) -> Result<T, AppError> {
        let now = self.now();
        self.parts().database.write(|tx| {
            let user = tenon_storage::user::find(tx, user)?.map(Box::new);
            let caller = Caller { user, token: None };
            work(&mut Command { tx: tx.reborrow(), app: self, caller: &caller, now })
        })
    }
}

/// A merge request with its project, whether the caller may see it or not: what is done follows from what has happened, and
/// not from who may ask for it.
pub(super) fn load(command: &mut Command<'_>, id: IssuableId) -> Result<Option<(FoundIssuable, Whole)>, AppError> {
    let Some(of) = issuable::by_ids(&mut command.tx, &[id])?.pop() else { return Ok(None) };
    let Some(home) = command.query().placed_project(&Reference::Id(of.project.get()))? else { return Ok(None) };
    let whole = Whole::load(command, &of)?;
    Ok(Some((FoundIssuable { home, issuable: of, own: true }, whole)))
}

/// Stores what Git has said, if the merge request is still as it was when Git was asked.
fn take_in(
    command: &mut Command<'_>,
    id: IssuableId,
    seen: &MergeRequest,
    measured: &Measured,
    news: Option<&[Commit]>,
) -> Result<(), AppError> {
    let Some((found, before)) = load(command, id)? else { return Ok(()) };
    let Some(request) = before.request.as_ref().filter(|request| request.head() == seen.head()) else { return Ok(()) };
    if before.issuable.state != State::Opened || request.target_branch != seen.target_branch {
        return Ok(());
    }
    let Some(news) = news else {
        let mut request = request.clone();
        request.merge_status = measured.status;
        // A target that has only gone on elsewhere makes no new version.
        let content = |diff: &DiffRefs| (diff.base.clone(), diff.commits_count, diff.changes_count);
        if seen.diff.as_ref().map(content) != Some(content(&measured.diff)) {
            let now = command.now;
            merge_request::insert_version(&mut command.tx, id, &measured.diff, now)?;
            take_in_commits(command, &found.home, id, &measured.commits)?;
            request.diff = Some(measured.diff.clone());
        }
        return Ok(merge_request::update(&mut command.tx, &request)?);
    };
    let mut after = before.clone();
    let now = command.now;
    if let Some(request) = &mut after.request {
        request.diff = Some(measured.diff.clone());
        request.merge_status = measured.status;
        request.auto_merge = None;
        request.should_remove_source_branch = None;
        request.merge_error = None;
    }
    if news.iter().any(|commit| says_work_in_progress(commit.title())) {
        after.issuable.title = marked_as_draft(&after.issuable.title, true);
    }
    merge_request::insert_version(&mut command.tx, id, &measured.diff, now)?;
    take_in_commits(command, &found.home, id, &measured.commits)?;
    if let Some(body) = added_note(news) {
        let user = command.user()?.id;
        system_note::write(command, id, user, body, None)?;
    }
    store(command, &found, &before, after, None).map(drop)
}

/// The commits that came with a push to the source, newest first; all of them where it was rewritten.
fn added(sides: &Sides, request: &MergeRequest, source: Oid) -> Result<Vec<Commit>, AppError> {
    let range = match request.head() {
        Some(head) => CommitRange::Between { from: oid(head)?, to: source },
        None => return Ok(Vec::new()),
    };
    Ok(sides.target.commit_list(&CommitQuery::new(range), 0, 100)?)
}

/// `added 2 commits`, and which.
fn added_note(news: &[Commit]) -> Option<String> {
    let count = match news.len() {
        0 => return None,
        1 => "1 commit".to_owned(),
        many => format!("{many} commits"),
    };
    let named: Vec<String> = news
        .iter()
        .take(MAX_NAMED)
        .rev()
        .map(|commit| format!("* {} - {}", commit.short_id(), commit.title()))
        .collect();
    Some(format!("added {count}\n\n{}", named.join("\n")))
}

/// The commits that a push brought to a branch; none where it was rewritten so far that they cannot be told.
fn commits_between(repository: &Repository, old: Oid, new: Oid) -> Result<HashSet<Oid>, AppError> {
    if repository.commit(old)?.is_none() {
        return Ok(HashSet::new());
    }
    let query = CommitQuery::new(CommitRange::Between { from: old, to: new });
    Ok(repository.commit_ids(&query, MAX_COMMITS)?.into_iter().collect())
}

/// Asks Git about the merge requests into a project of which it has not been asked since a branch moved: a few, and asks for
/// the next ones.
pub(crate) async fn check_unchecked(app: &App, project: ProjectId) -> Result<(), AppError> {
    let this = app.clone();
    app.on_git(move || {
        let ids = this
            .parts()
            .database
            .read(|tx| merge_request::unchecked_into(tx, project, BATCH).map_err(AppError::from))?;
        for id in &ids {
            this.bring_up_to_date(*id, None)?;
        }
        let is_all = i64::try_from(ids.len()).is_ok_and(|count| count < BATCH);
        if is_all {
            return Ok(());
        }
        this.command(|command| enqueue(command, &Work::CheckMergeRequests { project: project.get() }))
    })
    .await
}
