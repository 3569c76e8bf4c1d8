//! Consequences of ref updates, of pushes and of writes over the API: rows and events.

use tenon_domain::event::EventKind;
use tenon_domain::hook::Trigger;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::project::Project;
use tenon_domain::repository::{ProtectedRef, ProtectionKind, Protections, RefKind};
use tenon_git::{BranchName, Repository};
use tenon_storage::repository::{change_refs, insert_rule, rules};
use tenon_storage::{event, issuable, project, settings};

use crate::core::app::{App, Command};
use crate::core::error::AppError;
use crate::core::push_sessions::Pusher;
use crate::core::ref_update::RefUpdate;
use crate::jobs::enqueue;
use crate::policy::protection::default_protection;
use crate::repository::pack::PackRepository;
use crate::repository::refresh::RefreshRepository;
use crate::repository::refs::branch_update::enqueue_branch_updates;
use crate::repository::refs::push_events::{MAX_EVENTS, PushEvents, present};
use crate::repository::refs::push_policy::short_name;
use crate::shared::hook_event::record::{self as hook_event, Captured, MovedRef};

/// The most refs that one transaction records. Others that write wait for it, and a push may move very many.
const REFS_AT_ONCE: usize = 50;

impl App {
    /// Records what a push has moved, as [`App::handle_ref_updates`] does. The consequences of a push with a deploy key, and of
    /// the update of a mirror, are done with no rights of the user whose contribution it is.
    pub(crate) fn handle_push(&self, project: ProjectId, pusher: Pusher, moved: &[RefUpdate]) -> Result<(), AppError> {
        self.record_ref_updates(project, Some(pusher), moved, |_command| Ok(()))
    }

    /// Records ref updates of a project. Blocks: asks Git first, then writes in one transaction.
    pub(crate) fn handle_ref_updates(
        &self,
        project_id: ProjectId,
        actor: Option<UserId>,
        moved: &[RefUpdate],
    ) -> Result<(), AppError> {
        self.handle_ref_updates_with(project_id, actor, moved, |_command| Ok(()))
    }

    /// As [`App::handle_ref_updates`], and does `also` in the same transaction.
    pub(crate) fn handle_ref_updates_with(
        &self,
        project_id: ProjectId,
        actor: Option<UserId>,
        moved: &[RefUpdate],
        also: impl FnOnce(&mut Command<'_>) -> Result<(), AppError>,
    ) -> Result<(), AppError> {
        self.record_ref_updates(project_id, actor.map(Pusher::User), moved, also)
    }

    fn record_ref_updates(
        &self,
        project_id: ProjectId,
        by: Option<Pusher>,
        moved: &[RefUpdate],
        also: impl FnOnce(&mut Command<'_>) -> Result<(), AppError>,
    ) -> Result<(), AppError> {
        let actor = by.and_then(Pusher::author);
        let repository = self.repositories().store.repository(project_id);
        let default = self.default_after(project_id, &repository, moved)?;
        // Updates without an actor are no contribution.
        let pushes = match by {
            Some(by) if actor.is_some() => {
                let most_alone = self.known_settings().push_activities;
                PushEvents::of(project_id, &repository, moved, by, default.as_deref(), most_alone)?
            }
            Some(_) | None => PushEvents::default(),
        };
        let (first, rest) = moved.split_at(moved.len().min(REFS_AT_ONCE));
        self.command(|command| {
            let Some(mut changed) = project::find(&mut command.tx, project_id)? else { return Ok(()) };
            let now = command.now;
            record_refs(command, project_id, first, by)?;
            // A default branch that was set concurrently is not overwritten.
            if changed.default_branch.is_none() && default.is_some() {
                changed.default_branch.clone_from(&default);
                changed.updated_at = now;
                project::update(&mut command.tx, &changed)?;
                if let Some(branch) = &default {
                    protect_first(command, &changed, branch)?;
                }
            }
            if pushes.events.is_empty() {
                let refresh = RefreshRepository { project: project_id.get() };
                command.charged_to(actor, |command| enqueue(command, &refresh))?;
            }
            let settings = settings::load(&mut command.tx)?;
            match settings.pack_after_pushes {
                None => issuable::touch_project(&mut command.tx, project_id, now)?,
                Some(period) => {
                    if issuable::touch_pushed_project(&mut command.tx, project_id, now, period)? {
                        enqueue(command, &PackRepository { project: project_id.get() })?;
                    }
                }
            }
            for data in &pushes.events {
                let detail = serde_json::to_string(data).map_err(AppError::internal)?;
                let mut event = command.event(EventKind::RefPushed).project(project_id).detail(detail);
                event.actor = actor;
                event::append(&mut command.tx, &event)?;
            }
            for messages in &pushes.messages {
                enqueue(command, messages)?;
            }
            if moved.len() > MAX_EVENTS {
                tracing::warn!(project.id = %project_id, refs = moved.len(), "hooks receive only the first refs of a push");
            }
            let most_for_hooks = settings.push_hooks;
            let is_for_hooks = actor.is_some() && moved.len() <= most_for_hooks;
            for one in moved.iter().filter(|_| is_for_hooks).take(MAX_EVENTS) {
                record_for_hooks(command, project_id, actor, one)?;
            }
            if actor.is_some() {
                record_update_for_hooks(command, project_id, actor, moved)?;
            }
            also(command)
        })?;
        // If the process ends before all are recorded, maintenance finds that the others have moved.
        for refs in rest.chunks(REFS_AT_ONCE) {
            self.command(|command| match project::find(&mut command.tx, project_id)? {
                Some(_) => record_refs(command, project_id, refs, by),
                None => Ok(()),
            })?;
        }
        (self.registry().refs_updated)(self, project_id, moved, by);
        Ok(())
    }

    /// The default branch after refs have moved: the first branch that comes to an empty repository becomes it, the one
    /// that HEAD names before others.
    fn default_after(
        &self,
        project_id: ProjectId,
        repository: &Repository,
        moved: &[RefUpdate],
    ) -> Result<Option<String>, AppError> {
        let known = self.database().read(|tx| project::find(tx, project_id))?;
        let Some(known) = known else { return Ok(None) };
        if known.default_branch.is_some() {
            return Ok(known.default_branch);
        }
        let created: Vec<&str> = moved
            .iter()
            .filter(|one| !one.new.is_zero())
            .filter_map(|one| one.name.strip_prefix("refs/heads/"))
            .collect();
        let head = repository.default_branch()?;
        // HEAD follows the name in the project, which comes first.
        let unborn = BranchName::parse(&known.unborn_branch).ok();
        let mut chosen = None;
        for branch in unborn.iter().chain(&head) {
            // Concurrent writes: it may be there without being among those that have moved.
            if chosen.is_none() && repository.ref_target(&branch.full())?.is_some() {
                chosen = Some(branch.as_str());
            }
        }
        let usual = || ["main", "master"].into_iter().find(|name| created.contains(name));
        let chosen = chosen.or_else(usual).or_else(|| created.first().copied());
        if let Some(name) = chosen
            && head.as_ref().map(BranchName::as_str) != Some(name)
            && let Ok(branch) = BranchName::parse(name)
        {
            repository.set_default_branch(&branch)?;
        }
        Ok(chosen.map(ToOwned::to_owned))
    }
}

fn record_for_hooks(
    command: &mut Command<'_>,
    project: ProjectId,
    actor: Option<UserId>,
    moved: &RefUpdate,
) -> Result<(), AppError> {
    let trigger = match short_name(&moved.name).0 {
        RefKind::Branch => Trigger::Push,
        RefKind::Tag => Trigger::TagPush,
        RefKind::Other => return Ok(()),
    };
    hook_event::record(command, Some(project), trigger, actor, |_command| {
        Ok(Captured::Push { name: moved.name.clone(), before: present(moved.old), after: present(moved.new) })
    })
}

fn record_update_for_hooks(
    command: &mut Command<'_>,
    project: ProjectId,
    actor: Option<UserId>,
    moved: &[RefUpdate],
) -> Result<(), AppError> {
    let shown = |one: &&RefUpdate| short_name(&one.name).0 != RefKind::Other;
    if !moved.iter().any(|one| shown(&one)) {
        return Ok(());
    }
    hook_event::record(command, Some(project), Trigger::RepositoryUpdate, actor, |_command| {
        let of =
            |one: &RefUpdate| MovedRef { name: one.name.clone(), before: present(one.old), after: present(one.new) };
        Ok(Captured::RepositoryUpdate { refs: moved.iter().filter(shown).take(MAX_EVENTS).map(of).collect() })
    })
}

/// Records the present commits of refs, and asks for what follows for merge requests from and into these branches.
fn record_refs(
    command: &mut Command<'_>,
    project: ProjectId,
    moved: &[RefUpdate],
    by: Option<Pusher>,
) -> Result<(), AppError> {
    let refs: Vec<(String, Option<String>)> = moved.iter().map(|one| (one.name.clone(), present(one.new))).collect();
    change_refs(&mut command.tx, project, &refs)?;
    let author = by.and_then(Pusher::author);
    command.charged_to(author, |command| enqueue_branch_updates(command, project, moved, by))
}

/// The rule that the settings ask for at the first push, unless one covers the branch already.
fn protect_first(command: &mut Command<'_>, project: &Project, branch: &str) -> Result<(), AppError> {
    let protection = default_protection(&mut command.tx, project)?;
    let Some(rule) = ProtectedRef::of_default_branch(&protection, branch) else { return Ok(()) };
    let known = rules(&mut command.tx, project.id)?;
    if Protections::covering(&known, ProtectionKind::Branch, branch).is_protected() {
        return Ok(());
    }
    let now = command.now;
    Ok(insert_rule(&mut command.tx, project.id, &rule, now).map(drop)?)
}
