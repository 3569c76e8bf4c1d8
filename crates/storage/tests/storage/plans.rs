//! The statements that the code sends, and the plans of the databases for them.

use std::cell::{Cell, RefCell};
use std::sync::Once;

use diesel::connection::{InstrumentationEvent, set_default_instrumentation};
use tenon_storage::{Database, Options, ReadTx, StoreError};
use tenon_testkit::TestDatabase;

use crate::jobs::plan;

thread_local! {
    /// How many prepared statements were put into the caches of connections by this thread.
    pub(crate) static KEPT: Cell<u32> = const { Cell::new(0) };
    /// The statements that were sent by this thread.
    static SENT: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// A database whose connections are watched. Those of `TestDatabase::open` have an instrumentation of their own.
pub(crate) fn watched(database: &TestDatabase) -> Database {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        set_default_instrumentation(|| {
            Some(Box::new(|event: InstrumentationEvent<'_>| match event {
                InstrumentationEvent::CacheQuery { .. } => KEPT.set(KEPT.get() + 1),
                InstrumentationEvent::StartQuery { query, .. } => {
                    SENT.with_borrow_mut(|sent| sent.push(query.to_string()));
                }
                _ => {}
            }))
        })
        .unwrap();
    });
    Database::open(Options::new(database.url().clone())).unwrap()
}

/// The statements that `read` sends, with its values in their places.
pub(crate) fn sent<T>(
    database: &Database,
    read: impl FnOnce(&mut ReadTx<'_>) -> Result<T, StoreError>,
) -> (T, Vec<String>) {
    SENT.take();
    let answer = database.read(read).unwrap();
    (answer, SENT.take().iter().map(|sent| filled(sent)).collect())
}

/// A statement as diesel shows it, with the values that it shows behind it.
fn filled(shown: &str) -> String {
    let Some((statement, values)) = shown.rsplit_once(" -- binds: ") else { return shown.to_owned() };
    let mut values = values_of(values.trim_start_matches('[').trim_end_matches(']')).into_iter();
    let mut text = String::new();
    let mut rest = statement;
    while let Some(at) = rest.find(['$', '?']) {
        text.push_str(&rest[..at]);
        rest = rest[at + 1..].trim_start_matches(|digit: char| digit.is_ascii_digit());
        text.push_str(&values.next().unwrap());
    }
    text + rest
}

/// Values as SQL has them.
fn values_of(shown: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut is_quoted = false;
    for letter in shown.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => {
                values.push(String::new());
                continue;
            }
            _ => {}
        }
        values.last_mut().unwrap().push(letter);
    }
    let literal = |value: &String| {
        let value = value.trim();
        let value = value.strip_prefix("Some(").map_or(value, |inner| inner.trim_end_matches(')'));
        match value {
            "None" => "NULL".to_owned(),
            "true" | "false" => value.to_owned(),
            _ if value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') && !value.contains("-0") => {
                value.to_owned()
            }
            _ => format!("'{}'", value.trim_matches('"').replace('T', " ")),
        }
    };
    values.iter().map(literal).collect()
}

/// The plans for those of these statements that are lists: each with its statement.
pub(crate) fn plans_of_lists(database: &TestDatabase, sent: &[String]) -> Vec<(String, String)> {
    let lists = sent.iter().filter(|statement| statement.contains("ORDER BY"));
    lists.map(|statement| (statement.clone(), plan(database, statement))).collect()
}
