//! Files uploaded for use in texts. Their bytes lie in the object store.

use diesel::prelude::*;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::time::Timestamp;

use crate::db::row::naive;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{upload_totals, uploads};

/// An uploaded file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// Its project.
    pub project: ProjectId,
    /// Who uploaded it.
    pub uploader: UserId,
    /// The random part of its address.
    pub secret: String,
    /// The name under which it is stored and served.
    pub file_name: String,
    /// Bytes.
    pub size: i64,
    /// When it came.
    pub created_at: Timestamp,
}

/// True if a project has an upload of that secret and name.
pub fn exists(tx: &mut ReadTx<'_>, project: ProjectId, secret: &str, file_name: &str) -> StoreResult<bool> {
    let query = uploads::table
        .filter(uploads::project_id.eq(project.get()))
        .filter(uploads::secret.eq(secret))
        .filter(uploads::file_name.eq(file_name));
    Ok(diesel::select(diesel::dsl::exists(query)).get_result(tx.conn)?)
}

/// How many bytes the upload of a project with that secret and name has, if there is one.
pub fn size(tx: &mut ReadTx<'_>, project: ProjectId, secret: &str, file_name: &str) -> StoreResult<Option<i64>> {
    let query = uploads::table
        .filter(uploads::project_id.eq(project.get()))
        .filter(uploads::secret.eq(secret))
        .filter(uploads::file_name.eq(file_name));
    Ok(query.select(uploads::size).first(tx.conn).optional()?)
}

/// How many files were uploaded to a project: by one user, or by all.
pub fn count(tx: &mut ReadTx<'_>, project: ProjectId, uploader: Option<UserId>) -> StoreResult<i64> {
    let all = uploads::table.filter(uploads::project_id.eq(project.get()));
    Ok(match uploader {
        Some(uploader) => all.filter(uploads::uploader_id.eq(uploader.get())).count().get_result(tx.conn)?,
        None => all.count().get_result(tx.conn)?,
    })
}

/// The bytes of all uploads of a project, and of those of one user to it.
pub fn totals(tx: &mut ReadTx<'_>, project: ProjectId, uploader: UserId) -> StoreResult<(i64, i64)> {
    let of = |tx: &mut ReadTx<'_>, uploader: i64| {
        let query = upload_totals::table.find((project.get(), uploader)).select(upload_totals::size);
        query.first::<i64>(tx.conn).optional()
    };
    Ok((of(tx, OF_ALL)?.unwrap_or(0), of(tx, uploader.get())?.unwrap_or(0)))
}

/// The uploader under whom all uploads of a project are summed up.
const OF_ALL: i64 = 0;

/// Stores that a file was uploaded. A trigger counts its bytes.
pub fn insert(tx: &mut WriteTx<'_>, upload: &Upload) -> StoreResult<()> {
    diesel::insert_into(uploads::table)
        .values((
            uploads::project_id.eq(upload.project.get()),
            uploads::uploader_id.eq(upload.uploader.get()),
            uploads::secret.eq(&upload.secret),
            uploads::file_name.eq(&upload.file_name),
            uploads::size.eq(upload.size),
            uploads::created_at.eq(naive(upload.created_at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}
