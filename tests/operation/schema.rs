//! A database that this version does not understand is left alone.

use tenon_app::{Database, MigrationState, Options, StoreError};
use tenon_testkit::{Backend, TestDatabase};

fn open(database: &TestDatabase) -> Database {
    Database::open(Options::new(database.url().clone())).expect("a connection")
}

fn is_refused(backend: Backend) {
    let database = TestDatabase::new(backend);
    assert_eq!(open(&database).migration_state().expect("a state"), MigrationState::Current);
    assert_eq!(open(&database).migrate().expect("nothing to do"), 0);
    database.execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('29991231000000')");
    for outcome in [open(&database).migrate().err(), open(&database).migration_state().err()] {
        let Some(StoreError::Newer(version)) = outcome else { panic!("{outcome:?}") };
        assert_eq!(version, "29991231000000");
    }
}

#[test]
fn a_database_of_a_newer_version_is_refused_on_sqlite() {
    is_refused(Backend::Sqlite);
}

#[test]
fn a_database_of_a_newer_version_is_refused_on_postgresql() {
    if Backend::Postgres.is_available() {
        is_refused(Backend::Postgres);
    }
}
