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
        assert!(matches!(refused, StoreError::Backend(_)), "{refused:?}");
        Ok::<_, StoreError>(())
    })
    .unwrap();
    other.write(work).unwrap();
}

#[test]
fn writers_write_again_after_their_connection_was_closed() {
    if !Backend::Postgres.is_available() {
        return;
    }
    let database = TestDatabase::new(Backend::Postgres);
    let open = database.open();
    open.write(work).unwrap();
    database.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    let refused = open.write(work).unwrap_err();
    let StoreError::Backend(reason) = refused else { panic!("{refused:?}") };
    // What PostgreSQL has said, or that it is gone; not that the rollback found no connection.
    let reason = reason.to_string();
    assert!(["terminating connection", "closed the connection"].iter().any(|it| reason.contains(it)), "{reason}");
    open.write(work).unwrap();
}
