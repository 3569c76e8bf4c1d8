//! Which issues and merge requests may have some words, by the index of trigrams.

use diesel::QueryResult;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Bool, Text};

use crate::connection::Backend;
use crate::dialect;
use crate::schema::issuables;

/// A condition on issuables: every one has it in whose title or description all of these words are, and few others.
pub(super) fn may_have_words(words: &[String]) -> MayHaveWords {
    MayHaveWords { trigrams: dialect::trigrams(words) }
}

/// See [`may_have_words`].
#[derive(Debug, Clone, QueryId)]
pub(super) struct MayHaveWords {
    trigrams: String,
}

impl Expression for MayHaveWords {
    type SqlType = Bool;
}

impl<GroupBy> ValidGrouping<GroupBy> for MayHaveWords {
    type IsAggregate = is_aggregate::No;
}

impl SelectableExpression<issuables::table> for MayHaveWords {}

impl AppearsOnTable<issuables::table> for MayHaveWords {}

impl QueryFragment<Backend> for MayHaveWords {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        let Some((before, after)) = dialect::may_have_words(out.backend()) else {
            out.push_sql("TRUE");
            return Ok(());
        };
        out.push_sql(before);
        out.push_bind_param::<Text, _>(&self.trigrams)?;
        out.push_sql(after);
        Ok(())
    }
}
