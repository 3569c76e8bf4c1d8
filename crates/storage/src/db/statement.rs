//! Statements as [`super::connection::DbConn`] sends them: with a text that was written once, if the type of the query
//! determines it. All have one type, so that the code of diesel that sends a query and binds its values is compiled once
//! for each database, and not once for each query.
//!
//! Each time that a query is executed, diesel's multi-connection walks through it twice for its text, twice to see
//! whether a prepared statement may be kept, and once for its values (three, three and one, if its type does not
//! determine the text). If a prepared statement may be kept for a type of queries (`diesel::query_builder::QueryId`),
//! its text is kept here, and only the values are new.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::Arc;

use diesel::QueryResult;
use diesel::internal::derives::multiconnection::AstPassHelper;
use diesel::query_builder::{AstPass, Query, QueryBuilder, QueryFragment, QueryId};
use diesel::sql_types::Untyped;

use super::multi_connection::{AnyConnection, Backend};

/// The texts of the statements of one connection, by the types of their queries.
#[derive(Default)]
pub(super) struct StatementTexts(HashMap<TypeId, Arc<StatementText>>);

struct StatementText {
    sql: String,
    /// True if a prepared statement may be kept for it.
    is_cacheable: bool,
    backend: Backend,
}

impl StatementTexts {
    /// `query` as a statement for the database of `conn`. If its type does not determine the text, that is written each
    /// time.
    pub(super) fn statement<'q, T: QueryFragment<Backend> + QueryId + 'q>(
        &mut self,
        query: T,
        conn: &AnyConnection,
    ) -> QueryResult<Statement<'q>> {
        let text = self.text(T::query_id(), &query, conn)?;
        Ok(Statement { query: Box::new(query), text })
    }

    fn text(
        &mut self,
        id: Option<TypeId>,
        query: &dyn QueryFragment<Backend>,
        conn: &AnyConnection,
    ) -> QueryResult<Arc<StatementText>> {
        if let Some(text) = id.and_then(|id| self.0.get(&id)) {
            return Ok(Arc::clone(text));
        }
        let text = Arc::new(StatementText::write(query, conn)?);
        if let Some(id) = id.filter(|_| text.is_cacheable) {
            self.0.insert(id, Arc::clone(&text));
        }
        Ok(text)
    }
}

impl StatementText {
    fn write(query: &dyn QueryFragment<Backend>, conn: &AnyConnection) -> QueryResult<Self> {
        let (backend, mut builder) = conn.backend();
        query.to_sql(&mut builder, &backend)?;
        let is_cacheable = query.is_safe_to_cache_prepared(&backend)?;
        Ok(Self { sql: builder.finish(), is_cacheable, backend })
    }
}

/// A query with its text, by which its prepared statement is found. The types of its columns are those that its reader
/// asks for.
pub(super) struct Statement<'q> {
    query: Box<dyn QueryFragment<Backend> + 'q>,
    text: Arc<StatementText>,
}

impl QueryId for Statement<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Statement<'_> {
    type SqlType = Untyped;
}

impl QueryFragment<Backend> for Statement<'_> {
    // All in this one method: diesel borrows a statement that returns no rows, and of a borrowed one it calls only this.
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        out.push_sql(&self.text.sql);
        if !self.text.is_cacheable {
            out.unsafe_to_cache_prepared();
        }
        if let Some((values, lookup)) = out.bind_collector() {
            self.query.collect_binds(values, lookup, &self.text.backend)?;
        }
        if let Some((values, backend)) = out.debug_binds() {
            self.query.walk_ast(AstPass::collect_debug_binds_pass(values, backend))?;
        }
        Ok(())
    }
}
