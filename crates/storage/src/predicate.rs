//! Conditions that several lists share.

use diesel::expression::BoxableExpression;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use tenon_domain::search::Search;

use crate::connection::Backend;

/// A condition on rows of `T`, put together at run time.
pub(crate) type Condition<T> = Box<dyn BoxableExpression<T, Backend, SqlType = Bool>>;

/// `text` as a LIKE pattern (escape character `\`) for "contains this, literally".
pub(crate) fn containing(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for c in text.chars() {
        if matches!(c, '\\' | '%' | '_') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

/// Whether one of `columns` (already lower-cased expressions) matches `search`: all words in the same column, or the
/// whole text.
pub(crate) fn matches<T: 'static>(search: &Search, columns: &[&Column<'_, T>]) -> Option<Condition<T>> {
    let one = |column: &Column<'_, T>| -> Option<Condition<T>> {
        match search {
            Search::Exact(text) => Some(column(&ColumnTest::Equals(text.clone()))),
            Search::Words(words) => words
                .iter()
                .map(|word| column(&ColumnTest::Like(containing(word))))
                .reduce(|all, next| Box::new(all.and(next))),
        }
    };
    columns.iter().filter_map(|column| one(column)).reduce(|any, next| Box::new(any.or(next)))
}

/// Puts a test into the words of one column.
pub(crate) type Column<'a, T> = dyn Fn(&ColumnTest) -> Condition<T> + 'a;

/// One test of one column.
pub(crate) enum ColumnTest {
    /// The column equals this text.
    Equals(String),
    /// The column matches this pattern.
    Like(String),
}

/// Writes a [`ColumnTest`] of a text column, lower-cased on both sides.
macro_rules! tested {
    ($column:expr) => {
        &|test: &$crate::predicate::ColumnTest| match test {
            $crate::predicate::ColumnTest::Equals(text) => {
                Box::new($crate::dialect::lower($column.nullable()).assume_not_null().eq(text.clone()))
            }
            $crate::predicate::ColumnTest::Like(pattern) => Box::new(
                $crate::dialect::lower($column.nullable()).assume_not_null().like(pattern.clone()).escape('\\'),
            ),
        }
    };
}
pub(crate) use tested;

// The closure a second time, for a query that has it already.
diesel::alias!(
    pub(crate) const ABOVE: Alias<Above> = crate::schema::namespace_closure as above;
);

/// `namespace` and what stands above it, as the nullable column of a membership or share.
macro_rules! above {
    ($namespace:expr) => {
        $crate::predicate::ABOVE
            .filter($crate::predicate::ABOVE.field($crate::schema::namespace_closure::descendant_id).eq($namespace))
            .select($crate::predicate::ABOVE.field($crate::schema::namespace_closure::ancestor_id).nullable())
    };
}
pub(crate) use above;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metacharacters_are_literal() {
        assert_eq!(containing(r"50%_\x"), r"%50\%\_\\x%");
    }
}
