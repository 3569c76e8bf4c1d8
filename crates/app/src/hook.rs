//! Project hooks, and the log of their deliveries. What sends them is in `workflows/webhook`.

use tenon_domain::hook::{Hook, HookEvents, is_header_safe, parse_branch_filter};
use tenon_domain::id::{HookEventId, HookId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::time::Timestamp;
use tenon_outbound::address::{has_credentials, is_same_receiver, is_target};
use tenon_storage::hook;

pub use tenon_storage::hook::{Delivery, DeliveryFilter};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::account::check_room;
use crate::policy::precondition::check_unmodified;
use crate::policy::reference::Reference;

/// What a request says about a hook; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct HookChange {
    /// Where deliveries go.
    pub url: String,
    /// The secret sent along; empty clears. Stored sealed, never shown.
    pub token: Option<String>,
    /// Branches that pushes are limited to; empty for all.
    pub push_events_branch_filter: Option<String>,
    /// Whether the receiver's certificate is checked.
    pub enable_ssl_verification: Option<bool>,
    /// Pushes to branches.
    pub push_events: Option<bool>,
    /// Issues that everyone may read.
    pub issues_events: Option<bool>,
    /// Confidential issues.
    pub confidential_issues_events: Option<bool>,
    /// Merge requests.
    pub merge_requests_events: Option<bool>,
    /// Pushes of tags.
    pub tag_push_events: Option<bool>,
    /// Comments.
    pub note_events: Option<bool>,
    /// Comments on confidential issues.
    pub confidential_note_events: Option<bool>,
    /// Jobs.
    pub job_events: Option<bool>,
    /// Pipelines.
    pub pipeline_events: Option<bool>,
    /// Wiki pages.
    pub wiki_page_events: Option<bool>,
}

impl HookChange {
    fn apply(&self, hook: &mut Hook) -> Result<(), AppError> {
        hook.url.clone_from(&self.url);
        if let Some(filter) = &self.push_events_branch_filter {
            let invalid =
                |refusal: tenon_domain::hook::InvalidBranchFilter| AppError::Unprocessable(refusal.to_string());
            hook.push_events_branch_filter = Some(parse_branch_filter(filter).map_err(invalid)?);
        }
        hook.enable_ssl_verification = self.enable_ssl_verification.unwrap_or(hook.enable_ssl_verification);
        let events = &mut hook.events;
        for (given, flag) in [
            (self.push_events, &mut events.push),
            (self.issues_events, &mut events.issues),
            (self.confidential_issues_events, &mut events.confidential_issues),
            (self.merge_requests_events, &mut events.merge_requests),
            (self.tag_push_events, &mut events.tag_push),
            (self.note_events, &mut events.note),
            (self.job_events, &mut events.job),
            (self.pipeline_events, &mut events.pipeline),
            (self.wiki_page_events, &mut events.wiki_page),
        ] {
            *flag = given.unwrap_or(*flag);
        }
        events.confidential_note = self.confidential_note_events.or(events.confidential_note);
        Ok(())
    }
}

/// Whether the caller may look after a project's hooks at all: asked before anything else of a request is.
pub fn permit(query: &mut Query<'_>, project: &Reference) -> Result<(), AppError> {
    query.project(project, ProjectAction::ManageHooks).map(|_found| ())
}

/// The hooks of a project, by id; maintainers only.
pub fn list(query: &mut Query<'_>, project: &Reference, page: PageRequest) -> Result<Page<Hook>, AppError> {
    let project = query.project(project, ProjectAction::ManageHooks)?.project.id;
    Ok(hook::list(&mut query.tx, Some(project), page)?)
}

/// One hook of a project.
pub fn show(query: &mut Query<'_>, project: &Reference, id: HookId) -> Result<Hook, AppError> {
    let project = query.project(project, ProjectAction::ManageHooks)?.project.id;
    hook::find(&mut query.tx, Some(project), id)?.ok_or(AppError::NotFound(Missing::Record))
}

/// Adds a hook.
pub fn create(command: &mut Command<'_>, project: &Reference, change: &HookChange) -> Result<Hook, AppError> {
    let project = command.query().project(project, ProjectAction::ManageHooks)?.project.id;
    let most = command.app.limits().hooks.per_project;
    check_room(hook::count(&mut command.tx, Some(project))?, most, "hooks of the project")?;
    let mut hook = Hook {
        id: HookId::new(0),
        project: Some(project),
        url: String::new(),
        events: HookEvents::default(),
        push_events_branch_filter: None,
        enable_ssl_verification: true,
        created_at: command.now,
        updated_at: command.now,
    };
    check(command, change)?;
    change.apply(&mut hook)?;
    let sealed = sealed_token(command, change)?.flatten();
    hook.id = hook::insert(&mut command.tx, &hook, sealed.as_deref())?;
    Ok(hook)
}

/// Changes a hook; its address is given every time.
pub fn edit(command: &mut Command<'_>, project: &Reference, id: HookId, change: &HookChange) -> Result<Hook, AppError> {
    let mut hook = show(&mut command.query(), project, id)?;
    check(command, change)?;
    let keeps_its_receiver = is_same_receiver(&hook.url, &change.url);
    change.apply(&mut hook)?;
    hook.updated_at = command.now;
    hook::update(&mut command.tx, &hook)?;
    match sealed_token(command, change)? {
        Some(token) => hook::set_token(&mut command.tx, id, token.as_deref())?,
        None if keeps_its_receiver => {}
        None => hook::set_token(&mut command.tx, id, None)?,
    }
    Ok(hook)
}

/// A delivery, as the log shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryView {
    /// The delivery.
    pub delivery: Delivery,
    /// What was sent, as JSON; `None` where that is long.
    pub body: Option<String>,
}

/// The longest body that the log shows, in characters.
const SHOWN_BODY: i64 = 16 << 10;

/// The deliveries to a hook, newest first.
pub fn deliveries(
    query: &mut Query<'_>,
    project: &Reference,
    id: HookId,
    filter: DeliveryFilter,
    page: PageRequest,
) -> Result<Page<DeliveryView>, AppError> {
    let hook = show(query, project, id)?;
    let found = hook::deliveries(&mut query.tx, hook.id, filter, page)?;
    let events: Vec<HookEventId> = found.items.iter().map(|delivery| delivery.event).collect();
    let mut bodies = hook::event_bodies(&mut query.tx, &events, SHOWN_BODY)?;
    Ok(found.map(|delivery| DeliveryView { body: bodies.remove(&delivery.event), delivery }))
}

/// Removes a hook.
pub fn delete(
    command: &mut Command<'_>,
    project: &Reference,
    id: HookId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let hook = show(&mut command.query(), project, id)?;
    check_unmodified(hook.updated_at, unmodified_since)?;
    Ok(hook::delete(&mut command.tx, id)?)
}

/// The token to store: `None` where none was sent, `Some(None)` where it is to be cleared.
#[expect(clippy::option_option, reason = "absent, cleared and set are three answers")]
fn sealed_token(command: &Command<'_>, change: &HookChange) -> Result<Option<Option<String>>, AppError> {
    match change.token.as_deref() {
        None => Ok(None),
        Some("") => Ok(Some(None)),
        Some(token) => {
            let sealed = command.app.vault().seal(command.app.entropy(), token).map_err(AppError::internal)?;
            Ok(Some(Some(sealed)))
        }
    }
}

fn check(command: &mut Command<'_>, change: &HookChange) -> Result<(), AppError> {
    let local_allowed = command.query().settings()?.allow_local_requests_from_hooks_and_services;
    // Who is to be called with a password has a token for that.
    if !is_target(&change.url, local_allowed) || has_credentials(&change.url) {
        return Err(AppError::Unprocessable("Invalid url given".to_owned()));
    }
    let token = change.token.as_deref().unwrap_or_default();
    if token.len() > MAX_TOKEN || !is_header_safe(token) {
        return Err(AppError::invalid("token", "must be short and without line breaks"));
    }
    Ok(())
}

/// The longest token of a hook, in bytes.
const MAX_TOKEN: usize = 2048;
