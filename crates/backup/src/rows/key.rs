//! The keys by which the rows of a table are sorted, the same on both databases.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tenon_storage::backup::{RowsError, Table};

/// A value of a key. Texts are compared by their bytes, and moments are texts whose order is that of time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum KeyValue {
    Boolean(bool),
    Integer(i64),
    Text(String),
}

/// The key of a row.
pub(super) type Key = Vec<KeyValue>;

/// The line for a row that is gone.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Gone {
    pub(super) gone: Key,
}

/// A table, with what is needed to find the key of a row.
pub(super) struct Keyed {
    table: String,
    /// Where the columns of the key stand in a row.
    places: Vec<usize>,
}

impl Keyed {
    pub(super) fn new(table: &Table) -> Self {
        let place = |name: &String| table.columns.iter().position(|column| column.name == *name);
        Self { table: table.name.clone(), places: table.key.iter().filter_map(place).collect() }
    }

    /// The key of a row, or of the line for one that is gone. Fails if the line is neither.
    pub(super) fn key(&self, line: &str) -> Result<Key, RowsError> {
        self.read(line).ok_or_else(|| RowsError::Row { table: self.table.clone() })
    }

    fn read(&self, line: &str) -> Option<Key> {
        if !line.starts_with('[') {
            return serde_json::from_str::<Gone>(line).ok().map(|gone| gone.gone);
        }
        let mut values: Vec<Value> = serde_json::from_str(line).ok()?;
        let value = |place: &usize| match values.get_mut(*place).map(Value::take)? {
            Value::Bool(value) => Some(KeyValue::Boolean(value)),
            Value::Number(value) => value.as_i64().map(KeyValue::Integer),
            Value::String(value) => Some(KeyValue::Text(value)),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        self.places.iter().map(value).collect()
    }
}
