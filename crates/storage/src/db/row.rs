//! From columns to the domain's types: the one place where a row can turn out inconsistent.

use chrono::{NaiveDate, NaiveDateTime};
use diesel::deserialize::{self, FromSql};
use diesel::pg::{Pg, PgValue};
use diesel::sql_types::{Text, Timestamp as SqlTimestamp};
use diesel::sqlite::{Sqlite, SqliteValue};
use tenon_domain::time::Timestamp;

use super::connection::Backend;
use crate::error::{StoreError, StoreResult};

/// A timestamp as both databases store it: UTC without saying so.
pub(crate) fn naive(at: Timestamp) -> NaiveDateTime {
    at.naive_utc()
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
        written(&text).map(Self).ok_or_else(|| format!("no timestamp: {text}").into())
    }
}

impl FromSql<SqlTimestamp, Backend> for Moment {
    fn from_sql(value: <Backend as diesel::backend::Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        value.from_sql::<Self, SqlTimestamp>()
    }
}

/// Reads `2026-11-22 08:22:40` with up to nine decimals, as diesel writes it on SQLite, and SQLite's own functions do.
fn written(text: &str) -> Option<NaiveDateTime> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let number = |digits: &str| {
        if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse::<u32>().ok() } else { None }
    };
    let part = |from: usize, to: usize| number(whole.get(from..to)?);
    let signs = [(4, b'-'), (7, b'-'), (10, b' '), (13, b':'), (16, b':')];
    let shaped = whole.len() == 19 && signs.iter().all(|(at, sign)| whole.as_bytes().get(*at) == Some(sign));
    if !shaped || fraction.len() > 9 {
        return None;
    }
    let decimals = u32::try_from(fraction.len()).ok()?;
    let nanoseconds = if decimals == 0 { 0 } else { number(fraction)? * 10_u32.pow(9 - decimals) };
    NaiveDate::from_ymd_opt(i32::try_from(part(0, 4)?).ok()?, part(5, 7)?, part(8, 10)?)?.and_hms_nano_opt(
        part(11, 13)?,
        part(14, 16)?,
        part(17, 19)?,
        nanoseconds,
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_read_as_they_are_written() {
        for text in [
            "2026-11-22 08:22:40",
            "2026-11-22 08:22:40.5",
            "2020-02-29 23:59:59.529701",
            "0001-01-01 00:00:00.123456789",
        ] {
            let want = NaiveDateTime::parse_from_str(text, "%F %T%.f").unwrap();
            assert_eq!(written(text), Some(want), "{text}");
        }
        for text in [
            "",
            "2026-11-22",
            "2026-11-22T08:22:40",
            "2026-13-22 08:22:40",
            "2026-11-22 08:22:40.",
            "+026-11-22 08:22:40",
        ] {
            assert_eq!(written(text).is_some(), text.ends_with("40."), "{text}");
        }
        assert_eq!(written("2026-11-22 08:22:40.1234567890"), None);
        assert_eq!(written("2026-11-22 08:22:40.+5"), None);
    }
}
