//! Keyset pagination: the condition on the rows of the next page.

use chrono::NaiveDateTime;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Bool, Text, Timestamp};
use tenon_domain::keyset::{Cursor, Key};

use super::connection::Backend;
use super::row::naive;

/// The rows that follow that of `cursor` if a list is ordered by `column` and then by `id`, both in the same direction. It is
/// a comparison of pairs, of which both databases make a range of an index of the two columns.
pub(crate) fn after_cursor<C, I>(column: C, id: I, cursor: &Cursor, descending: bool) -> AfterCursor<C, I> {
    let key = match &cursor.key {
        Key::Id => Bound::Nothing,
        Key::Moment(at) => Bound::Moment(naive(*at)),
        Key::Text(text) => Bound::Text(text.clone()),
    };
    AfterCursor { column, id, key, after: cursor.id, descending }
}

/// A key as a value of a column.
#[derive(Debug, Clone)]
enum Bound {
    Nothing,
    Moment(NaiveDateTime),
    Text(String),
}

/// See [`after_cursor`].
#[derive(Debug, Clone)]
pub(crate) struct AfterCursor<C, I> {
    column: C,
    id: I,
    key: Bound,
    after: i64,
    descending: bool,
}

impl<C, I> QueryId for AfterCursor<C, I> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<C: Expression, I: Expression> Expression for AfterCursor<C, I> {
    type SqlType = Bool;
}

impl<C, I, GroupBy> ValidGrouping<GroupBy> for AfterCursor<C, I>
where
    C: ValidGrouping<GroupBy>,
    I: ValidGrouping<GroupBy>,
{
    type IsAggregate = is_aggregate::No;
}

impl<C, I, QS> SelectableExpression<QS> for AfterCursor<C, I>
where
    C: SelectableExpression<QS>,
    I: SelectableExpression<QS>,
    Self: AppearsOnTable<QS>,
{
}

impl<C, I, QS> AppearsOnTable<QS> for AfterCursor<C, I>
where
    C: AppearsOnTable<QS>,
    I: AppearsOnTable<QS>,
    Self: Expression,
{
}

impl<C: QueryFragment<Backend>, I: QueryFragment<Backend>> QueryFragment<Backend> for AfterCursor<C, I> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        let sign = if self.descending { " < " } else { " > " };
        if matches!(self.key, Bound::Nothing) {
            self.id.walk_ast(out.reborrow())?;
            out.push_sql(sign);
            return out.push_bind_param::<BigInt, _>(&self.after);
        }
        out.push_sql("(");
        self.column.walk_ast(out.reborrow())?;
        out.push_sql(", ");
        self.id.walk_ast(out.reborrow())?;
        out.push_sql(")");
        out.push_sql(sign);
        out.push_sql("(");
        match &self.key {
            Bound::Nothing => {}
            Bound::Moment(at) => out.push_bind_param::<Timestamp, _>(at)?,
            Bound::Text(text) => out.push_bind_param::<Text, _>(text)?,
        }
        out.push_sql(", ");
        out.push_bind_param::<BigInt, _>(&self.after)?;
        out.push_sql(")");
        Ok(())
    }
}
