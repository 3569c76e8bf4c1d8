//! Tables and columns of a backup, and the one form of their rows.

use chrono::NaiveDateTime;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::RowsError;

/// A table of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its columns, by name.
    pub columns: Vec<Column>,
    /// The columns of its primary key, by which its rows are sorted.
    pub key: Vec<String>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The kind of its values.
    pub kind: Kind,
}

/// A kind of values, whatever the database calls their type. Each value can also be null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A number of 64 bits.
    Integer,
    /// Text.
    Text,
    /// True or false.
    Boolean,
    /// A moment in UTC, to the microsecond: `2026-03-02T12:00:00.000000Z`.
    Time,
    /// A day: `2026-03-02`.
    Date,
}

/// The form in which a moment is written.
const TIME: &str = "%Y-%m-%dT%H:%M:%S%.6fZ";
/// The form in which SQLite stores it. Moments are compared as texts, so that no other form may be stored.
const SQLITE_TIME: &str = "%F %T%.f";

impl Table {
    /// The row that the database has printed as `line`, in the form that both databases have in common.
    pub(super) fn canonical(&self, line: &str) -> Result<String, RowsError> {
        self.converted(line, |kind, value| {
            *value = match (kind, &*value) {
                (Kind::Boolean, Value::Number(number)) => Value::Bool(number.as_i64()? != 0),
                (Kind::Time, Value::String(text)) => {
                    NaiveDateTime::parse_from_str(text, SQLITE_TIME).ok()?.format(TIME).to_string().into()
                }
                _ => return Some(()),
            };
            Some(())
        })
    }

    /// The row of a backup as it is stored, with moments as SQLite has them; PostgreSQL takes them as well. Fails if it does not
    /// have the form of the table.
    pub(super) fn stored(&self, line: &str) -> Result<String, RowsError> {
        self.converted(line, |kind, value| {
            match (kind, &*value) {
                (Kind::Time, Value::String(text)) => {
                    let moment = NaiveDateTime::parse_from_str(text, TIME).ok()?;
                    *value = moment.format(SQLITE_TIME).to_string().into();
                }
                (Kind::Boolean, Value::Bool(_)) | (Kind::Text | Kind::Date, Value::String(_)) | (_, Value::Null) => {}
                (Kind::Integer, Value::Number(number)) => drop(number.as_i64()?),
                _ => return None,
            }
            Some(())
        })
    }

    fn converted(&self, line: &str, convert: impl Fn(Kind, &mut Value) -> Option<()>) -> Result<String, RowsError> {
        let malformed = || RowsError::Row { table: self.name.clone() };
        let mut values: Vec<Value> = serde_json::from_str(line).map_err(|_malformed| malformed())?;
        if values.len() != self.columns.len() {
            return Err(malformed());
        }
        for (column, value) in self.columns.iter().zip(&mut values) {
            convert(column.kind, value).ok_or_else(malformed)?;
        }
        serde_json::to_string(&values).map_err(|_malformed| malformed())
    }
}
