//! Pages of lists.

use diesel::sql_types::BigInt;
use tenon_domain::page::{Page, PageRequest};

use super::static_sql::{StaticSql, static_sql};
use super::tx::ReadTx;
use crate::error::StoreResult;

/// One page: `count` items in all, of which `rows(limit, offset)` loads the wanted slice. A page past the end costs no
/// second query.
pub(crate) fn page<T>(
    request: PageRequest,
    total: i64,
    rows: impl FnOnce(i64, i64) -> StoreResult<Vec<T>>,
) -> StoreResult<Page<T>> {
    let items = if request.offset() < total { rows(request.per_page(), request.offset())? } else { Vec::new() };
    Ok(Page { items, total, request })
}

/// One page of a list of which every row has to be read: `rows(limit, offset)` loads ids and, with each, how many there
/// are in all ([`IN_ALL`]); `count` is called past the end, if there is no row that has the number.
pub(crate) fn page_with_total(
    tx: &mut ReadTx<'_>,
    request: PageRequest,
    rows: impl FnOnce(&mut ReadTx<'_>, i64, i64) -> StoreResult<Vec<(i64, i64)>>,
    count: impl FnOnce(&mut ReadTx<'_>) -> StoreResult<i64>,
) -> StoreResult<Page<i64>> {
    let rows = rows(tx, request.per_page(), request.offset())?;
    let total = match rows.first() {
        Some((_, total)) => *total,
        None if request.offset() == 0 => 0,
        None => count(tx)?,
    };
    Ok(Page { items: rows.into_iter().map(|(id, _)| id).collect(), total, request })
}

/// How many rows the whole list has, as a column of each.
pub(crate) const IN_ALL: StaticSql<BigInt> = static_sql("COUNT(*) OVER ()");
