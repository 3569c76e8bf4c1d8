//! From columns to the domain's types: the one place at which a row can turn out inconsistent.

use chrono::NaiveDateTime;
use diesel::deserialize::{self, FromSql};
use diesel::pg::{Pg, PgValue};
use diesel::sql_types::{Text, Timestamp as SqlTimestamp};
use diesel::sqlite::{Sqlite, SqliteValue};
use tenon_domain::time::{TimeDelta, Timestamp, from_sql_text};

use super::connection::Backend;
use crate::error::{StoreError, StoreResult};

/// A timestamp as both databases store it: UTC without saying so.
pub(crate) fn naive(at: Timestamp) -> NaiveDateTime {
    at.naive_utc()
}

/// The end of the millisecond that begins at this moment, for bounds that include it: answers have milliseconds, and what is
/// stored is finer. Moments within a millisecond are as they are.
pub(crate) fn inclusive(at: Timestamp) -> NaiveDateTime {
    const ONE: u32 = 1_000_000;
    let rest = if at.timestamp_subsec_nanos().is_multiple_of(ONE) { i64::from(ONE - 1) } else { 0 };
    naive(at.checked_add_signed(TimeDelta::nanoseconds(rest)).unwrap_or(at))
}

/// A stored timestamp.
pub(crate) fn utc(at: impl Into<NaiveDateTime>) -> Timestamp {
    at.into().and_utc()
}

/// A timestamp in a row. On SQLite it is a text that is always written alike; diesel reads it by trying formats, which took
/// a twentieth of the time of a list.
#[derive(Debug, Clone, Copy, diesel::deserialize::FromSqlRow)]
pub(crate) struct Moment(NaiveDateTime);

impl From<Moment> for NaiveDateTime {
    fn from(moment: Moment) -> Self {
        moment.0
    }
}

impl FromSql<SqlTimestamp, Pg> for Moment {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        <NaiveDateTime as FromSql<SqlTimestamp, Pg>>::from_sql(value).map(Self)
    }
}

impl FromSql<SqlTimestamp, Sqlite> for Moment {
    fn from_sql(value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        let text = <String as FromSql<Text, Sqlite>>::from_sql(value)?;
        from_sql_text(&text).map(Self).ok_or_else(|| format!("no timestamp: {text}").into())
    }
}

impl FromSql<SqlTimestamp, Backend> for Moment {
    fn from_sql(value: <Backend as diesel::backend::Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        value.from_sql::<Self, SqlTimestamp>()
    }
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
