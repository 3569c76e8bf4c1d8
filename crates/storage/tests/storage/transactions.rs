//! How transactions begin and end.

use tenon_storage::{StoreError, WriteTx, settings};
use tenon_testkit::{Backend, TestDatabase};

fn work(tx: &mut WriteTx<'_>) -> Result<(), StoreError> {
    settings::values(tx).map(drop)
}

#[test]
fn writers_write_again_after_they_got_no_turn() {
    if !Backend::Postgres.is_available() {
        return;
    }
    let database = TestDatabase::new(Backend::Postgres);
    database.execute(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET lock_timeout = ''10ms''', current_database()); END $$",
    );
    let (one, other) = (database.open(), database.open());
    one.write(|_holds_the_lock| {
        let refused = other.write(work).unwrap_err();
        assert!(matches!(refused, StoreError::Unready(_)), "{refused:?}");
        Ok::<_, StoreError>(())
    })
    .unwrap();
    other.write(work).unwrap();
}

const END_OTHERS: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                          WHERE datname = current_database() AND pid <> pg_backend_pid()";

#[test]
fn what_begins_on_a_connection_that_was_closed_begins_on_another() {
    if !Backend::Postgres.is_available() {
        return;
    }
    let database = TestDatabase::new(Backend::Postgres);
    let open = database.open();
    open.write(work).unwrap();
    open.read(|tx| settings::values(tx).map(drop)).unwrap();
    database.execute(END_OTHERS);
    open.write(work).unwrap();
    open.read(|tx| settings::values(tx).map(drop)).unwrap();
}

#[test]
fn a_transaction_whose_connection_is_closed_is_lost_and_the_next_one_is_not() {
    if !Backend::Postgres.is_available() {
        return;
    }
    let database = TestDatabase::new(Backend::Postgres);
    let open = database.open();
    let refused = open
        .write(|tx| {
            work(tx)?;
            database.execute(END_OTHERS);
            work(tx)
        })
        .unwrap_err();
    // The message of PostgreSQL, or that it is gone; not that the rollback found no connection.
    let StoreError::Lost(reason) = refused else { panic!("{refused:?}") };
    let reason = reason.to_string();
    assert!(["terminating connection", "closed the connection"].iter().any(|it| reason.contains(it)), "{reason}");
    // A failure of the commit alone.
    let refused = open.write(|_tx| -> Result<(), StoreError> {
        database.execute(END_OTHERS);
        Ok(())
    });
    assert!(matches!(refused, Err(StoreError::Lost(_))), "{refused:?}");
    open.write(work).unwrap();
}
