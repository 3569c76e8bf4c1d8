//! The issues of a board: the first ones of each of its columns, and how many there are.

use std::collections::HashMap;

use diesel::dsl::{count_star, exists, not};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query as SelectQuery, QueryFragment, QueryId};
use diesel::sql_types::BigInt;
use tenon_domain::id::{IssuableId, LabelId};
use tenon_domain::issuable::Issuable;

use super::by_ids;
use super::order::{POSITION, Query};
use crate::db::connection::Backend;
use crate::db::expressions::in_ids;
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::{issuable_labels, issuables};
use crate::visibility::issuables::VisibleIssuables;

/// A column of a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// The open issues with none of these labels.
    Open(Vec<LabelId>),
    /// The open issues with this label.
    Label(LabelId),
    /// The closed issues.
    Closed,
}

/// The content of a column.
#[derive(Debug, Clone, Default)]
pub struct ColumnContent {
    /// How many issues it has.
    pub total: i64,
    /// The first of them, in the order in which users have put them.
    pub first: Vec<Issuable>,
}

/// The issues in a column that the viewer may see.
fn within<'a>(visible: &VisibleIssuables, column: &Column) -> Query<'a> {
    let mut query = issuables::table
        .filter(issuables::kind.eq(visible.kind().as_str()))
        .filter(issuables::deleted_at.is_null())
        .into_boxed::<Backend>();
    for condition in [visible.in_projects(), visible.readable()].into_iter().flatten() {
        query = query.filter(condition);
    }
    let links = || issuable_labels::table.filter(issuable_labels::issuable_id.eq(issuables::id));
    match column {
        Column::Open(without) => query
            .filter(issuables::state.eq("opened"))
            .filter(not(exists(links().filter(in_ids(issuable_labels::label_id, without, LabelId::get))))),
        Column::Label(label) => query
            .filter(issuables::state.eq("opened"))
            .filter(exists(links().filter(issuable_labels::label_id.eq(label.get())))),
        Column::Closed => query.filter(issuables::state.eq("closed")),
    }
}

/// The rows of several queries.
struct UnionAll<Q>(Vec<Q>);

impl<Q: QueryFragment<Backend>> QueryFragment<Backend> for UnionAll<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        for (number, query) in self.0.iter().enumerate() {
            if number > 0 {
                out.push_sql(" UNION ALL ");
            }
            // Only in a subquery does SQLite accept an order and a limit.
            out.push_sql("SELECT * FROM (");
            query.walk_ast(out.reborrow())?;
            out.push_sql(") AS part");
        }
        Ok(())
    }
}

impl<Q> QueryId for UnionAll<Q> {
    type QueryId = ();
    // The type does not determine the text.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q: SelectQuery> SelectQuery for UnionAll<Q> {
    type SqlType = Q::SqlType;
}

impl<Q, C> RunQueryDsl<C> for UnionAll<Q> {}

/// The rows of one column: its number, the id of an issue and its position. A row with a negative number has the total in the
/// place of the id.
type Part<'a> = issuables::BoxedQuery<'a, Backend, (BigInt, BigInt, BigInt)>;

/// The most queries in one statement: SQLite takes 500.
const TERMS: usize = 400;

/// The content of each column, with at most `limit` issues. Costs two statements for up to 200 columns.
pub fn columns(
    tx: &mut ReadTx<'_>,
    visible: &VisibleIssuables,
    columns: &[Column],
    limit: i64,
) -> StoreResult<Vec<ColumnContent>> {
    let mut contents: Vec<ColumnContent> = columns.iter().map(|_| ColumnContent::default()).collect();
    if visible.is_empty() || columns.is_empty() {
        return Ok(contents);
    }
    let mut parts: Vec<Part<'_>> = Vec::with_capacity(columns.len() * 2);
    for (number, column) in (0_i64..).zip(columns) {
        let first = (number.into_sql::<BigInt>(), issuables::id, POSITION);
        let in_order = within(visible, column).order((POSITION, issuables::id.desc()));
        parts.push(in_order.limit(limit).select(first));
        let total = ((-1 - number).into_sql::<BigInt>(), count_star(), 0_i64.into_sql::<BigInt>());
        parts.push(within(visible, column).select(total));
    }
    let mut rows: Vec<(i64, i64, i64)> = Vec::new();
    while !parts.is_empty() {
        let rest = parts.split_off(parts.len().min(TERMS));
        rows.extend(UnionAll(parts).load::<(i64, i64, i64)>(tx.conn)?);
        parts = rest;
    }
    rows.sort_unstable_by_key(|(number, id, position)| (*number, *position, -*id));
    let ids: Vec<IssuableId> = rows.iter().filter(|row| row.0 >= 0).map(|row| IssuableId::new(row.1)).collect();
    let found: HashMap<IssuableId, Issuable> =
        by_ids(tx, &ids)?.into_iter().map(|issuable| (issuable.id, issuable)).collect();
    for (number, id, _) in rows {
        let place = usize::try_from(if number < 0 { -1 - number } else { number }).unwrap_or(usize::MAX);
        let Some(content) = contents.get_mut(place) else { continue };
        if number < 0 {
            content.total = id;
        } else {
            // An issue may be in several columns.
            content.first.extend(found.get(&IssuableId::new(id)).cloned());
        }
    }
    Ok(contents)
}
