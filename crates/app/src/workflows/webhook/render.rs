//! From captured events to bodies and deliveries.

use std::collections::HashMap;

use serde_json::Value;
use tenon_domain::hook::{BranchFilter, BranchFilterStrategy, Hook, Trigger};
use tenon_domain::id::{ProjectId, UserId};
use tenon_git::TagName;
use tenon_git::commit::Commit;
use tenon_storage::hook::{self, HookEvent, NewDelivery};
use tenon_storage::project;

use super::attempt::DeliverToHook;
use super::payload::Scene;
use super::pipeline;
use super::push::{self, Pushed};
use crate::core::app::{App, Query};
use crate::core::caller::Caller;
use crate::core::error::AppError;
use crate::jobs::{AsyncJob, enqueue};
use crate::shared::hook_event::record::{Captured, RenderHookEvents, new_uuid, room};

/// Events that are read at once.
const BATCH: i64 = 50;
/// Bytes of bodies after which they are stored, in one transaction.
const STORED_AFTER: usize = 1 << 20;

impl AsyncJob for RenderHookEvents {
    async fn run(self, app: &App) -> Result<(), AppError> {
        let project = self.project.map(ProjectId::new);
        loop {
            let events = app.database().read(|tx| hook::unrendered_events(tx, project, BATCH))?;
            if events.is_empty() {
                return Ok(());
            }
            let (mut ready, mut bytes) = (Vec::new(), 0);
            for event in events {
                let rendered = render(app, project, &event)?;
                bytes += rendered.as_ref().map_or(0, |rendered| rendered.body.len());
                ready.push((event, rendered));
                // Many small ones share a transaction; a large one does not wait in memory for others.
                if bytes >= STORED_AFTER {
                    store(app, project, std::mem::take(&mut ready))?;
                    bytes = 0;
                }
            }
            store(app, project, ready)?;
        }
    }
}

/// Stores bodies, and a delivery for each hook that receives one.
fn store(app: &App, project: Option<ProjectId>, ready: Vec<(HookEvent, Option<Rendered>)>) -> Result<(), AppError> {
    if ready.is_empty() {
        return Ok(());
    }
    let length = |rendered: &Rendered| i64::try_from(rendered.body.len()).unwrap_or(i64::MAX);
    let wanted = ready.iter().filter_map(|(_, rendered)| rendered.as_ref()).map(length).sum();
    let mut filters = Filters::default();
    if ready.iter().flat_map(|(_, rendered)| rendered).any(|rendered| rendered.branch.is_some()) {
        let receivers = app.database().read(|tx| hook::receivers(tx, project, Trigger::Push))?;
        for target in &receivers {
            let _ = filters.of(&target.hook);
        }
    }
    app.command(|command| {
        let mut room = room(command, project, wanted)?;
        for (event, rendered) in &ready {
            let rendered = rendered.as_ref().filter(|rendered| length(rendered) <= room);
            let body = rendered.map_or("", |rendered| rendered.body.as_str());
            if !hook::render_event(&mut command.tx, project, event.id, body)? {
                continue;
            }
            if rendered.is_none() {
                tracing::warn!(event.id = %event.id, "an event of hooks is not sent");
            }
            room -= rendered.map_or(0, length);
            let (Some(rendered), Some(trigger)) = (rendered, event.trigger) else { continue };
            let receivers = hook::receivers(&mut command.tx, project, trigger)?;
            let branch = rendered.branch.as_deref().filter(|_| trigger == Trigger::Push);
            for target in &receivers {
                let (receiver, at) = (&target.hook, command.now);
                let matches = |branch| filters.of(receiver).matches(branch);
                if !receiver.receives(trigger) || target.is_disabled(at) || !branch.is_none_or(matches) {
                    continue;
                }
                let uuid = new_uuid(command);
                let new = NewDelivery { hook: receiver.id, event: event.id, uuid, at };
                hook::insert_delivery(&mut command.tx, &new)?;
                // Calls of the hooks of the whole server are counted against no user.
                let owner = receiver.project.and(rendered.owner);
                let deliver = DeliverToHook { hook: receiver.id.get(), owner: owner.map(UserId::get) };
                command.charged_to(owner, |command| enqueue(command, &deliver))?;
            }
        }
        Ok(())
    })
}

/// The branch filters of the hooks of a project. They are compiled before a transaction, which is not to wait for them.
#[derive(Default)]
struct Filters(HashMap<(BranchFilterStrategy, String), BranchFilter>);

impl Filters {
    /// The filter of a hook.
    fn of(&mut self, hook: &Hook) -> &BranchFilter {
        let (strategy, text) = (hook.branch_filter_strategy, hook.branch_filter());
        self.0.entry((strategy, text.to_owned())).or_insert_with(|| BranchFilter::new(strategy, text))
    }
}

/// An event as it is sent.
pub(super) struct Rendered {
    pub(super) body: String,
    /// The branch that was pushed, for the filters of hooks.
    branch: Option<String>,
    /// The user against whom calls are counted: the one who has made the project.
    owner: Option<UserId>,
}

/// Makes the body of an event; `None` for one that is not sent, such as one of a project that is gone. Blocks: for pushes, Git
/// is asked.
fn render(app: &App, project: Option<ProjectId>, event: &HookEvent) -> Result<Option<Rendered>, AppError> {
    let Some(trigger) = event.trigger else { return Ok(None) };
    let captured: Captured = match serde_json::from_str(&event.captured) {
        Ok(captured) => captured,
        // Its followers must not wait for it.
        Err(error) => {
            tracing::error!(event.id = %event.id, %error, "an event of hooks cannot be read: it is not sent");
            return Ok(None);
        }
    };
    rendered(app, project, trigger, event.actor, captured)
}

/// As [`render`], of what is captured.
pub(super) fn rendered(
    app: &App,
    project: Option<ProjectId>,
    trigger: Trigger,
    actor: Option<UserId>,
    captured: Captured,
) -> Result<Option<Rendered>, AppError> {
    let branch = captured.pushed_ref().and_then(|name| name.strip_prefix("refs/heads/")).map(str::to_owned);
    let made = match (captured, project) {
        (Captured::System { body }, _) => Some((Value::Object(body), None)),
        (captured, Some(project)) => of_project(app, project, trigger, actor, &captured)?,
        (_, None) => None,
    };
    let Some((body, owner)) = made else { return Ok(None) };
    let body = serde_json::to_string(&body).map_err(AppError::internal)?;
    if u64::try_from(body.len()).unwrap_or(u64::MAX) > app.limits().hooks.body {
        let project = project.map(ProjectId::get);
        tracing::warn!(project.id = project, "an event is not sent to hooks: it is too large");
        return Ok(None);
    }
    Ok(Some(Rendered { body, branch, owner }))
}

/// The body of an event of a project, and the user who has made the project; `None` once the project is gone.
fn of_project(
    app: &App,
    project: ProjectId,
    trigger: Trigger,
    actor: Option<UserId>,
    captured: &Captured,
) -> Result<Option<(Value, Option<UserId>)>, AppError> {
    // Before the snapshot of the database: nothing waits for Git there.
    let pushed = match captured {
        Captured::Push { name, before, after } => {
            match push::read(app, project, name, before.as_deref(), after.as_deref()) {
                // Only a busy server is asked again. Its followers do not wait for a push that Git cannot describe: its
                // commits are gone since, or too large. The receiver still learns the old commit of the ref.
                Err(error @ (AppError::Busy { .. } | AppError::DiskFull)) => return Err(error),
                Err(error) => {
                    tracing::warn!(project.id = %project, %error, "a push is sent to hooks without its commits");
                    Pushed::unread(after.as_deref())
                }
                Ok(pushed) => pushed,
            }
        }
        Captured::Issuable(_)
        | Captured::Note { .. }
        | Captured::CommitNote { .. }
        | Captured::SnippetNote { .. }
        | Captured::Pipeline { .. }
        | Captured::Job { .. }
        | Captured::Award { .. }
        | Captured::Milestone { .. }
        | Captured::Release(_)
        | Captured::Deployment(_)
        | Captured::FeatureFlag { .. }
        | Captured::WikiPage { .. }
        | Captured::RepositoryUpdate { .. }
        | Captured::System { .. } => Pushed::default(),
    };
    let commit = commit_of(app, project, captured);
    let caller = Caller::default();
    app.database().read(|tx| -> Result<_, AppError> {
        let mut query = Query::new(tx.reborrow(), app, &caller, app.now());
        let Some(placed) = project::find_placed(&mut query.tx, project)? else { return Ok(None) };
        let owner = placed.project.creator;
        let mut scene = Scene::new(&mut query, placed, captured.named_user(actor))?;
        let body: Value = match captured {
            Captured::Push { name, before, after } => {
                push::body(&scene, trigger, name, before.as_deref(), after.as_deref(), &pushed)
            }
            Captured::Issuable(of) => scene.issuable(&mut query, trigger, of)?,
            Captured::Note { attributes, on } => scene.note(&mut query, trigger, attributes, on)?,
            Captured::SnippetNote { attributes, snippet } => scene.snippet_note(attributes, snippet),
            Captured::CommitNote { attributes, sha } => scene.commit_note(attributes, sha, commit.as_ref()),
            Captured::Pipeline { pipeline, jobs } => {
                pipeline::body(&mut query, &scene, pipeline, jobs, commit.as_ref())?
            }
            Captured::Job { pipeline, job } => pipeline::job_body(&scene, pipeline, job, commit.as_ref()),
            Captured::Award { attributes, note, on } => scene.award(&mut query, attributes, note.as_ref(), on)?,
            Captured::Milestone { attributes, action } => scene.milestone(attributes, action),
            Captured::Release(of) => scene.release(of, commit.as_ref()),
            Captured::Deployment(of) => scene.deployment(of, commit.as_ref()),
            Captured::FeatureFlag { attributes } => scene.feature_flag(attributes),
            Captured::WikiPage { attributes, branch } => scene.wiki_page(attributes, branch),
            Captured::RepositoryUpdate { refs } => push::update_body(&scene, refs),
            Captured::System { body } => Value::Object(body.clone()),
        };
        Ok(Some((body, owner)))
    })
}

/// The one commit that an event is about, besides pushes; `None` if it is gone.
fn commit_of(app: &App, project: ProjectId, captured: &Captured) -> Option<Commit> {
    let repository = app.repositories().store.repository(project);
    if let Some(tag) = captured.tag() {
        return repository.tag(&TagName::parse(tag).ok()?).ok()??.commit;
    }
    repository.commit(captured.commit()?.parse().ok()?).ok().flatten()
}
