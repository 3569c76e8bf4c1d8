//! Conditions that several lists share.

use chrono::NaiveDate;
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

/// The namespaces in which `user` has at least `level` through a membership in them or above them.
macro_rules! member_namespaces {
    ($user:expr, $level:expr, $today:expr) => {
        $crate::schema::namespace_closure::table
            .inner_join($crate::schema::members::table.on(
                $crate::schema::members::namespace_id.eq($crate::schema::namespace_closure::ancestor_id.nullable()),
            ))
            .filter($crate::schema::members::user_id.eq($user))
            .filter($crate::schema::members::access_level.ge($level))
            .filter($crate::schema::members::expires_at.is_null().or($crate::schema::members::expires_at.gt($today)))
            .select($crate::schema::namespace_closure::descendant_id)
    };
}
pub(crate) use member_namespaces;

/// The unexpired shares of at least `level` with a group in which `user` has at least `level`.
macro_rules! reached_shares {
    ($user:expr, $level:expr, $today:expr) => {
        $crate::schema::shares::table
            .filter($crate::schema::shares::access_level.ge($level))
            .filter($crate::schema::shares::expires_at.is_null().or($crate::schema::shares::expires_at.gt($today)))
            .filter(
                $crate::schema::shares::group_id.eq_any($crate::predicate::member_namespaces!($user, $level, $today)),
            )
    };
}
pub(crate) use reached_shares;

/// The namespaces in which `user` has at least `level` because they, or a group above them, are shared.
macro_rules! shared_namespaces {
    ($user:expr, $level:expr, $today:expr) => {
        $crate::predicate::ABOVE
            .filter($crate::predicate::ABOVE.field($crate::schema::namespace_closure::ancestor_id).nullable().eq_any(
                $crate::predicate::reached_shares!($user, $level, $today).select($crate::schema::shares::namespace_id),
            ))
            .select($crate::predicate::ABOVE.field($crate::schema::namespace_closure::descendant_id))
    };
}
pub(crate) use shared_namespaces;

/// `namespace` and what stands above it, as the nullable column of a membership or share.
macro_rules! above {
    ($namespace:expr) => {
        $crate::predicate::ABOVE
            .filter($crate::predicate::ABOVE.field($crate::schema::namespace_closure::descendant_id).eq($namespace))
            .select($crate::predicate::ABOVE.field($crate::schema::namespace_closure::ancestor_id).nullable())
    };
}
pub(crate) use above;

/// Whether a project was opened to `user` with at least `level` by itself, not through its namespace. Written as a macro
/// because a boxed condition cannot stand in a subquery of the multi-connection.
macro_rules! project_itself {
    ($user:expr, $level:expr, $today:expr) => {{
        let direct = $crate::schema::members::table
            .filter($crate::schema::members::user_id.eq($user))
            .filter($crate::schema::members::access_level.ge($level))
            .filter($crate::schema::members::expires_at.is_null().or($crate::schema::members::expires_at.gt($today)))
            .filter($crate::schema::members::project_id.is_not_null())
            .select($crate::schema::members::project_id.assume_not_null());
        let shared = $crate::predicate::reached_shares!($user, $level, $today)
            .filter($crate::schema::shares::project_id.is_not_null())
            .select($crate::schema::shares::project_id.assume_not_null());
        $crate::schema::projects::id.eq_any(direct).or($crate::schema::projects::id.eq_any(shared))
    }};
}
pub(crate) use project_itself;

/// Whose memberships are asked about, and as of when.
#[derive(Debug, Clone, Copy)]
pub struct Membership {
    /// The user.
    pub user: tenon_domain::id::UserId,
    /// The least level that counts.
    pub at_least: tenon_domain::access::AccessLevel,
    /// What expires on or before this day has ended.
    pub today: NaiveDate,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metacharacters_are_literal() {
        assert_eq!(containing(r"50%_\x"), r"%50\%\_\\x%");
    }
}
