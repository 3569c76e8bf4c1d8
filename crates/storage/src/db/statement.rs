//! Statements as [`super::connection::DbConn`] sends them: their text is written once, and the type of their query is erased.
//!
//! Each time that a query is executed, diesel's multi-connection walks through it twice for its text, twice to see whether a prepared
//! statement may be kept, and once for its values (three, three and one, where its type does not determine the text). Where a prepared
//! statement may be kept for a type of queries (`diesel::query_builder::QueryId`), its text is kept here as well. As the type is
//! erased, diesel's code that executes a statement is compiled once, and not for each query.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::Arc;

use diesel::QueryResult;
use diesel::query_builder::{AstPass, Query, QueryBuilder, QueryFragment, QueryId};
use diesel::sql_types::Untyped;

use super::multi_connection::{AnyConnection, Backend, Builder};

/// What takes the values of a statement.
type BindCollector<'b> = <Backend as diesel::backend::Backend>::BindCollector<'b>;
/// What a backend needs to find the numbers of types.
type MetadataLookup = <Backend as diesel::sql_types::TypeMetadata>::MetadataLookup;

/// The texts of the statements of one connection, by the types of their queries.
#[derive(Default)]
pub(super) struct StatementTexts(HashMap<TypeId, Arc<StatementText>>);

struct StatementText {
    sql: String,
    /// Whether a prepared statement may be kept for it.
    is_cacheable: bool,
}

impl StatementTexts {
    /// `query` as a statement for the database of `conn`. `id` is the type of the query; `None` where the type does not
    /// determine the text, which is then written each time.
    pub(super) fn statement<'q>(
        &mut self,
        id: Option<TypeId>,
        query: Box<dyn QueryFragment<Backend> + 'q>,
        conn: &AnyConnection,
    ) -> QueryResult<Statement<'q>> {
        if let Some(text) = id.and_then(|id| self.0.get(&id)) {
            return Ok(Statement { query, text: Arc::clone(text) });
        }
        let text = Arc::new(StatementText::write(&*query, conn)?);
        if let Some(id) = id.filter(|_| text.is_cacheable) {
            self.0.insert(id, Arc::clone(&text));
        }
        Ok(Statement { query, text })
    }
}

impl StatementText {
    fn write(query: &(dyn QueryFragment<Backend> + '_), conn: &AnyConnection) -> QueryResult<Self> {
        let (backend, mut builder) = conn.backend();
        query.to_sql(&mut builder, &backend)?;
        Ok(Self { sql: builder.finish(), is_cacheable: query.is_safe_to_cache_prepared(&backend)? })
    }
}

/// A query with its text.
pub(super) struct Statement<'q> {
    query: Box<dyn QueryFragment<Backend> + 'q>,
    text: Arc<StatementText>,
}

impl Query for Statement<'_> {
    // The sender of the query reads the rows, and knows their type.
    type SqlType = Untyped;
}

impl QueryId for Statement<'_> {
    type QueryId = ();
    // A prepared statement is found by its text.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Backend> for Statement<'_> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        self.query.walk_ast(out)
    }

    fn to_sql(&self, out: &mut Builder, _: &Backend) -> QueryResult<()> {
        out.push_sql(&self.text.sql);
        Ok(())
    }

    fn is_safe_to_cache_prepared(&self, _: &Backend) -> QueryResult<bool> {
        Ok(self.text.is_cacheable)
    }

    fn collect_binds<'b>(
        &'b self,
        out: &mut BindCollector<'b>,
        lookup: &mut MetadataLookup,
        backend: &'b Backend,
    ) -> QueryResult<()> {
        self.query.collect_binds(out, lookup, backend)
    }
}
