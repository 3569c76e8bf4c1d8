//! Synchronisation of merge requests with their branches.

use tenon_domain::id::{IssuableId, SuggestionId, UserId};
use tenon_domain::issuable::{Issuable, MAX_TITLE, MergeStep, State, StateEvent};
use tenon_domain::merge_request::{
    DiffRefs, MergeRequest, MergeStatus, Merged, Version, marked_as_draft, says_work_in_progress,
};
use tenon_domain::note::Resolution;
use tenon_domain::page::PageRequest;
use tenon_domain::project::Project;
use tenon_domain::transition::Transition;
use tenon_git::GitError;
use tenon_git::commit::{Commit, CommitQuery, CommitRange};
use tenon_storage::note::{self, OpenDiscussion};
use tenon_storage::{issuable, merge_request, project, todo};

use super::approvals;
use super::close_issues::{close_all, index_closes_of_commits};
use super::mergeability::{MergeRepositories, Mergeability, had_no_room, oid, without_room};
use super::outdated::{KNOWN_VERSIONS, MAX_NOTES};
use crate::core::app::{App, By, Command};
use crate::core::error::AppError;
use crate::policy::issuable::AuthorizedIssuable;
use crate::shared::issuable::aggregate::{NotedByCaller, change_state, save_changes, save_changes_with};
use crate::shared::issuable::merge_requests::load;
use crate::shared::issuable::open_discussions::note_if_all_resolved;
use crate::shared::issuable::system_notes;
use crate::shared::issuable_aggregate::IssuableAggregate;

/// How often it is tried again after a concurrent change.
const ATTEMPTS: usize = 3;
/// How many commits a note about a push names.
const MAX_NAMED: usize = 10;
/// How many commits of a push are read.
const MAX_ADDED: usize = 100;

/// When a version is stored of what lies between branches that have not moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// If the merge request brings something else than before.
    News,
    /// In any case: it lies between other branches now, or is open again.
    Everything,
}

/// A merge request as it is stored, its target, and its newest version.
type Stored = (Issuable, MergeRequest, Project, Option<Version>);

/// A push to the source branch.
struct Push {
    /// Its commits.
    added: Added,
    /// The discussions that it resolves, because their lines are gone.
    outdated: Vec<OpenDiscussion>,
    /// The suggestions whose lines it changes, or brings back.
    suggestions: Vec<(SuggestionId, bool)>,
}

/// The commits that a push has brought; all of them if it has rewritten the branch.
struct Added {
    /// The newest ones that the target has not, newest first.
    own: Vec<Commit>,
    /// How many there are.
    total: i64,
    /// How many of them are from the target.
    from_target: i64,
}

impl App {
    /// Synchronises an open merge request with its branches: a new version if the source has moved, closed if it is
    /// gone, and whether it can be merged. Idempotent. Blocks: asks Git.
    pub(crate) fn sync_source(&self, id: IssuableId, actor: Option<UserId>) -> Result<(), AppError> {
        self.look(id, actor, Keep::News)
    }

    /// As [`App::sync_source`], after a change of the target branch or a reopening: there is a new version in any
    /// case.
    pub(super) fn look_again(&self, id: IssuableId) -> Result<(), AppError> {
        self.look(id, None, Keep::Everything)
    }

    /// Brings a closed merge request to the head of its source branch, before it is opened again: so that what says
    /// that it is open names the head that it then has. Yields whether there is a new version. Blocks: asks Git.
    pub(super) fn follow_closed(&self, id: IssuableId) -> Result<bool, AppError> {
        let Some((of, request, target, known)) = self.stored(id)? else { return Ok(false) };
        if !matches!(of.state, State::Closed { .. }) || target.archived {
            return Ok(false);
        }
        let repositories = self.merge_repositories(&target, &request);
        let (source, tip) = (repositories.source_tip(&request)?, repositories.target_tip(&request)?);
        let Some((source, tip)) = source.zip(tip) else { return Ok(false) };
        if request.head() == Some(&source.to_string()) {
            return Ok(false);
        }
        if let Err(error) = repositories.fetch(source) {
            return without_room(&error).map(|_text| false).ok_or(error);
        }
        let measured = repositories.measure(tip, source, known.as_ref())?;
        self.command(|command| {
            let Some((found, before)) = load(command, id)? else { return Ok(false) };
            let is_as_seen = matches!(before.issuable.state, State::Closed { .. });
            let Some(stored) = before.request.filter(|now| is_as_seen && now.head() == request.head()) else {
                return Ok(false);
            };
            store_version(command, &found, &measured)?;
            merge_request::set_touched_owners(&mut command.tx, id, &measured.owners)?;
            let after = MergeRequest { diff: Some(measured.diff.clone()), ..stored };
            merge_request::update(&mut command.tx, &after)?;
            Ok(true)
        })
    }

    /// The stored rows of a merge request and of its target, and its newest version.
    fn stored(&self, id: IssuableId) -> Result<Option<Stored>, AppError> {
        self.parts().database.read(|tx| -> Result<_, AppError> {
            let Some(of) = issuable::by_ids(tx, &[id])?.pop() else { return Ok(None) };
            let (request, target) = (merge_request::find(tx, id)?, project::find(tx, of.project)?);
            let known = merge_request::newest_version(tx, id)?;
            Ok(request.zip(target).map(|(request, target)| (of, request, target, known)))
        })
    }

    fn look(&self, id: IssuableId, actor: Option<UserId>, keep: Keep) -> Result<(), AppError> {
        for _ in 0..ATTEMPTS {
            if self.compare(id, actor, keep)? {
                break;
            }
        }
        Ok(())
    }

    /// Returns `false` if a concurrent change was faster, and it has to be done again.
    fn compare(&self, id: IssuableId, actor: Option<UserId>, keep: Keep) -> Result<bool, AppError> {
        let found = self.stored(id)?;
        let is_alive = |of: &Issuable, target: &Project| of.state == State::Opened && !target.archived;
        let alive = found.filter(|(of, _, target, _)| is_alive(of, target));
        let Some((of, request, target, known)) = alive else { return Ok(true) };
        let repositories = self.merge_repositories(&target, &request);
        let Some(source) = repositories.source_tip(&request)? else {
            // A fork that is gone leaves what it has offered; a branch that is gone does not.
            let gone =
                if repositories.source.is_some() { self.close_without_source(id, actor) } else { self.broken(id) };
            return gone.map(|()| true);
        };
        if let Err(error) = repositories.fetch(source) {
            let text = without_room(&error).ok_or(error)?;
            return self.cannot_fetch(id, text).map(|()| true);
        }
        let Some(tip) = repositories.target_tip(&request)? else { return self.broken(id).map(|()| true) };
        let moved = request.head() != Some(&source.to_string());
        if moved || request.merge_status == MergeStatus::Unchecked || had_no_room(&request) {
            let measured = repositories.measure(tip, source, known.as_ref())?;
            let push =
                if moved { Some(self.push(&repositories, &of, &target, &request, &measured.diff)?) } else { None };
            let by = actor.map_or(By::InNameOf(of.author), By::User);
            let is_stored = self.as_actor(by, |command| {
                let is_stored = apply_branch_update(command, id, &request, &measured, push.as_ref(), keep)?;
                if let Some(pusher) = actor.filter(|_| moved && is_stored) {
                    let now = command.now;
                    todo::mark_issuable_done(&mut command.tx, pusher, id, now)?;
                }
                Ok(is_stored)
            })?;
            if !is_stored {
                return Ok(false);
            }
        }
        repositories.update_refs(of.iid.get(), source, tip)?;
        // Deleted concurrently: the job that removes its refs may have run already.
        if self.parts().database.read(|tx| issuable::by_ids(tx, &[id]))?.is_empty() {
            repositories.target.forget_merge_request(of.iid.get()).map_err(AppError::internal)?;
        }
        Ok(true)
    }

    /// Records a push to the source, whose head is now that of `diff`.
    fn push(
        &self,
        repositories: &MergeRepositories,
        of: &Issuable,
        target: &Project,
        before: &MergeRequest,
        diff: &DiffRefs,
    ) -> Result<Push, AppError> {
        let added = added(repositories, before, diff)?;
        let suggestions = self.changed_suggestions(repositories, of.id, diff);
        if !target.features.resolve_outdated_diff_discussions {
            return Ok(Push { added, outdated: Vec::new(), suggestions });
        }
        let (open, versions) = self.parts().database.read(|tx| -> Result<_, AppError> {
            let open = note::open_on_lines(tx, of.id, MAX_NOTES)?;
            let newest = PageRequest::new(None, Some(KNOWN_VERSIONS));
            Ok((open, merge_request::versions(tx, of.id, newest)?.items))
        })?;
        Ok(Push { added, outdated: repositories.outdated(open, &versions, diff)?, suggestions })
    }

    /// Closes a merge request whose source branch is gone.
    fn close_without_source(&self, id: IssuableId, actor: Option<UserId>) -> Result<(), AppError> {
        self.change(id, actor.map(By::User), |command, found, before| {
            let mut after = before.clone();
            let user = command.user()?.id;
            change_state(&mut after, StateEvent::Close, user, command.now);
            if let Some(request) = &mut after.request {
                request.auto_merge = None;
                let body = format!("deleted source branch `{}`", request.source_branch);
                system_notes::write(command, id, user, body, None)?;
            }
            save_changes(command, found, before, after, None).map(drop)
        })
    }

    /// The head of a merge request was pushed to its target, in the name of `author`. Issues are closed with the rights of
    /// `actor` only: a deploy key has none but to push.
    pub(super) fn merged_by_push(
        &self,
        id: IssuableId,
        actor: Option<UserId>,
        author: Option<UserId>,
    ) -> Result<(), AppError> {
        let by = actor.map(By::User).or(author.map(By::InNameOf));
        self.change(id, by, |command, found, before| {
            let Transition::Moved(state) = before.issuable.state.step(MergeStep::Pushed) else { return Ok(()) };
            let mut after = before.clone();
            after.issuable.state = state;
            let Some(request) = &mut after.request else { return Ok(()) };
            request.auto_merge = None;
            request.merged = Some(Merged { by: author, at: command.now, commit: None, squash_commit: None });
            let request = request.clone();
            save_changes(command, found, before, after, None)?;
            match actor {
                Some(_) => close_all(command, &found.home, &found.issuable, &request),
                None => Ok(()),
            }
        })
    }

    /// Nothing can be merged while a branch is missing.
    fn broken(&self, id: IssuableId) -> Result<(), AppError> {
        self.command(|command| Ok(merge_request::set_status(&mut command.tx, id, MergeStatus::CannotBeMerged)?))
    }

    /// A merge request for whose commits the target has no room cannot be merged. It is measured again when one of its
    /// branches moves, when it is edited and when a user asks for the merge.
    fn cannot_fetch(&self, id: IssuableId, text: String) -> Result<(), AppError> {
        self.command(|command| {
            let Some(before) = merge_request::find(&mut command.tx, id)? else { return Ok(()) };
            let after =
                MergeRequest { merge_status: MergeStatus::CannotBeMerged, merge_error: Some(text), ..before.clone() };
            if after != before {
                merge_request::update(&mut command.tx, &after)?;
            }
            Ok(())
        })
    }

    /// Changes an open merge request as `by` says, or in the name of its author.
    fn change(
        &self,
        id: IssuableId,
        by: Option<By>,
        work: impl FnOnce(&mut Command<'_>, &AuthorizedIssuable, &IssuableAggregate) -> Result<(), AppError>,
    ) -> Result<(), AppError> {
        let author = self
            .parts()
            .database
            .read(|tx| -> Result<_, AppError> { Ok(issuable::by_ids(tx, &[id])?.pop().map(|of| of.author)) })?;
        let Some(author) = author else { return Ok(()) };
        self.as_actor(by.unwrap_or(By::InNameOf(author)), |command| {
            let Some((found, aggregate)) = load(command, id)? else { return Ok(()) };
            if aggregate.issuable.state == State::Opened { work(command, &found, &aggregate) } else { Ok(()) }
        })
    }
}

/// Stores what Git has said, if the merge request is still as it was when Git was asked; `false` if it is not.
fn apply_branch_update(
    command: &mut Command<'_>,
    id: IssuableId,
    seen: &MergeRequest,
    measured: &Mergeability,
    push: Option<&Push>,
    keep: Keep,
) -> Result<bool, AppError> {
    let Some((found, before)) = load(command, id)? else { return Ok(true) };
    let Some(request) = before.request.as_ref().filter(|_| before.issuable.state == State::Opened) else {
        return Ok(true);
    };
    if request.head() != seen.head() || request.target_branch != seen.target_branch {
        return Ok(false);
    }
    merge_request::set_touched_owners(&mut command.tx, id, &measured.owners)?;
    let Some(Push { added, outdated, suggestions }) = push else {
        let mut request = request.clone();
        request.merge_status = measured.status;
        if had_no_room(&request) {
            request.merge_error = None;
        }
        // A target that has only gone on elsewhere makes no new version.
        let content = |diff: &DiffRefs| (diff.base.clone(), diff.commits_count, diff.changes_count);
        if keep == Keep::Everything || seen.diff.as_ref().map(content) != Some(content(&measured.diff)) {
            store_version(command, &found, measured)?;
            request.diff = Some(measured.diff.clone());
        }
        merge_request::update(&mut command.tx, &request)?;
        return Ok(true);
    };
    let mut after = before.clone();
    if let Some(request) = &mut after.request {
        request.diff = Some(measured.diff.clone());
        request.merge_status = measured.status;
        request.auto_merge = None;
        request.should_remove_source_branch = None;
        request.merge_error = None;
    }
    if added.own.iter().any(|commit| says_work_in_progress(commit.title())) {
        after.issuable.title = marked_as_draft(&after.issuable.title, true).chars().take(MAX_TITLE).collect();
    }
    store_version(command, &found, measured)?;
    let noted = match added_note(added, &seen.target_branch) {
        None => NotedByCaller::Nothing,
        Some(body) => {
            let user = command.user()?.id;
            NotedByCaller::Push(system_notes::insert(command, id, user, body, None)?)
        }
    };
    save_changes_with(command, &found, &before, after, None, noted)?;
    resolve_outdated(command, &found, outdated)?;
    for (suggestion, is_outdated) in suggestions {
        note::set_outdated(&mut command.tx, *suggestion, *is_outdated)?;
    }
    Ok(true)
}

/// Stores what a merge request now brings, and which issues that closes. Another patch takes the approvals away.
fn store_version(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    measured: &Mergeability,
) -> Result<(), AppError> {
    let (id, now) = (found.issuable.id, command.now);
    let known = merge_request::newest_version(&mut command.tx, id)?;
    approvals::reset(command, found, known.as_ref(), measured.patch_id.as_deref())?;
    merge_request::insert_version(&mut command.tx, id, &measured.diff, measured.patch_id.as_deref(), now)?;
    index_closes_of_commits(command, &found.home, id, &measured.closes)
}

/// Resolves discussions in the name of who has pushed.
fn resolve_outdated(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    outdated: &[OpenDiscussion],
) -> Result<(), AppError> {
    let resolution = Resolution { by: Some(command.user()?.id), at: command.now };
    let resolved = note::resolve_discussions(&mut command.tx, found.issuable.id, outdated, resolution)?;
    note_if_all_resolved(command, found, resolved > 0)
}

/// The commits that came with a push to the source.
fn added(repositories: &MergeRepositories, request: &MergeRequest, diff: &DiffRefs) -> Result<Added, AppError> {
    let to = oid(&diff.head)?;
    let Some(head) = request.head() else { return Ok(Added { own: Vec::new(), total: 0, from_target: 0 }) };
    let (from, target) = (oid(head)?, oid(&diff.start)?);
    let news = CommitRange::NotIn { others: [from, target], to };
    let own = listed(repositories, news)?;
    let count = |range| repositories.target.commit_count(&CommitQuery::new(range));
    let total = count(CommitRange::Between { from, to })?;
    Ok(Added { own, total, from_target: total.saturating_sub(count(news)?) })
}

/// The newest commits of a range.
fn listed(repositories: &MergeRepositories, range: CommitRange) -> Result<Vec<Commit>, AppError> {
    match repositories.target.commit_list(&CommitQuery::new(range), 0, i64::try_from(MAX_ADDED).unwrap_or(i64::MAX)) {
        // Longer messages are cut.
        Err(GitError::TooLarge(_)) => Ok(Vec::new()),
        other => Ok(other?),
    }
}

fn in_words(count: i64) -> String {
    format!("{count} commit{}", if count == 1 { "" } else { "s" })
}

/// `added 2 commits`, and which; those of the target in one line.
fn added_note(added: &Added, target: &str) -> Option<String> {
    let Added { own, total, from_target } = added;
    if *total == 0 {
        return None;
    }
    let others = (*from_target > 0).then(|| format!("* {} from branch `{target}`", in_words(*from_target)));
    let named = own.iter().take(MAX_NAMED).rev();
    let named = named.map(|commit| format!("* {} - {}", commit.short_id(), commit.title()));
    let lines: Vec<String> = others.into_iter().chain(named).collect();
    Some(format!("added {}\n\n{}", in_words(*total), lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_of_the_target_are_one_line_and_are_counted() {
        let note = |from_target| added_note(&Added { own: Vec::new(), total: from_target, from_target }, "main");
        assert_eq!(note(0), None);
        assert_eq!(note(1).as_deref(), Some("added 1 commit\n\n* 1 commit from branch `main`"));
        assert_eq!(note(3).as_deref(), Some("added 3 commits\n\n* 3 commits from branch `main`"));
    }
}
