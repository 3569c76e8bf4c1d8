//! Hooks of projects and of the whole server, and the log of their deliveries. The code that sends them is in
//! `workflows/webhook`.

mod named_values;

use tenon_domain::field_errors::FieldErrors;
use tenon_domain::hook::{BranchFilterStrategy, FlagChanges, Health, Holder, Hook, HookEvents, is_header_safe};
use tenon_domain::id::{HookEventId, HookId, ProjectId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::HookRefusal;
use tenon_domain::time::Timestamp;
use tenon_outbound::address::has_credentials;
use tenon_storage::hook;

pub use tenon_storage::hook::{Delivery, DeliveryFilter};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::core::local_requests::allows;
use crate::policy::account::check_room;
use crate::policy::precondition::check_unmodified;
use crate::policy::reference::Reference;
use crate::shared::hook_event::template::Template;
use named_values::Secrets;

pub use named_values::{NamedChange, NamedKind, remove_value, set_value};

/// Whose events hooks receive.
#[derive(Debug, Clone)]
pub enum HookSource {
    /// Those of a project: maintainers manage its hooks.
    Project(Reference),
    /// Those of the whole server: administrators manage its hooks.
    Server,
}

impl HookSource {
    /// The project, for callers who may manage its hooks; `None` for the whole server.
    pub(crate) fn find(&self, query: &mut Query<'_>) -> Result<Option<ProjectId>, AppError> {
        match self {
            Self::Project(reference) => Ok(Some(query.project(reference, ProjectAction::ManageHooks)?.project.id)),
            Self::Server if query.is_admin() => Ok(None),
            Self::Server => Err(AppError::Forbidden),
        }
    }

    /// The answer if there is no such hook.
    pub(crate) const fn missing(&self) -> AppError {
        AppError::NotFound(match self {
            Self::Project(_) => Missing::Record,
            Self::Server => Missing::SystemHook,
        })
    }

    /// Administrators may have receivers in the server's own network, with the hooks that they make.
    const fn may_be_local(&self) -> bool {
        matches!(self, Self::Server)
    }
}

/// The fields of a hook in a request; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct HookChange {
    /// The address of deliveries.
    pub url: Option<String>,
    /// Its name for people.
    pub name: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// The secret sent along; empty clears. Stored sealed, never shown.
    pub token: Option<String>,
    /// The headers to send along. Stored sealed, never shown.
    pub custom_headers: NamedChange,
    /// The variables of the address. Stored sealed, never shown.
    pub url_variables: NamedChange,
    /// JSON with placeholders that is sent in place of the event; empty clears.
    pub custom_webhook_template: Option<String>,
    /// Branches that pushes are limited to; empty for all.
    pub push_events_branch_filter: Option<String>,
    /// How that filter is read.
    pub branch_filter_strategy: Option<BranchFilterStrategy>,
    /// True if the receiver's certificate is checked.
    pub enable_ssl_verification: Option<bool>,
    /// The flags that it names.
    pub events: FlagChanges,
}

impl HookChange {
    fn apply(&self, hook: &mut Hook) -> Result<(), AppError> {
        for (given, text) in
            [(&self.url, &mut hook.url), (&self.name, &mut hook.name), (&self.description, &mut hook.description)]
        {
            if let Some(given) = given {
                text.clone_from(given);
            }
        }
        hook.branch_filter_strategy = self.branch_filter_strategy.unwrap_or(hook.branch_filter_strategy);
        let filter = self.push_events_branch_filter.as_ref().or(hook.push_events_branch_filter.as_ref());
        if self.push_events_branch_filter.is_some() || self.branch_filter_strategy.is_some() {
            let checked = filter.map(|filter| hook.branch_filter_strategy.check(filter)).transpose();
            hook.push_events_branch_filter = checked.map_err(|_invalid| HookRefusal::BranchFilter)?;
        }
        if let Some(template) = &self.custom_webhook_template {
            hook.custom_webhook_template = Some(template.clone()).filter(|template| !template.trim().is_empty());
        }
        hook.enable_ssl_verification = self.enable_ssl_verification.unwrap_or(hook.enable_ssl_verification);
        hook.events.apply(&self.events);
        Ok(())
    }
}

/// Checks that the caller may look after these hooks at all: asked before anything else of a request is.
pub fn permit(query: &mut Query<'_>, source: &HookSource) -> Result<(), AppError> {
    source.find(query).map(|_found| ())
}

/// The hooks of a project or of the server, by id.
pub fn list(query: &mut Query<'_>, source: &HookSource, page: PageRequest) -> Result<Page<Hook>, AppError> {
    let project = source.find(query)?;
    Ok(hook::list(&mut query.tx, project, page)?)
}

/// One hook.
pub fn show(query: &mut Query<'_>, source: &HookSource, id: HookId) -> Result<Hook, AppError> {
    let project = source.find(query)?;
    hook::find(&mut query.tx, project, id)?.ok_or(source.missing())
}

/// Adds a hook.
pub fn create(command: &mut Command<'_>, source: &HookSource, change: &HookChange) -> Result<Hook, AppError> {
    let project = source.find(&mut command.query())?;
    let (of, events) = match source {
        HookSource::Project(_) => ("hooks of the project", HookEvents::initial(Holder::Project)),
        HookSource::Server => ("hooks of the server", HookEvents::initial(Holder::Server)),
    };
    check_room(hook::count(&mut command.tx, project)?, command.app.limits().hooks.per_project, of)?;
    let mut hook = Hook {
        id: HookId::new(0),
        project,
        url: String::new(),
        name: String::new(),
        description: String::new(),
        events,
        url_variables: Vec::new(),
        custom_headers: Vec::new(),
        custom_webhook_template: None,
        push_events_branch_filter: None,
        branch_filter_strategy: BranchFilterStrategy::Wildcard,
        enable_ssl_verification: true,
        health: Health::default(),
        created_at: command.now,
        updated_at: command.now,
    };
    change.apply(&mut hook)?;
    let secrets = Secrets::after(command, None, &hook, change)?;
    check(command, source, &hook, change, &secrets.address)?;
    secrets.keep_in(&mut hook);
    let sealed = sealed_token(command, change)?.flatten();
    hook.id = hook::insert(&mut command.tx, &hook, sealed.as_deref())?;
    Ok(hook)
}

/// Changes a hook.
pub fn edit(command: &mut Command<'_>, source: &HookSource, id: HookId, change: &HookChange) -> Result<Hook, AppError> {
    let before = show(&mut command.query(), source, id)?;
    let mut hook = before.clone();
    change.apply(&mut hook)?;
    let secrets = Secrets::after(command, Some(&before), &hook, change)?;
    check(command, source, &hook, change, &secrets.address)?;
    let is_same_receiver = secrets.is_same_receiver;
    secrets.keep_in(&mut hook);
    hook.updated_at = command.now;
    hook::update(&mut command.tx, &hook)?;
    if !is_same_receiver {
        hook.health = Health::default();
        hook::set_health(&mut command.tx, id, hook.health, false)?;
    }
    match sealed_token(command, change)? {
        Some(token) => hook::set_token(&mut command.tx, id, token.as_deref())?,
        None if is_same_receiver => {}
        None => hook::set_token(&mut command.tx, id, None)?,
    }
    Ok(hook)
}

/// A delivery, as the log shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryView {
    /// The delivery.
    pub delivery: Delivery,
    /// The sent body, as JSON, by the present template of the hook; `None` if it is long.
    pub body: Option<String>,
}

/// The longest body that the log shows, in characters.
const SHOWN_BODY: i64 = 16 << 10;

/// The deliveries to a hook, newest first.
pub fn deliveries(
    query: &mut Query<'_>,
    source: &HookSource,
    id: HookId,
    filter: DeliveryFilter,
    page: PageRequest,
) -> Result<Page<DeliveryView>, AppError> {
    let hook = show(query, source, id)?;
    let found = hook::deliveries(&mut query.tx, hook.id, filter, page)?;
    let events: Vec<HookEventId> = found.items.iter().map(|delivery| delivery.event).collect();
    let mut bodies = hook::event_bodies(&mut query.tx, &events, SHOWN_BODY)?;
    let shown = |body: String| match &hook.custom_webhook_template {
        None => Some(body),
        Some(template) => {
            let most = usize::try_from(SHOWN_BODY).unwrap_or(usize::MAX);
            Template::parse(template).ok()?.render(&serde_json::from_str(&body).ok()?, most).ok()
        }
    };
    Ok(found.map(|delivery| DeliveryView { body: bodies.remove(&delivery.event).and_then(shown), delivery }))
}

/// Removes a hook.
pub fn delete(
    command: &mut Command<'_>,
    source: &HookSource,
    id: HookId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let hook = show(&mut command.query(), source, id)?;
    check_unmodified(hook.updated_at, unmodified_since)?;
    Ok(hook::delete(&mut command.tx, id)?)
}

/// The token to store: `None` if none was sent, `Some(None)` if it is to be cleared.
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

/// Refuses a hook that cannot be; `address` is the one that is called.
fn check(
    command: &mut Command<'_>,
    source: &HookSource,
    hook: &Hook,
    change: &HookChange,
    address: &str,
) -> Result<(), AppError> {
    let settings = command.query().settings()?;
    let is_trusted = source.may_be_local() && settings.local.from_system_hooks;
    let local_allowed = is_trusted || allows(&settings.local, address);
    // Who is to be called with a password has a token for that.
    if !command.app.may_call(address, local_allowed) || has_credentials(address) || hook.url.len() > MAX_URL {
        return Err(match source {
            HookSource::Project(_) => AppError::from(HookRefusal::Address),
            HookSource::Server => {
                AppError::invalid("url", "is blocked: it must be an http or https URL without a password")
            }
        });
    }
    let mut errors = FieldErrors::default();
    errors.at_most(MAX_NAME, "name", &hook.name);
    errors.at_most(MAX_DESCRIPTION, "description", &hook.description);
    if let Some(Err(invalid)) = hook.custom_webhook_template.as_deref().map(Template::parse) {
        errors.add("custom_webhook_template", invalid.to_string());
    }
    let token = change.token.as_deref().unwrap_or_default();
    errors.require(token.len() <= MAX_TOKEN && is_header_safe(token), "token", "must be short and without line breaks");
    Ok(errors.into_result()?)
}

/// The longest address of a hook before its variables have values, in bytes.
const MAX_URL: usize = 2048;
/// The longest name of a hook, in characters.
const MAX_NAME: usize = 255;
/// The longest description of a hook, in characters.
const MAX_DESCRIPTION: usize = 2048;
/// The longest token of a hook, in bytes.
const MAX_TOKEN: usize = 2048;
