//! Hooks: of projects, and of the whole server.

#![expect(clippy::ref_option_ref, reason = "what the derive makes of optional columns")]

mod delivery;
mod event;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::hook::{Hook, HookEvents, Trigger};
use tenon_domain::id::{HookId, ProjectId, ServiceId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::db::connection::Backend;
use crate::db::paging::page;
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::hooks;

pub use delivery::{
    Attempt, Delivery, DeliveryFilter, NewDelivery, count_open, deliveries, find_delivery, forgotten_retries,
    hooks_with_waiting_deliveries, insert_delivery, record_attempt, unpark, waiting,
};
pub use event::{
    HookEvent, NewHookEvent, RenderedEvent, event_bodies, event_body, has_events, held_bytes, insert_event, make_room,
    projects_with_unrendered_events, purge_events, render_event, rendered_event, unrendered_events,
};

/// Declares the columns of flags, each with its events. The last one is null if it was never set.
macro_rules! flag_columns {
    ($($column:ident => $trigger:ident,)* ; $last:ident => $last_trigger:ident) => {
        #[derive(Queryable, Selectable, Insertable, AsChangeset)]
        #[diesel(table_name = hooks, treat_none_as_null = true)]
        struct FlagColumns { $( $column: bool, )* $last: Option<bool> }

        impl From<&HookEvents> for FlagColumns {
            fn from(events: &HookEvents) -> Self {
                Self {
                    $( $column: events.wants(Trigger::$trigger), )*
                    $last: events.get(Trigger::$last_trigger),
                }
            }
        }

        impl From<FlagColumns> for HookEvents {
            fn from(row: FlagColumns) -> Self {
                let mut events = Self::default();
                $( events.set(Trigger::$trigger, row.$column); )*
                if let Some(on) = row.$last {
                    events.set(Trigger::$last_trigger, on);
                }
                events
            }
        }

        /// Those of `hooks` whose flag is on; all, for events without a flag.
        fn flagged(
            hooks: hooks::BoxedQuery<'static, Backend>,
            trigger: Trigger,
        ) -> hooks::BoxedQuery<'static, Backend> {
            match trigger {
                $( Trigger::$trigger => hooks.filter(hooks::$column), )*
                Trigger::$last_trigger => hooks.filter(hooks::$last.eq(Some(true))),
                Trigger::System => hooks,
            }
        }
    };
}

flag_columns! {
    push_events => Push,
    issues_events => Issue,
    confidential_issues_events => ConfidentialIssue,
    merge_requests_events => MergeRequest,
    tag_push_events => TagPush,
    note_events => Note,
    job_events => Job,
    pipeline_events => Pipeline,
    wiki_page_events => WikiPage,
    repository_update_events => RepositoryUpdate,
    ;
    confidential_note_events => ConfidentialNote
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = hooks)]
struct HookRow {
    id: i64,
    project_id: Option<i64>,
    url: String,
    #[diesel(embed)]
    flags: FlagColumns,
    push_events_branch_filter: Option<String>,
    enable_ssl_verification: bool,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
    name: String,
    description: String,
}

impl From<HookRow> for Hook {
    fn from(row: HookRow) -> Self {
        Self {
            id: HookId::new(row.id),
            project: row.project_id.map(ProjectId::new),
            url: row.url,
            name: row.name,
            description: row.description,
            events: row.flags.into(),
            push_events_branch_filter: row.push_events_branch_filter,
            enable_ssl_verification: row.enable_ssl_verification,
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        }
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = hooks, treat_none_as_null = true)]
struct HookColumns<'a> {
    project_id: Option<i64>,
    url: &'a str,
    #[diesel(embed)]
    flags: FlagColumns,
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
            push_events_branch_filter: hook.push_events_branch_filter.as_deref(),
            enable_ssl_verification: hook.enable_ssl_verification,
            created_at: naive(hook.created_at),
            updated_at: naive(hook.updated_at),
            name: &hook.name,
            description: &hook.description,
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

/// A hook of a project, or, if that is `None`, of the whole server.
pub fn find(tx: &mut ReadTx<'_>, project: Option<ProjectId>, id: HookId) -> StoreResult<Option<Hook>> {
    let row: Option<HookRow> =
        hooks_of!(project).filter(hooks::id.eq(id.get())).select(HookRow::as_select()).first(tx.conn).optional()?;
    Ok(row.map(Into::into))
}

/// How many hooks a project, or the whole server, has.
pub fn count(tx: &mut ReadTx<'_>, project: Option<ProjectId>) -> StoreResult<i64> {
    Ok(hooks_of!(project).count().get_result(tx.conn)?)
}

/// One page of the hooks of a project, or of the whole server, by id.
pub fn list(tx: &mut ReadTx<'_>, project: Option<ProjectId>, request: PageRequest) -> StoreResult<Page<Hook>> {
    let total = count(tx, project)?;
    page(request, total, |limit, offset| {
        let rows: Vec<HookRow> = hooks_of!(project)
            .order(hooks::id)
            .limit(limit)
            .offset(offset)
            .select(HookRow::as_select())
            .load(tx.conn)?;
        Ok(rows.into_iter().map(Into::into).collect())
    })
}

/// True if any hook of the project, or of the whole server, receives events of this kind: on some branch, for pushes.
pub fn is_received(tx: &mut ReadTx<'_>, project: Option<ProjectId>, trigger: Trigger) -> StoreResult<bool> {
    let found: Option<i64> = receiving(project, trigger).select(hooks::id).first(tx.conn).optional()?;
    Ok(found.is_some())
}

/// The hooks of the project, and of the whole server, that receive events of this kind: on some branch, for pushes.
pub fn receivers(tx: &mut ReadTx<'_>, project: Option<ProjectId>, trigger: Trigger) -> StoreResult<Vec<Hook>> {
    let rows: Vec<HookRow> = receiving(project, trigger).order(hooks::id).select(HookRow::as_select()).load(tx.conn)?;
    Ok(rows.into_iter().map(Into::into).collect())
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
    /// How many attempts in a row had no answer.
    pub unanswered: i64,
    /// When the first attempt failed after which none succeeded.
    pub failing_since: Option<Timestamp>,
    /// It is not called before this moment.
    pub paused_until: Option<Timestamp>,
    /// True if it was announced that it fails.
    pub failure_announced: bool,
    /// The service that receives in its place.
    pub service: Option<ServiceId>,
}

type Health = (Option<String>, i64, Option<NaiveDateTime>, Option<NaiveDateTime>, bool, Option<i64>);

/// The columns of a [`Target`].
macro_rules! target_columns {
    () => {
        (
            HookRow::as_select(),
            (
                hooks::sealed_token,
                hooks::unanswered,
                hooks::failing_since,
                hooks::paused_until,
                hooks::failure_announced,
                hooks::service_id,
            ),
        )
    };
}

fn target_of((row, health): (HookRow, Health)) -> Target {
    let (sealed_token, unanswered, failing_since, paused_until, failure_announced, service) = health;
    Target {
        hook: row.into(),
        sealed_token,
        unanswered,
        failing_since: failing_since.map(utc),
        paused_until: paused_until.map(utc),
        failure_announced,
        service: service.map(ServiceId::new),
    }
}

/// A hook as its deliveries need it; `None` once it is removed.
pub fn target(tx: &mut ReadTx<'_>, id: HookId) -> StoreResult<Option<Target>> {
    let row: Option<(HookRow, Health)> =
        hooks::table.find(id.get()).select(target_columns!()).first(tx.conn).optional()?;
    Ok(row.map(target_of))
}

/// The hooks whose last attempt failed, those that fail for the longest first. Receivers of services are none of them.
pub fn failing(tx: &mut ReadTx<'_>, limit: i64) -> StoreResult<Vec<Target>> {
    let rows: Vec<(HookRow, Health)> = hooks::table
        .filter(hooks::failing_since.is_not_null().and(hooks::service_id.is_null()))
        .order((hooks::failing_since, hooks::id))
        .limit(limit)
        .select(target_columns!())
        .load(tx.conn)?;
    Ok(rows.into_iter().map(target_of).collect())
}

/// Stores how the receiver of a hook is doing, as it stands in `target`.
pub fn set_health(tx: &mut WriteTx<'_>, target: &Target) -> StoreResult<()> {
    diesel::update(hooks::table.find(target.hook.id.get()))
        .set((
            hooks::unanswered.eq(target.unanswered),
            hooks::failing_since.eq(target.failing_since.map(naive)),
            hooks::paused_until.eq(target.paused_until.map(naive)),
            hooks::failure_announced.eq(target.failure_announced),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Stores a new hook and yields its id; the id in `hook` is ignored.
pub fn insert(tx: &mut WriteTx<'_>, hook: &Hook, sealed_token: Option<&str>) -> StoreResult<HookId> {
    let id = diesel::insert_into(hooks::table)
        .values((HookColumns::from(hook), hooks::sealed_token.eq(sealed_token)))
        .returning(hooks::id)
        .get_result(tx.conn)?;
    Ok(HookId::new(id))
}

/// Stores what a service receives: its receiver is made if there is none yet. The id in `hook` is ignored.
pub fn save_receiver(tx: &mut WriteTx<'_>, service: ServiceId, hook: &Hook) -> StoreResult<()> {
    let columns = || (HookColumns::from(hook), hooks::service_id.eq(Some(service.get())));
    let known = hooks::table.filter(hooks::service_id.eq(service.get()));
    if diesel::update(known).set(columns()).execute(tx.conn)? == 0 {
        diesel::insert_into(hooks::table).values(columns()).execute(tx.conn)?;
    }
    Ok(())
}

/// Stores a hook as it now is.
pub fn update(tx: &mut WriteTx<'_>, hook: &Hook) -> StoreResult<()> {
    diesel::update(hooks::table.find(hook.id.get())).set(HookColumns::from(hook)).execute(tx.conn)?;
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
