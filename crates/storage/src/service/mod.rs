//! Services of projects.

#![expect(clippy::ref_option_ref, reason = "what the derive makes of optional columns")]

mod mail;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{ProjectId, ServiceId};
use tenon_domain::service::{Definition, Service, ServiceEvent, ServiceEvents};

use crate::db::expressions::in_ids;
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::services;

pub use mail::{
    DroppedMails, MailsSent, Suppression, count_mails, dropped_mails, mails_sent, mails_to_users, purge_mail_counts,
    remove_suppressions, suppress, suppressed, suppressions,
};

/// A service with its settings as they are stored.
#[derive(Debug, Clone)]
pub struct StoredService {
    /// The service.
    pub service: Service,
    /// The settings that are no secrets, as a JSON object.
    pub properties: String,
    /// The others, encrypted; `None` if there are none.
    pub sealed_properties: Option<String>,
}

/// Declares the columns of flags, each with its events.
macro_rules! flag_columns {
    ($($column:ident => $event:ident),* $(,)?) => {
        #[derive(Queryable, Selectable, Insertable, AsChangeset)]
        #[diesel(table_name = services)]
        struct FlagColumns { $( $column: bool, )* }

        impl From<&ServiceEvents> for FlagColumns {
            fn from(events: &ServiceEvents) -> Self {
                Self { $( $column: events.wants(ServiceEvent::$event), )* }
            }
        }

        impl From<FlagColumns> for ServiceEvents {
            fn from(row: FlagColumns) -> Self {
                let mut events = Self::default();
                $( events.set(ServiceEvent::$event, row.$column); )*
                events
            }
        }
    };
}

flag_columns! {
    push_events => Push,
    tag_push_events => TagPush,
    issues_events => Issue,
    confidential_issues_events => ConfidentialIssue,
    merge_requests_events => MergeRequest,
    note_events => Note,
    confidential_note_events => ConfidentialNote,
    pipeline_events => Pipeline,
    wiki_page_events => WikiPage,
    job_events => Job,
    commit_events => Commit,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = services)]
struct ServiceRow {
    id: i64,
    project_id: i64,
    slug: String,
    active: bool,
    properties: String,
    sealed_properties: Option<String>,
    #[diesel(embed)]
    flags: FlagColumns,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl ServiceRow {
    /// The service of a row, if this version knows its kind.
    fn known(self) -> Option<StoredService> {
        let service = Service {
            id: ServiceId::new(self.id),
            project: ProjectId::new(self.project_id),
            definition: Definition::find(&self.slug)?,
            active: self.active,
            events: self.flags.into(),
            created_at: utc(self.created_at),
            updated_at: utc(self.updated_at),
        };
        Some(StoredService { service, properties: self.properties, sealed_properties: self.sealed_properties })
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = services, treat_none_as_null = true)]
struct ServiceColumns<'a> {
    project_id: i64,
    slug: &'a str,
    active: bool,
    properties: &'a str,
    sealed_properties: Option<&'a str>,
    #[diesel(embed)]
    flags: FlagColumns,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl<'a> From<&'a StoredService> for ServiceColumns<'a> {
    fn from(stored: &'a StoredService) -> Self {
        let service = &stored.service;
        Self {
            project_id: service.project.get(),
            slug: service.definition.slug,
            active: service.active,
            properties: &stored.properties,
            sealed_properties: stored.sealed_properties.as_deref(),
            flags: (&service.events).into(),
            created_at: naive(service.created_at),
            updated_at: naive(service.updated_at),
        }
    }
}

/// The service of this kind that a project has, or had.
pub fn find(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    definition: &'static Definition,
) -> StoreResult<Option<StoredService>> {
    let row: Option<ServiceRow> = services::table
        .filter(services::project_id.eq(project.get()))
        .filter(services::slug.eq(definition.slug))
        .select(ServiceRow::as_select())
        .first(tx.conn)
        .optional()?;
    Ok(row.and_then(ServiceRow::known))
}

/// The services of this kind that are in use in these projects.
pub fn active_of_kind(
    tx: &mut ReadTx<'_>,
    projects: &[ProjectId],
    definition: &'static Definition,
) -> StoreResult<Vec<StoredService>> {
    let rows: Vec<ServiceRow> = services::table
        .filter(in_ids(services::project_id, projects, ProjectId::get))
        .filter(services::slug.eq(definition.slug))
        .filter(services::active)
        .select(ServiceRow::as_select())
        .load(tx.conn)?;
    Ok(rows.into_iter().filter_map(ServiceRow::known).collect())
}

/// The service of this id.
pub fn by_id(tx: &mut ReadTx<'_>, id: ServiceId) -> StoreResult<Option<StoredService>> {
    let row: Option<ServiceRow> =
        services::table.find(id.get()).select(ServiceRow::as_select()).first(tx.conn).optional()?;
    Ok(row.and_then(ServiceRow::known))
}

/// The services of a project that are in use, by id. There are no more than kinds.
pub fn active(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<Vec<StoredService>> {
    let rows: Vec<ServiceRow> = services::table
        .filter(services::project_id.eq(project.get()))
        .filter(services::active)
        .order(services::id)
        .select(ServiceRow::as_select())
        .load(tx.conn)?;
    Ok(rows.into_iter().filter_map(ServiceRow::known).collect())
}

/// Stores a new service and yields its id; the id in `stored` is ignored.
pub fn insert(tx: &mut WriteTx<'_>, stored: &StoredService) -> StoreResult<ServiceId> {
    let id = diesel::insert_into(services::table)
        .values(ServiceColumns::from(stored))
        .returning(services::id)
        .get_result(tx.conn)?;
    Ok(ServiceId::new(id))
}

/// Stores a service as it now is.
pub fn update(tx: &mut WriteTx<'_>, stored: &StoredService) -> StoreResult<()> {
    let id = stored.service.id.get();
    diesel::update(services::table.find(id)).set(ServiceColumns::from(stored)).execute(tx.conn)?;
    Ok(())
}
