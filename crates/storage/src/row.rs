//! From columns to the domain's types: the one place where a row can turn out inconsistent.

use chrono::NaiveDateTime;
use tenon_domain::time::Timestamp;

use crate::error::{StoreError, StoreResult};

/// A timestamp as both databases store it: UTC without saying so.
pub(crate) fn naive(at: Timestamp) -> NaiveDateTime {
    at.naive_utc()
}

/// A stored timestamp.
pub(crate) fn utc(at: NaiveDateTime) -> Timestamp {
    at.and_utc()
}

/// The value that a column's text stands for.
pub(crate) fn parsed<T>(
    table: &'static str,
    column: &'static str,
    id: i64,
    text: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> StoreResult<T> {
    parse(text).ok_or_else(|| StoreError::Inconsistent { table, column, id, value: text.to_owned() })
}
