//! Project hooks.

#![expect(clippy::ref_option_ref, reason = "what the derive makes of optional columns")]

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::hook::{Hook, HookEvents};
use tenon_domain::id::{HookId, ProjectId};
use tenon_domain::page::{Page, PageRequest};

use crate::db::paging::page;
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::hooks;

#[derive(Queryable, Selectable)]
#[diesel(table_name = hooks)]
struct HookRow {
    id: i64,
    project_id: i64,
    url: String,
    push_events: bool,
    push_events_branch_filter: Option<String>,
    issues_events: bool,
    confidential_issues_events: bool,
    merge_requests_events: bool,
    tag_push_events: bool,
    note_events: bool,
    confidential_note_events: Option<bool>,
    job_events: bool,
    pipeline_events: bool,
    wiki_page_events: bool,
    enable_ssl_verification: bool,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl From<HookRow> for Hook {
    fn from(row: HookRow) -> Self {
        Self {
            id: HookId::new(row.id),
            project: ProjectId::new(row.project_id),
            url: row.url,
            events: HookEvents {
                push: row.push_events,
                issues: row.issues_events,
                confidential_issues: row.confidential_issues_events,
                merge_requests: row.merge_requests_events,
                tag_push: row.tag_push_events,
                note: row.note_events,
                confidential_note: row.confidential_note_events,
                job: row.job_events,
                pipeline: row.pipeline_events,
                wiki_page: row.wiki_page_events,
            },
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
    project_id: i64,
    url: &'a str,
    push_events: bool,
    push_events_branch_filter: Option<&'a str>,
    issues_events: bool,
    confidential_issues_events: bool,
    merge_requests_events: bool,
    tag_push_events: bool,
    note_events: bool,
    confidential_note_events: Option<bool>,
    job_events: bool,
    pipeline_events: bool,
    wiki_page_events: bool,
    enable_ssl_verification: bool,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl<'a> From<&'a Hook> for HookColumns<'a> {
    fn from(hook: &'a Hook) -> Self {
        Self {
            project_id: hook.project.get(),
            url: &hook.url,
            push_events: hook.events.push,
            push_events_branch_filter: hook.push_events_branch_filter.as_deref(),
            issues_events: hook.events.issues,
            confidential_issues_events: hook.events.confidential_issues,
            merge_requests_events: hook.events.merge_requests,
            tag_push_events: hook.events.tag_push,
            note_events: hook.events.note,
            confidential_note_events: hook.events.confidential_note,
            job_events: hook.events.job,
            pipeline_events: hook.events.pipeline,
            wiki_page_events: hook.events.wiki_page,
            enable_ssl_verification: hook.enable_ssl_verification,
            created_at: naive(hook.created_at),
            updated_at: naive(hook.updated_at),
        }
    }
}

/// A hook of a project.
pub fn find(tx: &mut ReadTx<'_>, project: ProjectId, id: HookId) -> StoreResult<Option<Hook>> {
    let row: Option<HookRow> = hooks::table
        .find(id.get())
        .filter(hooks::project_id.eq(project.get()))
        .select(HookRow::as_select())
        .first(tx.conn)
        .optional()?;
    Ok(row.map(Into::into))
}

/// One page of a project's hooks, by id.
pub fn list(tx: &mut ReadTx<'_>, project: ProjectId, request: PageRequest) -> StoreResult<Page<Hook>> {
    let of_project = || hooks::table.filter(hooks::project_id.eq(project.get()));
    let total = of_project().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows: Vec<HookRow> =
            of_project().order(hooks::id).limit(limit).offset(offset).select(HookRow::as_select()).load(tx.conn)?;
        Ok(rows.into_iter().map(Into::into).collect())
    })
}

/// Stores a new hook and yields its id; the id in `hook` is ignored.
pub fn insert(tx: &mut WriteTx<'_>, hook: &Hook, sealed_token: Option<&str>) -> StoreResult<HookId> {
    let id = diesel::insert_into(hooks::table)
        .values((HookColumns::from(hook), hooks::sealed_token.eq(sealed_token)))
        .returning(hooks::id)
        .get_result(tx.conn)?;
    Ok(HookId::new(id))
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
