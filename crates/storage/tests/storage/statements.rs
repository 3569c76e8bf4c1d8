//! A statement is prepared once for each connection.

use std::cell::Cell;

use diesel::connection::{InstrumentationEvent, set_default_instrumentation};
use tenon_domain::event::{Event, EventKind};
use tenon_storage::{Database, Options, StoreError, WriteTx, event, settings};

use crate::{now, on_each_test_database};

thread_local! {
    /// How many prepared statements were put into the caches of connections by this thread.
    static KEPT: Cell<u32> = const { Cell::new(0) };
}

/// How many more prepared statements are kept after each of two executions.
fn kept(database: &Database, execute: impl Fn(&mut WriteTx<'_>) -> Result<(), StoreError>) -> [u32; 2] {
    // One transaction, and therefore one connection.
    let count = |tx: &mut WriteTx<'_>| {
        KEPT.set(0);
        execute(tx).map(|()| KEPT.get())
    };
    database.write(|tx| Ok::<_, StoreError>([count(tx)?, count(tx)?])).unwrap()
}

#[test]
fn a_statement_is_prepared_once() {
    set_default_instrumentation(|| {
        Some(Box::new(|event: InstrumentationEvent<'_>| {
            if matches!(event, InstrumentationEvent::CacheQuery { .. }) {
                KEPT.set(KEPT.get() + 1);
            }
        }))
    })
    .unwrap();
    on_each_test_database(|database| {
        // Not by `TestDatabase::open`, whose connections have an instrumentation of their own.
        let database = Database::open(Options::new(database.url().clone())).unwrap();
        let select = kept(&database, |tx| settings::values(tx).map(drop));
        assert_eq!(select, [1, 0], "a query that returns rows");
        let event = Event::new(EventKind::IssueOpened, None, now());
        let insert = kept(&database, |tx| event::append_relayed(tx, &event));
        assert_eq!(insert, [1, 0], "a statement that returns none");
    });
}
