//! A statement is prepared once for each connection.

use tenon_domain::event::{Event, EventKind};
use tenon_storage::{Database, StoreError, WriteTx, event, settings};

use crate::plans::{KEPT, watched};
use crate::{now, on_each_test_database};

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
    on_each_test_database(|database| {
        let database = watched(database);
        let select = kept(&database, |tx| settings::values(tx).map(drop));
        assert_eq!(select, [1, 0], "a query that returns rows");
        let event = Event::new(EventKind::IssueOpened, None, now());
        let insert = kept(&database, |tx| event::append_relayed(tx, &event));
        assert_eq!(insert, [1, 0], "a statement that returns none");
    });
}
