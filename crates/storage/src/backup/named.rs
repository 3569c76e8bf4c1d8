//! The files and commits that rows name.

use diesel::prelude::*;
use tenon_domain::avatar::Avatar;
use tenon_domain::id::ProjectId;
use tenon_domain::lfs::LfsOid;

use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::{issuables, lfs_objects, merge_request_versions, namespaces, projects, refs, uploads, users};

/// An upload by what its place follows from.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct NamedUpload {
    /// Its id.
    pub id: i64,
    /// Its project.
    pub project: i64,
    /// The random part of its address.
    pub secret: String,
    /// The name under which it is stored.
    pub file_name: String,
}

/// The first `limit` uploads whose id is above `after`, by id.
pub fn uploads_after(tx: &mut ReadTx<'_>, after: i64, limit: i64) -> StoreResult<Vec<NamedUpload>> {
    Ok(uploads::table
        .filter(uploads::id.gt(after))
        .order(uploads::id)
        .limit(limit)
        .select((uploads::id, uploads::project_id, uploads::secret, uploads::file_name))
        .load(tx.conn)?)
}

/// The first `limit` LFS objects whose names come after `after`, by name.
pub fn lfs_objects_after(tx: &mut ReadTx<'_>, after: &str, limit: i64) -> StoreResult<Vec<LfsOid>> {
    let oids: Vec<String> = lfs_objects::table
        .filter(lfs_objects::oid.gt(after))
        .order(lfs_objects::oid)
        .limit(limit)
        .select(lfs_objects::oid)
        .load(tx.conn)?;
    Ok(oids.iter().filter_map(|oid| LfsOid::parse(oid)).collect())
}

/// The pictures of all users, groups and projects.
pub fn avatars(tx: &mut ReadTx<'_>) -> StoreResult<Vec<Avatar>> {
    let mut found: Vec<Option<String>> =
        users::table.filter(users::avatar.is_not_null()).select(users::avatar).load(tx.conn)?;
    found.extend::<Vec<_>>(
        namespaces::table.filter(namespaces::avatar.is_not_null()).select(namespaces::avatar).load(tx.conn)?,
    );
    found.extend::<Vec<_>>(
        projects::table.filter(projects::avatar.is_not_null()).select(projects::avatar).load(tx.conn)?,
    );
    Ok(found.into_iter().flatten().filter_map(|text| Avatar::parse(&text)).collect())
}

/// All projects by id, with whether each is being deleted.
pub fn projects(tx: &mut ReadTx<'_>) -> StoreResult<Vec<(ProjectId, bool)>> {
    let found: Vec<(i64, bool)> = projects::table
        .order(projects::id)
        .select((projects::id, projects::deleting_at.is_not_null()))
        .load(tx.conn)?;
    Ok(found.into_iter().map(|(id, is_going)| (ProjectId::new(id), is_going)).collect())
}

/// The commits that rows of a project name and a page may show: the tips of its refs as the database knows them, and the states
/// that its merge requests had.
pub fn commits(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<Vec<String>> {
    let mut found: Vec<String> =
        refs::table.filter(refs::project_id.eq(project.get())).select(refs::oid).load(tx.conn)?;
    let own = issuables::table.filter(issuables::project_id.eq(project.get())).select(issuables::id);
    let versions: Vec<(String, String, String)> = merge_request_versions::table
        .filter(merge_request_versions::issuable_id.eq_any(own))
        .select((merge_request_versions::base_sha, merge_request_versions::start_sha, merge_request_versions::head_sha))
        .load(tx.conn)?;
    found.extend(versions.into_iter().flat_map(|(base, start, head)| [base, start, head]));
    found.sort_unstable();
    found.dedup();
    Ok(found)
}
