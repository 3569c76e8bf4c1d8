//! The two databases as one: connections, transactions, and the SQL that the query builder has no words for.

pub(crate) mod cached;
pub(crate) mod connection;
pub(crate) mod dialect;
pub(crate) mod expressions;
pub(crate) mod hierarchy;
pub(crate) mod keyset;
mod multi_connection;
pub(crate) mod paging;
pub(crate) mod pool;
pub(crate) mod predicate;
pub(crate) mod queue;
pub(crate) mod row;
pub(crate) mod serving;
mod statement;
pub(crate) mod static_sql;
pub(crate) mod tx;
