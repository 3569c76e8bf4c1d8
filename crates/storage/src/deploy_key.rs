//! Deploy keys, and the projects that they open.

use std::collections::HashSet;

use diesel::prelude::*;
use tenon_domain::deploy_key::{DeployKey, EnabledKey};
use tenon_domain::id::{DeployKeyId, ProjectId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::ssh_key::{Fingerprint, PublicKey};

use crate::db::expressions::in_ids;
use crate::db::paging::page;
use crate::db::row::{Moment, naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{deploy_keys, deploy_keys_projects};

#[derive(Queryable, Selectable)]
#[diesel(table_name = deploy_keys)]
struct DeployKeyRow {
    id: i64,
    user_id: Option<i64>,
    title: String,
    key_text: String,
    md5: String,
    sha256: String,
    created_at: Moment,
    expires_at: Option<Moment>,
}

impl From<DeployKeyRow> for DeployKey {
    fn from(row: DeployKeyRow) -> Self {
        Self {
            id: DeployKeyId::new(row.id),
            owner: row.user_id.map(UserId::new),
            title: row.title,
            text: row.key_text,
            md5: row.md5,
            sha256: row.sha256,
            expires_at: row.expires_at.map(utc),
            created_at: utc(row.created_at),
        }
    }
}

fn enabled((row, can_push): (DeployKeyRow, bool)) -> EnabledKey {
    EnabledKey { key: row.into(), can_push }
}

/// The key of that id, whatever it opens.
pub fn find(tx: &mut ReadTx<'_>, id: DeployKeyId) -> StoreResult<Option<DeployKey>> {
    let query = deploy_keys::table.find(id.get()).select(DeployKeyRow::as_select());
    let row: Option<DeployKeyRow> = query.first(tx.conn).optional()?;
    Ok(row.map(Into::into))
}

/// The key with that fingerprint.
pub fn find_by_fingerprint(tx: &mut ReadTx<'_>, fingerprint: &Fingerprint) -> StoreResult<Option<DeployKey>> {
    let query = deploy_keys::table.select(DeployKeyRow::as_select());
    let row: Option<DeployKeyRow> = match fingerprint {
        Fingerprint::Md5(digits) => query.filter(deploy_keys::md5.eq(digits)).first(tx.conn),
        Fingerprint::Sha256(digest) => query.filter(deploy_keys::sha256.eq(digest)).first(tx.conn),
    }
    .optional()?;
    Ok(row.map(Into::into))
}

/// True if this is a deploy key.
pub fn exists(tx: &mut ReadTx<'_>, key: &PublicKey) -> StoreResult<bool> {
    let same = deploy_keys::table.filter(deploy_keys::sha256.eq(&key.sha256).or(deploy_keys::md5.eq(&key.md5)));
    Ok(diesel::select(diesel::dsl::exists(same)).get_result(tx.conn)?)
}

/// One page of all keys, by id.
pub fn list(tx: &mut ReadTx<'_>, request: PageRequest) -> StoreResult<Page<DeployKey>> {
    let total = deploy_keys::table.count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows: Vec<DeployKeyRow> = deploy_keys::table
            .order(deploy_keys::id.asc())
            .limit(limit)
            .offset(offset)
            .select(DeployKeyRow::as_select())
            .load(tx.conn)?;
        Ok(rows.into_iter().map(Into::into).collect())
    })
}

/// The titles of these keys.
pub fn titles(tx: &mut ReadTx<'_>, ids: &[DeployKeyId]) -> StoreResult<Vec<(DeployKeyId, String)>> {
    let rows: Vec<(i64, String)> = deploy_keys::table
        .filter(in_ids(deploy_keys::id, ids, DeployKeyId::get))
        .select((deploy_keys::id, deploy_keys::title))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(id, title)| (DeployKeyId::new(id), title)).collect())
}

/// How many keys open a project.
pub fn count_of(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<i64> {
    let query = deploy_keys_projects::table.filter(deploy_keys_projects::project_id.eq(project.get()));
    Ok(query.count().get_result(tx.conn)?)
}

/// One page of the keys of a project, by id.
pub fn list_of(tx: &mut ReadTx<'_>, project: ProjectId, request: PageRequest) -> StoreResult<Page<EnabledKey>> {
    let total = count_of(tx, project)?;
    page(request, total, |limit, offset| {
        let rows: Vec<(DeployKeyRow, bool)> = deploy_keys_projects::table
            .inner_join(deploy_keys::table)
            .filter(deploy_keys_projects::project_id.eq(project.get()))
            .order(deploy_keys::id.asc())
            .limit(limit)
            .offset(offset)
            .select((DeployKeyRow::as_select(), deploy_keys_projects::can_push))
            .load(tx.conn)?;
        Ok(rows.into_iter().map(enabled).collect())
    })
}

/// A key as a project has it; `None` if the key does not open the project.
pub fn find_of(tx: &mut ReadTx<'_>, project: ProjectId, id: DeployKeyId) -> StoreResult<Option<EnabledKey>> {
    let row: Option<(DeployKeyRow, bool)> = deploy_keys_projects::table
        .inner_join(deploy_keys::table)
        .filter(deploy_keys_projects::project_id.eq(project.get()))
        .filter(deploy_keys_projects::deploy_key_id.eq(id.get()))
        .select((DeployKeyRow::as_select(), deploy_keys_projects::can_push))
        .first(tx.conn)
        .optional()?;
    Ok(row.map(enabled))
}

/// Those of these keys that may write to a project.
pub fn writing_to(tx: &mut ReadTx<'_>, project: ProjectId, ids: &[DeployKeyId]) -> StoreResult<HashSet<DeployKeyId>> {
    let rows: Vec<i64> = deploy_keys_projects::table
        .filter(deploy_keys_projects::project_id.eq(project.get()))
        .filter(in_ids(deploy_keys_projects::deploy_key_id, ids, DeployKeyId::get))
        .filter(deploy_keys_projects::can_push)
        .select(deploy_keys_projects::deploy_key_id)
        .load(tx.conn)?;
    Ok(rows.into_iter().map(DeployKeyId::new).collect())
}

/// The first projects that a key opens, by id.
pub fn projects_of(tx: &mut ReadTx<'_>, id: DeployKeyId, most: i64) -> StoreResult<Vec<ProjectId>> {
    let ids: Vec<i64> = deploy_keys_projects::table
        .filter(deploy_keys_projects::deploy_key_id.eq(id.get()))
        .order(deploy_keys_projects::project_id.asc())
        .limit(most)
        .select(deploy_keys_projects::project_id)
        .load(tx.conn)?;
    Ok(ids.into_iter().map(ProjectId::new).collect())
}

/// The projects that these keys open, by key and project, and whether for pushes as well; `most` of them.
pub fn opened_by(
    tx: &mut ReadTx<'_>,
    keys: &[DeployKeyId],
    most: i64,
) -> StoreResult<Vec<(DeployKeyId, ProjectId, bool)>> {
    let rows: Vec<(i64, i64, bool)> = deploy_keys_projects::table
        .filter(in_ids(deploy_keys_projects::deploy_key_id, keys, DeployKeyId::get))
        .order((deploy_keys_projects::deploy_key_id, deploy_keys_projects::project_id))
        .limit(most)
        .select((deploy_keys_projects::deploy_key_id, deploy_keys_projects::project_id, deploy_keys_projects::can_push))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(key, project, push)| (DeployKeyId::new(key), ProjectId::new(project), push)).collect())
}

/// Stores a new key, whose id is ignored, and yields its id.
pub fn insert(tx: &mut WriteTx<'_>, key: &DeployKey, public: &PublicKey) -> StoreResult<DeployKeyId> {
    let id = diesel::insert_into(deploy_keys::table)
        .values((
            deploy_keys::user_id.eq(key.owner.map(UserId::get)),
            deploy_keys::title.eq(&key.title),
            deploy_keys::key_text.eq(&key.text),
            deploy_keys::md5.eq(&public.md5),
            deploy_keys::sha256.eq(&public.sha256),
            deploy_keys::created_at.eq(naive(key.created_at)),
            deploy_keys::expires_at.eq(key.expires_at.map(naive)),
        ))
        .returning(deploy_keys::id)
        .get_result(tx.conn)?;
    Ok(DeployKeyId::new(id))
}

/// Opens a project with a key that does not open it yet.
pub fn enable(tx: &mut WriteTx<'_>, project: ProjectId, id: DeployKeyId, can_push: bool) -> StoreResult<()> {
    diesel::insert_into(deploy_keys_projects::table)
        .values((
            deploy_keys_projects::project_id.eq(project.get()),
            deploy_keys_projects::deploy_key_id.eq(id.get()),
            deploy_keys_projects::can_push.eq(can_push),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Changes what a key is called, everywhere, and whether it opens this project for pushes.
pub fn update(tx: &mut WriteTx<'_>, project: ProjectId, changed: &EnabledKey) -> StoreResult<()> {
    let id = changed.key.id.get();
    diesel::update(deploy_keys::table.find(id)).set(deploy_keys::title.eq(&changed.key.title)).execute(tx.conn)?;
    diesel::update(deploy_keys_projects::table.find((project.get(), id)))
        .set(deploy_keys_projects::can_push.eq(changed.can_push))
        .execute(tx.conn)?;
    Ok(())
}

/// Closes a project to a key. A key that opens nothing any more is removed.
pub fn disable(tx: &mut WriteTx<'_>, project: ProjectId, id: DeployKeyId) -> StoreResult<()> {
    diesel::delete(deploy_keys_projects::table.find((project.get(), id.get()))).execute(tx.conn)?;
    Ok(())
}
