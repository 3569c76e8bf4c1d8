//! The repositories of other servers that projects follow.

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::project::mirror::{Mirror, MirrorStatus};

use crate::db::row::{naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::project_mirrors;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = project_mirrors)]
struct MirrorRow {
    project_id: i64,
    enabled: bool,
    sealed_url: Option<String>,
    user_id: Option<i64>,
    only_protected_branches: bool,
    overwrites_diverged_branches: bool,
    branch_regex: Option<String>,
    trigger_builds: bool,
    status: String,
    last_error: Option<String>,
    started_at: Option<NaiveDateTime>,
    ended_at: Option<NaiveDateTime>,
    succeeded_at: Option<NaiveDateTime>,
    failures: i64,
}

/// The repository that a project follows. None if nothing was ever said about one.
pub fn mirror(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<Option<Mirror>> {
    let row: Option<MirrorRow> =
        project_mirrors::table.find(project.get()).select(MirrorRow::as_select()).first(tx.conn).optional()?;
    row.map(|row| {
        Ok(Mirror {
            project,
            enabled: row.enabled,
            user: row.user_id.map(UserId::new),
            only_protected_branches: row.only_protected_branches,
            overwrites_diverged_branches: row.overwrites_diverged_branches,
            trigger_builds: row.trigger_builds,
            status: parsed("project_mirrors", "status", row.project_id, &row.status, MirrorStatus::parse)?,
            sealed_url: row.sealed_url,
            branch_regex: row.branch_regex,
            last_error: row.last_error,
            started_at: row.started_at.map(utc),
            ended_at: row.ended_at.map(utc),
            succeeded_at: row.succeeded_at.map(utc),
            failures: row.failures,
        })
    })
    .transpose()
}

/// Stores the repository that a project follows, in place of an earlier one.
pub fn set_mirror(tx: &mut WriteTx<'_>, mirror: &Mirror) -> StoreResult<()> {
    diesel::delete(project_mirrors::table.find(mirror.project.get())).execute(tx.conn)?;
    let row = MirrorRow {
        project_id: mirror.project.get(),
        enabled: mirror.enabled,
        sealed_url: mirror.sealed_url.clone(),
        user_id: mirror.user.map(UserId::get),
        only_protected_branches: mirror.only_protected_branches,
        overwrites_diverged_branches: mirror.overwrites_diverged_branches,
        branch_regex: mirror.branch_regex.clone(),
        trigger_builds: mirror.trigger_builds,
        status: mirror.status.as_str().to_owned(),
        last_error: mirror.last_error.clone(),
        started_at: mirror.started_at.map(naive),
        ended_at: mirror.ended_at.map(naive),
        succeeded_at: mirror.succeeded_at.map(naive),
        failures: mirror.failures,
    };
    diesel::insert_into(project_mirrors::table).values(row).execute(tx.conn)?;
    Ok(())
}
