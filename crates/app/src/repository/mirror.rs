//! Updating mirrors: the branches and tags of projects follow those of repositories on other servers.

use serde::{Deserialize, Serialize};
use tenon_domain::access::AccessLevel;
use tenon_domain::backoff::pause_after;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::project::mirror::{INTERVAL, LONGEST_PAUSE, MAX_FAILURES, Mirror, MirrorStatus};
use tenon_domain::project::setting::REPOSITORY;
use tenon_domain::project::{Import, Project};
use tenon_domain::refusal::{Refusal, RepositoryRefusal};
use tenon_domain::repository::{ProtectionKind, Protections};
use tenon_domain::time::TimeDelta;
use tenon_domain::user::User;
use tenon_git::store::{ImportError, ImportLimits, ImportSource, MirrorChange, MirrorFetch, MirrorRequest};
use tenon_git::write::RefChange;
use tenon_git::{Oid, RefName};
use tenon_outbound::address::resolve;
use tenon_storage::job::Queue;
use tenon_storage::{project, repository, settings, user};

use crate::core::app::{App, Command, CrashPoint};
use crate::core::error::AppError;
use crate::core::local_requests::allows;
use crate::core::push_sessions::Pusher;
use crate::core::ref_update::RefUpdate;
use crate::jobs::{AsyncJob, Job, enqueue_at, enqueue_now};
use crate::policy::authorization::standing_of;
use crate::repository::refs::ref_write::refused;

/// The pause of a mirror whose repository is still being filled by its import.
const IMPORT_PAUSE: TimeDelta = TimeDelta::minutes(1);
/// The pause in seconds if a branch has moved while the update was made.
const MOVED_PAUSE: u32 = 5;
/// The most branches and tags that the text about those left out names.
const NAMED: usize = 10;

/// Updates the mirror of a project, and asks for the next update.
#[derive(Serialize, Deserialize)]
pub(crate) struct UpdateMirror {
    project: i64,
}

impl Job for UpdateMirror {
    const KIND: &'static str = "update_mirror";
    const QUEUE: Queue = Queue::Imports;

    fn give_up(self, command: &mut Command<'_>) -> Result<(), AppError> {
        end(command, ProjectId::new(self.project), Err("The update has failed on this server.".to_owned()))
    }
}

impl AsyncJob for UpdateMirror {
    async fn run(self, app: &App) -> Result<(), AppError> {
        // It blocks for as long as it takes, on the thread of its job, as imports do.
        app.update_mirror_now(ProjectId::new(self.project))
    }
}

/// Asks for an update of a mirror now. It is counted as if none had failed.
pub(crate) fn schedule_update(command: &mut Command<'_>, mirror: Mirror) -> Result<Mirror, AppError> {
    let status = if mirror.status == MirrorStatus::Started { mirror.status } else { MirrorStatus::Scheduled };
    let mirror = Mirror { status, failures: 0, ..mirror };
    project::set_mirror(&mut command.tx, &mirror)?;
    enqueue_now(command, &UpdateMirror { project: mirror.project.get() })?;
    Ok(mirror)
}

/// An update that has begun.
struct Update {
    mirror: Mirror,
    /// In whose name refs move.
    user: UserId,
    rules: Vec<tenon_domain::repository::ProtectedRef>,
    /// True if the process has ended during the last update.
    was_cut_off: bool,
}

/// Notes that an update begins. None if it is not to be made now, or has failed already.
fn begin(command: &mut Command<'_>, id: ProjectId) -> Result<Option<Update>, AppError> {
    let Some(mirror) = project::mirror(&mut command.tx, id)?.filter(|mirror| mirror.enabled) else { return Ok(None) };
    let Some(placed) = project::find_placed(&mut command.tx, id)? else { return Ok(None) };
    if let Some(pause) = pause_of(&placed.project) {
        again(command, id, pause)?;
        return Ok(None);
    }
    let today = command.today();
    let account = mirror.user.map(|user| user::find(&mut command.tx, user)).transpose()?.flatten();
    let account = account.filter(User::may_act);
    let may = |command: &mut Command<'_>, user: &User| {
        standing_of(&mut command.tx, user.viewer(), &placed, today)
            .map(|standing| standing.at_least(AccessLevel::Maintainer))
    };
    let Some(user) = account.filter(|user| may(command, user).unwrap_or(false)) else {
        let text = "The user of the mirror is blocked or gone, or is no maintainer of the project any more.";
        end(command, id, Err(text.to_owned()))?;
        return Ok(None);
    };
    let was_cut_off = mirror.status == MirrorStatus::Started;
    let mirror = Mirror { status: MirrorStatus::Started, started_at: Some(command.now), ..mirror };
    project::set_mirror(&mut command.tx, &mirror)?;
    Ok(Some(Update { mirror, user: user.id, rules: repository::rules(&mut command.tx, id)?, was_cut_off }))
}

/// For how long a mirror waits whose project takes no update now.
fn pause_of(project: &Project) -> Option<TimeDelta> {
    match project.import {
        Import::Scheduled | Import::Started => Some(IMPORT_PAUSE),
        Import::None | Import::Finished | Import::Failed(_) => {
            (project.archived || !project.has(&REPOSITORY)).then_some(INTERVAL)
        }
    }
}

/// Asks for an update after a pause.
fn again(command: &mut Command<'_>, id: ProjectId, pause: TimeDelta) -> Result<(), AppError> {
    let at = command.now + pause;
    enqueue_at(command, &UpdateMirror { project: id.get() }, at)
}

/// Notes how an update has ended, and asks for the next one. `outcome` is the text about what was left out, or the reason of the
/// failure.
fn end(command: &mut Command<'_>, id: ProjectId, outcome: Result<Option<String>, String>) -> Result<(), AppError> {
    let Some(mut mirror) = project::mirror(&mut command.tx, id)? else { return Ok(()) };
    let now = command.now;
    mirror.ended_at = Some(now);
    let pause = match outcome {
        Ok(left) => {
            mirror.status = MirrorStatus::Finished;
            mirror.succeeded_at = Some(now);
            mirror.failures = 0;
            mirror.last_error = left;
            INTERVAL
        }
        Err(text) => {
            mirror.status = MirrorStatus::Failed;
            mirror.failures += 1;
            let stopped = if mirror.has_stopped() {
                format!(
                    " This was failure {MAX_FAILURES} in a row: the mirror is updated again when someone asks for it."
                )
            } else {
                String::new()
            };
            mirror.last_error = Some(format!("{text}{stopped}"));
            pause_after(INTERVAL, mirror.failures - 1, LONGEST_PAUSE, command.app.jitter())
        }
    };
    project::set_mirror(&mut command.tx, &mirror)?;
    if mirror.enabled && !mirror.has_stopped() { again(command, id, pause) } else { Ok(()) }
}

/// The text about branches and tags that do not follow.
fn left_out(left: &[RefName]) -> Option<String> {
    let short = |name: &RefName| {
        let name = name.as_str();
        name.strip_prefix("refs/heads/").or(name.strip_prefix("refs/tags/")).unwrap_or(name).to_owned()
    };
    let names: Vec<String> = left.iter().take(NAMED).map(short).collect();
    let others = left.len().saturating_sub(names.len());
    let more = if others == 0 { String::new() } else { format!(" and {others} more") };
    (!names.is_empty()).then(|| format!("Left as they are, because they have diverged: {}{more}.", names.join(", ")))
}

/// Why nothing could be fetched, for maintainers. It names nothing of this server.
fn reason(error: &ImportError) -> Option<String> {
    Some(match error {
        ImportError::TooLarge => "The repository would be larger than it may be.".to_owned(),
        ImportError::Unacceptable(text) => text.clone(),
        ImportError::TooSlow => "The update took too long.".to_owned(),
        ImportError::Refused(_) => "The repository could not be fetched.".to_owned(),
        ImportError::Git(_) => return None,
    })
}

impl App {
    /// Updates a mirror. Objects come before refs, and all refs move at once or none: a crash leaves the refs as they were or as
    /// they are to be, and the update is made again.
    fn update_mirror_now(&self, id: ProjectId) -> Result<(), AppError> {
        let Some(update) = self.command(|command| begin(command, id))? else { return Ok(()) };
        let by = Pusher::Mirror { user: update.user };
        if update.was_cut_off {
            let moved = self.missed_updates(id)?;
            if !moved.is_empty() {
                self.handle_push(id, by, &moved)?;
            }
        }
        let outcome = match self.fetch_mirror(id, &update)? {
            Ok(fetched) => match self.move_refs(id, by, &fetched) {
                Ok(()) => Ok(left_out(&fetched.left)),
                Err(error) => Err(refusal(error)?),
            },
            Err(text) => Err(text),
        };
        self.command(|command| end(command, id, outcome))
    }

    /// Fetches what the mirror lacks. The inner error is the reason for maintainers.
    fn fetch_mirror(&self, id: ProjectId, update: &Update) -> Result<Result<MirrorFetch, String>, AppError> {
        let known = self.database().read(|tx| settings::load(tx).map_err(AppError::from))?;
        let url = update.mirror.sealed_url.as_deref().map(|sealed| self.vault().open(sealed)).transpose();
        let url = url.map_err(AppError::internal)?.unwrap_or_default();
        let local_allowed = allows(&known.local, &url);
        let resolved = self.may_call(&url, local_allowed).then(|| resolve(&url, local_allowed)).flatten();
        let Some(source) = resolved.and_then(|address| ImportSource::parse(&url, address).ok()) else {
            return Ok(Err("The address cannot be reached, or is not permitted.".to_owned()));
        };
        let repository = self.repository(id)?;
        let store = &self.repositories().store;
        let limits = self.import_limits();
        let room = match self.repository_limit() {
            0 => limits.bytes,
            limit => limit.saturating_sub(store.size(&repository)?),
        };
        let pattern = update.mirror.branch_pattern();
        // An expression that cannot be read any more admits nothing.
        let reads = update.mirror.branch_regex.is_none() || pattern.is_some();
        let takes = |branch: &str| {
            let is_protected = || Protections::covering(&update.rules, ProtectionKind::Branch, branch).is_protected();
            reads
                && pattern.as_ref().is_none_or(|pattern| pattern.is_match(branch))
                && (!update.mirror.only_protected_branches || is_protected())
        };
        let overwrites = update.mirror.overwrites_diverged_branches;
        let request = MirrorRequest { source: &source, takes: &takes, overwrites };
        match store.fetch_mirror(&request, &repository, ImportLimits { bytes: room, ..limits }) {
            Ok(fetched) => Ok(Ok(fetched)),
            Err(ImportError::Git(error)) => Err(error.into()),
            Err(error) => {
                tracing::info!(project = %id, %error, "the update of a mirror failed");
                Ok(Err(reason(&error).unwrap_or_default()))
            }
        }
    }

    /// Moves the refs, with what follows a push.
    fn move_refs(&self, id: ProjectId, by: Pusher, fetched: &MirrorFetch) -> Result<(), AppError> {
        if fetched.changes.is_empty() {
            return Ok(());
        }
        let change = |change: &MirrorChange| RefChange::to(change.name.clone(), change.old, change.new);
        let changes: Vec<RefChange> = fetched.changes.iter().map(change).collect();
        self.repositories().store.repository(id).update_refs(&changes).map_err(refused)?;
        self.crash_point(CrashPoint::Moved)?;
        let moved: Vec<RefUpdate> = fetched.changes.iter().map(update_of).collect();
        self.handle_push(id, by, &moved)
    }
}

fn update_of(change: &MirrorChange) -> RefUpdate {
    RefUpdate { name: change.name.as_str().to_owned(), old: change.old.unwrap_or(Oid::ZERO), new: change.new }
}

/// The reason why refs could not be moved, for maintainers. A branch that moved during the update is no failure: the update is made
/// again soon.
fn refusal(error: AppError) -> Result<String, AppError> {
    match error {
        AppError::Refused(Refusal::Repository(
            RepositoryRefusal::BranchMoved | RepositoryRefusal::InvalidRef | RepositoryRefusal::RefExists,
        )) => Err(AppError::Busy { retry_after: MOVED_PAUSE }),
        AppError::Refused(Refusal::Repository(RepositoryRefusal::TooManyRefs(most))) => {
            Ok(format!("A repository cannot have more than {most} branches and tags."))
        }
        AppError::Refused(Refusal::Repository(RepositoryRefusal::DirectoryFileConflict)) => {
            Ok("The name of a branch or tag is a folder of another one.".to_owned())
        }
        other => Err(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_follow_is_told_with_a_bound() {
        let names = |count: usize| -> Vec<RefName> {
            (0..count).map(|number| RefName::parse(&format!("refs/heads/b{number}")).unwrap()).collect()
        };
        assert_eq!(left_out(&[]), None);
        assert_eq!(left_out(&names(2)).unwrap(), "Left as they are, because they have diverged: b0, b1.");
        assert!(left_out(&names(12)).unwrap().ends_with("b9 and 2 more."));
    }
}
