//! Which errors say that the machine lacks something, and which that a statement is wrong.

use std::time::{Duration, Instant};

use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error as DieselError};
use tenon_domain::settings;
use tenon_domain::time::Timestamp;
use tenon_storage::{Database, DatabaseUrl, Options, StoreError};
use tenon_testkit::{Backend, TestDatabase};

struct Said {
    message: &'static str,
    hint: Option<&'static str>,
}

impl DatabaseErrorInformation for Said {
    fn message(&self) -> &str {
        self.message
    }

    fn hint(&self) -> Option<&str> {
        self.hint
    }

    fn details(&self) -> Option<&str> {
        None
    }

    fn table_name(&self) -> Option<&str> {
        None
    }

    fn column_name(&self) -> Option<&str> {
        None
    }

    fn constraint_name(&self) -> Option<&str> {
        None
    }

    fn statement_position(&self) -> Option<i32> {
        None
    }
}

fn said(kind: DatabaseErrorKind, message: &'static str, hint: Option<&'static str>) -> &'static str {
    match StoreError::from(DieselError::DatabaseError(kind, Box::new(Said { message, hint }))) {
        StoreError::DiskFull(_) => "full",
        StoreError::Lost(_) => "lost",
        StoreError::Unready(_) => "unready",
        StoreError::TookTooLong(_) => "slow",
        StoreError::Backend(_) => "other",
        error => panic!("{error:?}"),
    }
}

#[test]
fn faults_of_the_machine_are_not_those_of_statements() {
    let wrote = "could not extend file \"base/16384/16390\": wrote only 4096 of 8192 bytes at block 7";
    for (message, hint, want) in [
        ("database or disk is full", None, "full"),
        ("disk I/O error", None, "full"),
        ("could not extend file \"base/16384/16390\": No space left on device", None, "full"),
        (wrote, Some("Check free disk space."), "full"),
        ("terminating connection due to administrator command", None, "lost"),
        ("terminating connection because of crash of another server process", None, "lost"),
        ("the database system is shutting down", None, "lost"),
        ("the database system is starting up", None, "lost"),
        ("canceling statement due to statement timeout", None, "slow"),
        ("database is locked", None, "unready"),
        ("attempt to write a readonly database", None, "unready"),
        ("invalid input syntax for type bigint: \": No space left on device\"", None, "other"),
        ("no such table: users", None, "other"),
        (wrote, None, "other"),
    ] {
        assert_eq!(said(DatabaseErrorKind::Unknown, message, hint), want, "{message}");
    }
    // In whatever language the server speaks.
    for kind in [DatabaseErrorKind::ClosedConnection, DatabaseErrorKind::UnableToSendCommand] {
        assert_eq!(said(kind, "Verbindung beendet", None), "lost");
    }
    assert_eq!(said(DatabaseErrorKind::ReadOnlyTransaction, "", None), "unready");
}

#[test]
fn a_database_that_is_away_is_waited_for_once() {
    for url in ["sqlite:/nowhere/tenon.db", "postgres://postgres@127.0.0.1:1/tenon"] {
        let url = url.parse().expect("a URL");
        let database = Database::open(Options { spare: 0, ..Options::new(url) }).expect("pools");
        let refused = || {
            let answer = database.read(|tx| tenon_storage::settings::values(tx).map(drop));
            assert!(matches!(answer, Err(StoreError::Unavailable(_))), "{answer:?}");
        };
        refused();
        let begun = Instant::now();
        // Each of them would wait for a second.
        (0..20).for_each(|_| refused());
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}

/// Makes a role that is called as the database, and lets each new setting fail with the language of its session.
const WITH_A_ROLE: &str = "
    DO $$ BEGIN
        EXECUTE format('CREATE ROLE %I LOGIN', current_database());
        EXECUTE format('GRANT ALL ON ALL TABLES IN SCHEMA public TO %I', current_database());
        EXECUTE format('ALTER DATABASE %I SET lc_messages = ''POSIX''', current_database());
    END $$;
    CREATE FUNCTION name_language() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'the language is %', current_setting('lc_messages');
    END $$;
    CREATE TRIGGER name_language BEFORE INSERT ON settings FOR EACH ROW EXECUTE FUNCTION name_language()";

const GRANT: &str = "DO $$ BEGIN
        EXECUTE format('GRANT SET ON PARAMETER lc_messages TO %I', current_database());
    END $$";

#[test]
fn a_role_that_may_choose_the_language_of_errors_chooses_english() {
    if !Backend::Postgres.is_available() {
        return;
    }
    let database = TestDatabase::new(Backend::Postgres);
    let DatabaseUrl::Postgres(url) = database.url() else { panic!("a database of PostgreSQL") };
    let name = url.split('?').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let as_role = url.replace("user=postgres", &format!("user={name}"));
    if as_role == *url {
        // A server of someone else, whose roles are not ours to make.
        return;
    }
    database.execute(WITH_A_ROLE);
    let language = || {
        let open = Database::open(Options::new(DatabaseUrl::Postgres(as_role.clone()))).expect("a role without rights");
        let name = settings::find("signup_enabled").expect("a setting");
        let on = settings::Value::Switch(true);
        let refused: StoreError =
            open.write(|tx| tenon_storage::settings::set(tx, name, &on, Timestamp::UNIX_EPOCH)).expect_err("a trigger");
        let StoreError::Backend(refused) = refused else { panic!("{refused:?}") };
        refused.to_string()
    };
    assert_eq!(language(), "the language is POSIX");
    database.execute(GRANT);
    assert_eq!(language(), "the language is C");
}
