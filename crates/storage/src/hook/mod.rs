//! Hooks: of projects, and of the whole server.

#![expect(clippy::ref_option_ref, reason = "what the derive makes of optional columns")]

mod delivery;
mod event;
mod flags;
mod named_values;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::hook::{AlertStatus, BranchFilterStrategy, Health, Hook, HookEvents, Trigger};
use tenon_domain::id::{HookId, ProjectId, ServiceId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::db::connection::Backend;
use crate::db::paging::page;
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{hook_options, hooks};
use flags::{FlagColumns, LaterFlagColumns, flagged};

pub use delivery::{
    Attempt, Delivery, DeliveryFilter, NewDelivery, count_open, deliveries, find_delivery, forgotten_retries,
    hooks_with_waiting_deliveries, insert_delivery, record_attempt, unpark, waiting,
};
pub use event::{
    HookEvent, NewHookEvent, RenderedEvent, event_bodies, event_body, has_events, held_bytes, insert_event, make_room,
    projects_with_unrendered_events, purge_events, render_event, rendered_event, unrendered_events,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = hooks)]
struct HookRow {
    id: i64,
    project_id: Option<i64>,
    url: String,
    #[diesel(embed)]
    flags: FlagColumns,
    confidential_note_events: Option<bool>,
    push_events_branch_filter: Option<String>,
    enable_ssl_verification: bool,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
    name: String,
    description: String,
    #[diesel(embed)]
    health: HealthColumns,
}

#[derive(Queryable, Selectable, AsChangeset)]
#[diesel(table_name = hooks, treat_none_as_null = true)]
struct HealthColumns {
    failures: i64,
    failing_since: Option<NaiveDateTime>,
    paused_until: Option<NaiveDateTime>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = hook_options)]
struct OptionRow {
    #[diesel(embed)]
    flags: LaterFlagColumns,
    branch_filter_strategy: String,
    custom_headers: String,
    url_variables: String,
    custom_webhook_template: Option<String>,
}

impl From<Health> for HealthColumns {
    fn from(health: Health) -> Self {
        Self {
            failures: health.failures,
            failing_since: health.failing_since.map(naive),
            paused_until: health.paused_until.map(naive),
        }
    }
}

/// The columns of a [`Hook`], of `hooks` joined with `hook_options`.
macro_rules! hook_columns {
    () => {
        (HookRow::as_select(), OptionRow::as_select())
    };
}

type Rows = (HookRow, OptionRow);

fn hook_of((row, options): Rows) -> Hook {
    let mut events = HookEvents::default();
    row.flags.add_to(&mut events);
    options.flags.add_to(&mut events);
    if let Some(on) = row.confidential_note_events {
        events.set(Trigger::ConfidentialNote, on);
    }
    // One that a newer version of the program has stored is read as it was before there were others.
    let strategy = BranchFilterStrategy::parse(&options.branch_filter_strategy);
    Hook {
        id: HookId::new(row.id),
        project: row.project_id.map(ProjectId::new),
        url: row.url,
        url_variables: named_values::from_column(&options.url_variables),
        custom_headers: named_values::from_column(&options.custom_headers),
        custom_webhook_template: options.custom_webhook_template,
        name: row.name,
        description: row.description,
        events,
        push_events_branch_filter: row.push_events_branch_filter,
        branch_filter_strategy: strategy.unwrap_or(BranchFilterStrategy::Wildcard),
        enable_ssl_verification: row.enable_ssl_verification,
        health: Health {
            failures: row.health.failures,
            failing_since: row.health.failing_since.map(utc),
            paused_until: row.health.paused_until.map(utc),
        },
        created_at: utc(row.created_at),
        updated_at: utc(row.updated_at),
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = hooks, treat_none_as_null = true)]
struct HookColumns<'a> {
    project_id: Option<i64>,
    url: &'a str,
    #[diesel(embed)]
    flags: FlagColumns,
    confidential_note_events: Option<bool>,
    push_events_branch_filter: Option<&'a str>,
    enable_ssl_verification: bool,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
    name: &'a str,
    description: &'a str,
}

impl<'a> From<&'a Hook> for HookColumns<'a> {
    fn from(hook: &'a Hook) -> Self {
        Self {
            project_id: hook.project.map(ProjectId::get),
            url: &hook.url,
            flags: (&hook.events).into(),
            confidential_note_events: hook.events.get(Trigger::ConfidentialNote),
            push_events_branch_filter: hook.push_events_branch_filter.as_deref(),
            enable_ssl_verification: hook.enable_ssl_verification,
            created_at: naive(hook.created_at),
            updated_at: naive(hook.updated_at),
            name: &hook.name,
            description: &hook.description,
        }
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = hook_options, treat_none_as_null = true)]
struct OptionColumns<'a> {
    #[diesel(embed)]
    flags: LaterFlagColumns,
    branch_filter_strategy: &'static str,
    custom_headers: String,
    url_variables: String,
    custom_webhook_template: Option<&'a str>,
}

impl<'a> From<&'a Hook> for OptionColumns<'a> {
    fn from(hook: &'a Hook) -> Self {
        Self {
            flags: (&hook.events).into(),
            branch_filter_strategy: hook.branch_filter_strategy.as_str(),
            custom_headers: named_values::to_column(&hook.custom_headers),
            url_variables: named_values::to_column(&hook.url_variables),
            custom_webhook_template: hook.custom_webhook_template.as_deref(),
        }
    }
}

/// The hooks of a project, or those of the whole server. The hooks of services are left out.
macro_rules! hooks_of {
    ($project:expr) => {{
        let hooks = hooks::table.filter(hooks::service_id.is_null()).into_boxed::<Backend>();
        match $project {
            Some(project) => hooks.filter(hooks::project_id.eq(ProjectId::get(project))),
            None => hooks.filter(hooks::project_id.is_null()),
        }
    }};
}

/// The columns of a [`Target`], of `hooks` joined with `hook_options`.
macro_rules! target_columns {
    () => {
        (
            HookRow::as_select(),
            OptionRow::as_select(),
            (hooks::sealed_token, hooks::failure_announced, hooks::service_id),
        )
    };
}

/// A hook of a project, or, if that is `None`, of the whole server.
pub fn find(tx: &mut ReadTx<'_>, project: Option<ProjectId>, id: HookId) -> StoreResult<Option<Hook>> {
    let rows: Option<Rows> = hooks_of!(project)
        .filter(hooks::id.eq(id.get()))
        .inner_join(hook_options::table)
        .select(hook_columns!())
        .first(tx.conn)
        .optional()?;
    Ok(rows.map(hook_of))
}

/// How many hooks a project, or the whole server, has.
pub fn count(tx: &mut ReadTx<'_>, project: Option<ProjectId>) -> StoreResult<i64> {
    Ok(hooks_of!(project).count().get_result(tx.conn)?)
}

/// One page of the hooks of a project, or of the whole server, by id.
pub fn list(tx: &mut ReadTx<'_>, project: Option<ProjectId>, request: PageRequest) -> StoreResult<Page<Hook>> {
    let total = count(tx, project)?;
    page(request, total, |limit, offset| {
        let rows: Vec<Rows> = hooks_of!(project)
            .inner_join(hook_options::table)
            .order(hooks::id)
            .limit(limit)
            .offset(offset)
            .select(hook_columns!())
            .load(tx.conn)?;
        Ok(rows.into_iter().map(hook_of).collect())
    })
}

/// True if any hook of the project, or of the whole server, receives events of this kind: on some branch, for pushes.
pub fn is_received(tx: &mut ReadTx<'_>, project: Option<ProjectId>, trigger: Trigger) -> StoreResult<bool> {
    let found: Option<i64> = receiving(project, trigger).select(hooks::id).first(tx.conn).optional()?;
    Ok(found.is_some())
}

/// The hooks of the project, and of the whole server, that receive events of this kind: on some branch, for pushes.
pub fn receivers(tx: &mut ReadTx<'_>, project: Option<ProjectId>, trigger: Trigger) -> StoreResult<Vec<Target>> {
    let rows: Vec<TargetRows> = receiving(project, trigger)
        .inner_join(hook_options::table)
        .order(hooks::id)
        .select(target_columns!())
        .load(tx.conn)?;
    Ok(rows.into_iter().map(target_of).collect())
}

/// The rule of [`Hook::receives`] as SQL, but for branches.
fn receiving(project: Option<ProjectId>, trigger: Trigger) -> hooks::BoxedQuery<'static, Backend> {
    let hooks = hooks::table.into_boxed::<Backend>();
    let hooks = match project {
        Some(project) => hooks.filter(hooks::project_id.eq(project.get()).or(hooks::project_id.is_null())),
        None => hooks.filter(hooks::project_id.is_null()),
    };
    let hooks = if trigger.is_of_server() { hooks.filter(hooks::project_id.is_null()) } else { hooks };
    flagged(hooks, trigger)
}

/// A hook as its deliveries need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The hook.
    pub hook: Hook,
    /// Its token, encrypted.
    pub sealed_token: Option<String>,
    /// True if it was announced that it fails.
    pub failure_announced: bool,
    /// The service that receives in its place.
    pub service: Option<ServiceId>,
}

impl Target {
    /// True if it is called only on request. Services are called always: they have no such request.
    #[must_use]
    pub fn is_disabled(&self, now: Timestamp) -> bool {
        self.service.is_none() && self.hook.health.status(now) == AlertStatus::Disabled
    }
}

type TargetRows = (HookRow, OptionRow, (Option<String>, bool, Option<i64>));

fn target_of((row, options, (sealed_token, failure_announced, service)): TargetRows) -> Target {
    Target { hook: hook_of((row, options)), sealed_token, failure_announced, service: service.map(ServiceId::new) }
}

/// A hook as its deliveries need it; `None` once it is removed.
pub fn target(tx: &mut ReadTx<'_>, id: HookId) -> StoreResult<Option<Target>> {
    let rows: Option<TargetRows> = hooks::table
        .inner_join(hook_options::table)
        .filter(hooks::id.eq(id.get()))
        .select(target_columns!())
        .first(tx.conn)
        .optional()?;
    Ok(rows.map(target_of))
}

/// The hooks whose last attempt failed, those that fail for the longest first. Receivers of services are none of them.
pub fn failing(tx: &mut ReadTx<'_>, limit: i64) -> StoreResult<Vec<Target>> {
    let rows: Vec<TargetRows> = hooks::table
        .inner_join(hook_options::table)
        .filter(hooks::failing_since.is_not_null().and(hooks::service_id.is_null()))
        .order((hooks::failing_since, hooks::id))
        .limit(limit)
        .select(target_columns!())
        .load(tx.conn)?;
    Ok(rows.into_iter().map(target_of).collect())
}

/// Stores how the receiver of a hook is doing, and whether that was announced.
pub fn set_health(tx: &mut WriteTx<'_>, id: HookId, health: Health, is_announced: bool) -> StoreResult<()> {
    diesel::update(hooks::table.find(id.get()))
        .set((HealthColumns::from(health), hooks::failure_announced.eq(is_announced)))
        .execute(tx.conn)?;
    Ok(())
}

/// Stores a new hook and yields its id; the id in `hook` is ignored.
pub fn insert(tx: &mut WriteTx<'_>, hook: &Hook, sealed_token: Option<&str>) -> StoreResult<HookId> {
    let id = diesel::insert_into(hooks::table)
        .values((HookColumns::from(hook), hooks::sealed_token.eq(sealed_token)))
        .returning(hooks::id)
        .get_result(tx.conn)?;
    insert_options(tx, id, hook)?;
    Ok(HookId::new(id))
}

fn insert_options(tx: &mut WriteTx<'_>, id: i64, hook: &Hook) -> StoreResult<()> {
    let options = (hook_options::hook_id.eq(id), OptionColumns::from(hook));
    diesel::insert_into(hook_options::table).values(options).execute(tx.conn)?;
    Ok(())
}

/// Stores what a service receives: its receiver is made if there is none yet. The id in `hook` is ignored.
pub fn save_receiver(tx: &mut WriteTx<'_>, service: ServiceId, hook: &Hook) -> StoreResult<()> {
    let columns = || (HookColumns::from(hook), hooks::service_id.eq(Some(service.get())));
    let known = hooks::table.filter(hooks::service_id.eq(service.get()));
    if diesel::update(known).set(columns()).execute(tx.conn)? == 0 {
        let id = diesel::insert_into(hooks::table).values(columns()).returning(hooks::id).get_result(tx.conn)?;
        insert_options(tx, id, hook)?;
    }
    Ok(())
}

/// Stores a hook as it now is.
pub fn update(tx: &mut WriteTx<'_>, hook: &Hook) -> StoreResult<()> {
    let id = hook.id.get();
    diesel::update(hooks::table.find(id)).set(HookColumns::from(hook)).execute(tx.conn)?;
    diesel::update(hook_options::table.find(id)).set(OptionColumns::from(hook)).execute(tx.conn)?;
    Ok(())
}

/// Sets or clears the encrypted secret token.
pub fn set_token(tx: &mut WriteTx<'_>, id: HookId, sealed_token: Option<&str>) -> StoreResult<()> {
    diesel::update(hooks::table.find(id.get())).set(hooks::sealed_token.eq(sealed_token)).execute(tx.conn)?;
    Ok(())
}

/// Removes a hook.
pub fn delete(tx: &mut WriteTx<'_>, id: HookId) -> StoreResult<()> {
    diesel::delete(hooks::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}
