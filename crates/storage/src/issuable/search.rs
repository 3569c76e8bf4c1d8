//! "Title or description contains these words" by an index of trigrams.

use diesel::QueryResult;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Bool, Text};

use crate::connection::{Backend, DbConn};
use crate::dialect;
use crate::schema::issuables;

/// A condition on issuables: all of these lower-cased words, each of three characters or more, in the title, or all of
/// them in the description.
pub(super) fn contains_words(conn: &DbConn, words: &[String]) -> ContainsWords {
    ContainsWords { patterns: words.iter().map(|word| dialect::word_pattern(conn, word)).collect() }
}

/// See [`contains_words`].
#[derive(Debug, Clone)]
pub(super) struct ContainsWords {
    patterns: Vec<String>,
}

impl QueryId for ContainsWords {
    type QueryId = ();
    // The number of words is part of the text.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Expression for ContainsWords {
    type SqlType = Bool;
}

impl<GroupBy> ValidGrouping<GroupBy> for ContainsWords {
    type IsAggregate = is_aggregate::No;
}

impl SelectableExpression<issuables::table> for ContainsWords {}

impl AppearsOnTable<issuables::table> for ContainsWords {}

impl QueryFragment<Backend> for ContainsWords {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        let form = dialect::word_search(out.backend());
        out.push_sql("(");
        for (index, column) in form.columns.iter().enumerate() {
            if index > 0 {
                out.push_sql(" OR ");
            }
            out.push_sql(column.before);
            for (number, pattern) in self.patterns.iter().enumerate() {
                if number > 0 {
                    out.push_sql(" AND ");
                }
                out.push_sql(column.test);
                out.push_bind_param::<Text, _>(pattern)?;
            }
            out.push_sql(column.after);
        }
        out.push_sql(")");
        Ok(())
    }
}
