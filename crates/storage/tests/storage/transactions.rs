//! How transactions begin and end.

use tenon_storage::{StoreError, WriteTx, settings};
use tenon_testkit::{Backend, TestDatabase};

#[test]
fn a_connection_that_got_no_turn_to_write_serves_on() {
    if !Backend::Postgres.is_available() {
        return;
    }
    let database = TestDatabase::new(Backend::Postgres);
    database.execute(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET lock_timeout = ''10ms''', current_database()); END $$",
    );
    let (one, other) = (database.open(), database.open());
    let read = |tx: &mut WriteTx<'_>| settings::values(tx);
    one.write(|_holds_the_lock| {
        let refused = other.write(read).expect_err("the turn is taken");
        assert!(matches!(refused, StoreError::Backend(_)), "{refused:?}");
        Ok::<_, StoreError>(())
    })
    .unwrap();
    other.write(read).unwrap();
}
