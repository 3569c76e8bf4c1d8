//! "Is one of these numbers" as a condition whose text does not depend on how many there are.
//!
//! `eq_any` writes one placeholder for each number on SQLite, so that no two pages share a statement and each is prepared
//! anew. This one binds all numbers as one text, and is prepared once.

use diesel::QueryResult;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::serialize::ToSql;
use diesel::sql_types::{Bool, HasSqlType, Text};

use crate::dialect::NumberList;

/// `column` is one of `ids`.
pub(crate) fn any_of<C, I: Copy>(column: C, ids: &[I], number: impl Fn(I) -> i64) -> AnyOf<C> {
    let numbers: Vec<String> = ids.iter().map(|id| number(*id).to_string()).collect();
    AnyOf { column, ids: numbers.join(",") }
}

/// See [`any_of`].
#[derive(Debug, Clone, QueryId)]
pub(crate) struct AnyOf<C> {
    column: C,
    ids: String,
}

impl<C: Expression> Expression for AnyOf<C> {
    type SqlType = Bool;
}

impl<C, GroupBy> ValidGrouping<GroupBy> for AnyOf<C>
where
    C: ValidGrouping<GroupBy>,
{
    type IsAggregate = is_aggregate::No;
}

impl<C, QS> SelectableExpression<QS> for AnyOf<C>
where
    C: SelectableExpression<QS>,
    Self: AppearsOnTable<QS>,
{
}

impl<C: AppearsOnTable<QS>, QS> AppearsOnTable<QS> for AnyOf<C> where Self: Expression {}

impl<DB, C> QueryFragment<DB> for AnyOf<C>
where
    DB: NumberList + HasSqlType<Text>,
    C: QueryFragment<DB>,
    String: ToSql<Text, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.column.walk_ast(out.reborrow())?;
        let (before, after) = out.backend().around();
        out.push_sql(before);
        out.push_bind_param::<Text, _>(&self.ids)?;
        out.push_sql(after);
        Ok(())
    }
}
