//! Conditions that several lists share.

use diesel::expression::{
    AppearsOnTable, BoxableExpression, Expression, SelectableExpression, ValidGrouping, is_aggregate,
};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Bool, Text};
use tenon_domain::search::{Search, like_pattern};

use super::connection::Backend;
use super::dialect::{self, Containing};

/// A condition on rows of `T`, put together at run time.
pub(crate) type Condition<T> = Box<dyn BoxableExpression<T, Backend, SqlType = Bool>>;

/// Whether one of `columns` (already lower-cased expressions) matches `search`: all words in the same column, or the
/// whole text.
pub(crate) fn matches<T: 'static>(search: &Search, columns: &[&Column<'_, T>]) -> Option<Condition<T>> {
    let one = |column: &Column<'_, T>| -> Option<Condition<T>> {
        match search {
            Search::Exact(text) => Some(column(&ColumnTest::Equals(text.clone()))),
            Search::Words(words) => words
                .iter()
                .map(|word| column(&ColumnTest::Contains(word.clone())))
                .reduce(|all, next| Box::new(all.and(next))),
        }
    };
    columns.iter().filter_map(|column| one(column)).reduce(|any, next| Box::new(any.or(next)))
}

/// `column`, a text, contains `word`, which is lower-cased. Nothing contains anything where there is no text.
pub(crate) fn contains<C>(column: C, word: &str) -> Contains<C> {
    Contains { column, word: word.to_owned(), pattern: like_pattern(word) }
}

/// See [`contains`].
#[derive(Debug, Clone, QueryId)]
pub(crate) struct Contains<C> {
    column: C,
    word: String,
    pattern: String,
}

impl<C: Expression> Expression for Contains<C> {
    type SqlType = Bool;
}

impl<C: ValidGrouping<GroupBy>, GroupBy> ValidGrouping<GroupBy> for Contains<C> {
    type IsAggregate = is_aggregate::No;
}

impl<C: SelectableExpression<QS>, QS> SelectableExpression<QS> for Contains<C> where Self: AppearsOnTable<QS> {}

impl<C: AppearsOnTable<QS>, QS> AppearsOnTable<QS> for Contains<C> where Self: Expression {}

impl<C: QueryFragment<Backend>> QueryFragment<Backend> for Contains<C> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        let (before, between, after, text) = match dialect::containing(out.backend()) {
            Containing::Pattern(before, between, after) => (before, between, after, &self.pattern),
            Containing::Word(before, between, after) => (before, between, after, &self.word),
        };
        out.push_sql(before);
        self.column.walk_ast(out.reborrow())?;
        out.push_sql(between);
        out.push_bind_param::<Text, _>(text)?;
        out.push_sql(after);
        Ok(())
    }
}

/// `condition`, which many rows fulfil. Of what a row contains, PostgreSQL believes that hardly any does, and would not walk
/// through an index until there are enough.
pub(crate) fn of_each<T: 'static>(condition: Condition<T>) -> Condition<T>
where
    OfEach<T>: BoxableExpression<T, Backend, SqlType = Bool>,
{
    Box::new(OfEach { condition })
}

/// See [`of_each`].
pub(crate) struct OfEach<T> {
    condition: Condition<T>,
}

impl<T> QueryId for OfEach<T> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<T> Expression for OfEach<T> {
    type SqlType = Bool;
}

impl<T, GroupBy> ValidGrouping<GroupBy> for OfEach<T> {
    type IsAggregate = is_aggregate::No;
}

impl<T> SelectableExpression<T> for OfEach<T> {}

impl<T> AppearsOnTable<T> for OfEach<T> {}

impl<T> QueryFragment<Backend> for OfEach<T> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        out.push_sql("CASE WHEN ");
        self.condition.walk_ast(out.reborrow())?;
        out.push_sql(" THEN TRUE ELSE FALSE END");
        Ok(())
    }
}

/// Puts a test into the words of one column.
pub(crate) type Column<'a, T> = dyn Fn(&ColumnTest) -> Condition<T> + 'a;

/// One test of one column.
pub(crate) enum ColumnTest {
    /// The column equals this text.
    Equals(String),
    /// The column contains this lower-cased word.
    Contains(String),
}

/// Writes a [`ColumnTest`] of a text column, lower-cased on both sides.
macro_rules! tested {
    ($column:expr) => {
        &|test: &$crate::db::predicate::ColumnTest| match test {
            $crate::db::predicate::ColumnTest::Equals(text) => {
                Box::new($crate::db::dialect::lower($column.nullable()).assume_not_null().eq(text.clone()))
            }
            $crate::db::predicate::ColumnTest::Contains(word) => {
                Box::new($crate::db::predicate::contains($column, word))
            }
        }
    };
}
pub(crate) use tested;

/// Narrows a query to rows that have all the given custom attributes.
macro_rules! with_attributes {
    ($query:ident, $id:expr, $column:expr, $attributes:expr) => {
        for (key, value) in $attributes {
            let holders = $crate::schema::custom_attributes::table
                .filter($crate::schema::custom_attributes::key.eq(key))
                .filter($crate::schema::custom_attributes::value.eq(value))
                .filter($column.is_not_null())
                .select($column.assume_not_null());
            $query = $query.filter($id.eq_any(holders));
        }
    };
}
pub(crate) use with_attributes;
