//! SQL for which the query builder has no words.
//!
//! A statement with one of diesel's own literals in it is prepared anew each time, because such a text may have been put
//! together at run time. This one cannot, and is prepared once.

use std::marker::PhantomData;

use diesel::QueryResult;
use diesel::backend::Backend;
use diesel::expression::{
    AppearsOnTable, Expression, SelectableExpression, TypedExpressionType, ValidGrouping, is_aggregate,
};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::SqlType;

/// `text` as an expression of type `ST`; `Aggregate` says whether it stands for many rows.
pub(crate) const fn static_sql<ST, Aggregate>(text: &'static str) -> StaticSql<ST, Aggregate> {
    StaticSql { text, of: PhantomData }
}

/// See [`static_sql`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct StaticSql<ST, Aggregate = is_aggregate::No> {
    text: &'static str,
    of: PhantomData<(ST, Aggregate)>,
}

impl<ST, Aggregate> QueryId for StaticSql<ST, Aggregate> {
    type QueryId = ();
    // The type does not determine the text.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<ST: SqlType + TypedExpressionType, Aggregate> Expression for StaticSql<ST, Aggregate> {
    type SqlType = ST;
}

impl<ST, Aggregate, GroupBy> ValidGrouping<GroupBy> for StaticSql<ST, Aggregate> {
    type IsAggregate = Aggregate;
}

impl<QS, ST, Aggregate> SelectableExpression<QS> for StaticSql<ST, Aggregate> where Self: Expression {}

impl<QS, ST, Aggregate> AppearsOnTable<QS> for StaticSql<ST, Aggregate> where Self: Expression {}

impl<DB: Backend, ST, Aggregate> QueryFragment<DB> for StaticSql<ST, Aggregate> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql(self.text);
        Ok(())
    }
}
