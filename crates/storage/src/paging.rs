//! Pages of lists.

use tenon_domain::page::{Page, PageRequest};

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
