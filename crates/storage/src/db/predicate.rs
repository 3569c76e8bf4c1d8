//! Conditions that several lists share.

use diesel::expression::{
    AppearsOnTable, BoxableExpression, Expression, SelectableExpression, ValidGrouping, is_aggregate,
};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Bool, Text};
use tenon_domain::search::{Search, like_pattern, words};

use super::connection::Backend;
use super::dialect::{self, Containing};

/// A condition on rows of `T`, put together at run time.
pub(crate) type Condition<T> = Box<dyn BoxableExpression<T, Backend, SqlType = Bool>>;

/// The test that one of `columns` (already lower-cased expressions) matches `search`: all its words are in the same
/// column.
pub(crate) fn matches<T: 'static>(search: &Search, columns: &[&Column<'_, T>]) -> Option<Condition<T>> {
    let one = |column: &Column<'_, T>| -> Option<Condition<T>> {
        match search {
            Search::Words(words) => words
                .iter()
                .map(|word| column(&ColumnTest::Contains(word.clone())))
                .reduce(|all, next| Box::new(all.and(next))),
            Search::ShortWords(words) => words
                .iter()
                .flat_map(|word| tests_of_short(word))
                .map(|test| column(&test))
                .reduce(|all, next| Box::new(all.and(next))),
        }
    };
    columns.iter().filter_map(|column| one(column)).reduce(|any, next| Box::new(any.or(next)))
}

/// The tests of a column for a word of one or two characters.
fn tests_of_short(word: &str) -> Vec<ColumnTest> {
    let mut tests: Vec<ColumnTest> = words::runs(word).map(|run| ColumnTest::HasWord(run.to_owned())).collect();
    if words::runs(word).next() != Some(word) {
        tests.push(ColumnTest::Contains(word.to_owned()));
    }
    tests
}

/// Declares a test of a text column, whatever the case, and the function that makes one. Nothing has anything if there
/// is no text.
macro_rules! text_test {
    ($(#[$meta:meta])* $function:ident, $name:ident, $pattern:path, $dialect:path) => {
        $(#[$meta])*
        pub(crate) fn $function<C>(column: C, word: &str) -> $name<C> {
            $name { column, word: word.to_owned(), pattern: $pattern(word) }
        }

        #[doc = concat!("See [`", stringify!($function), "`].")]
        #[derive(Debug, Clone, QueryId)]
        pub(crate) struct $name<C> {
            column: C,
            word: String,
            pattern: String,
        }

        impl<C: Expression> Expression for $name<C> {
            type SqlType = Bool;
        }

        impl<C: ValidGrouping<GroupBy>, GroupBy> ValidGrouping<GroupBy> for $name<C> {
            type IsAggregate = is_aggregate::No;
        }

        impl<C: SelectableExpression<QS>, QS> SelectableExpression<QS> for $name<C> where Self: AppearsOnTable<QS> {}

        impl<C: AppearsOnTable<QS>, QS> AppearsOnTable<QS> for $name<C> where Self: Expression {}

        impl<C: QueryFragment<Backend>> QueryFragment<Backend> for $name<C> {
            fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
                let (before, between, after, text) = match $dialect(out.backend()) {
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
    };
}

text_test!(
    /// `column`, a text, contains `word`, which is lower-cased.
    contains, Contains, like_pattern, dialect::containing
);
text_test!(
    /// `column`, a text, has `word`, which is lower-cased and a run of letters and digits, as a word
    /// ([`tenon_domain::search::words::has_word`]).
    has_word, HasWord, dialect::word_pattern, dialect::having_word
);

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
    /// The column contains this lower-cased text.
    Contains(String),
    /// The column has this lower-cased word.
    HasWord(String),
}

/// Writes a [`ColumnTest`] of a text column, lower-cased on both sides.
macro_rules! tested {
    ($column:expr) => {
        &|test: &$crate::db::predicate::ColumnTest| match test {
            $crate::db::predicate::ColumnTest::Contains(word) => {
                Box::new($crate::db::predicate::contains($column, word))
            }
            $crate::db::predicate::ColumnTest::HasWord(word) => {
                Box::new($crate::db::predicate::has_word($column, word))
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
