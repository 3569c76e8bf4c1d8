//! Rows that are written out and loaded again are the same ones, on either database and across.

use std::collections::BTreeMap;

use tenon_domain::time::TimeDelta;
use tenon_domain::visibility::Visibility;
use tenon_storage::StoreError;
use tenon_storage::backup::{Batch, Kind, RowsError, Snapshot, Table, pin};
use tenon_testkit::{Backend, TestDatabase};

use crate::access::{World, build};
use crate::{now, on_each_backend};

/// The rows of each table, and its description.
type Rows = BTreeMap<String, (Table, Vec<String>)>;

fn available() -> Vec<Backend> {
    [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()).collect()
}

fn written_out(database: &TestDatabase) -> Rows {
    let scratch = tempfile::tempdir().unwrap();
    let mut snapshot = Snapshot::take(database.url(), &scratch.path().join("copy.db")).unwrap();
    let rows = |table: Table| {
        let mut rows = Vec::new();
        snapshot
            .rows(&table, &mut |row| {
                rows.push(row.to_owned());
                Ok(())
            })
            .unwrap();
        (table.name.clone(), (table, rows))
    };
    let tables = Snapshot::take(database.url(), &scratch.path().join("tables.db")).unwrap().tables().unwrap();
    tables.into_iter().map(rows).collect()
}

/// Loads rows, table by table in the order opposite to that of their names.
fn load(database: &TestDatabase, rows: &Rows) -> Result<(), RowsError> {
    let mut batches: Vec<Batch> = rows
        .iter()
        .filter(|(_, (_, rows))| !rows.is_empty())
        .map(|(name, (_, rows))| Batch { table: name.clone(), rows: rows.clone() })
        .collect();
    database.open().load_rows(&mut || Ok(batches.pop()))
}

/// A row of each table that holds every kind of value, which no use case would write.
fn fill(database: &TestDatabase) {
    let world = World {
        groups: vec![(None, Visibility::Private), (Some(0), Visibility::Private)],
        projects: vec![(0, Visibility::Private), (1, Visibility::Private)],
        parts: Vec::new(),
        members: Vec::new(),
        shares: Vec::new(),
    };
    database.open().write(|tx| build(tx, &world).map(drop)).unwrap();
    database.execute(
        "UPDATE users SET bio = 'quotes \" '' \\ and ünïcode 🦀' || chr, confirmed_at = '2026-03-02 12:00:00.000001', \
         last_activity_on = '2024-02-29', admin = TRUE FROM (SELECT '\\n' AS chr) line WHERE id = (SELECT min(id) FROM users)",
    );
    // A group that lies in one that was made after it: no order of the rows has what each names before it.
    database.execute(
        "UPDATE namespaces SET parent_id = (SELECT max(id) FROM namespaces) WHERE id = \
         (SELECT min(id) FROM namespaces)",
    );
}

#[test]
fn rows_go_from_any_database_into_any_and_come_out_the_same() {
    for from in available() {
        let source = TestDatabase::new(from);
        fill(&source);
        let rows = written_out(&source);
        assert!(rows["users"].1.len() > 1 && rows["projects"].1.len() == 2, "{rows:?}");
        let user = &rows["users"].1[0];
        assert!(user.contains("2026-03-02T12:00:00.000001Z") && user.contains("2024-02-29"), "{user}");
        for to in available() {
            let target = TestDatabase::new(to);
            load(&target, &rows).unwrap();
            assert_eq!(written_out(&target), rows, "{from:?} to {to:?}");
            // Triggers and references act again, and new rows get ids that the backup did not know.
            let highest = target.count("SELECT max(id) FROM users");
            let revision = |target: &TestDatabase| target.count("SELECT value FROM access_revision");
            let before = revision(&target);
            target.execute("UPDATE projects SET visibility = 'public'");
            assert_ne!(revision(&target), before, "{from:?} to {to:?}");
            target.execute(
                "INSERT INTO users (username, username_key, name, email, state, projects_limit, created_at, updated_at) \
                 VALUES ('later', 'later', 'Later', 'later@example.org', 'active', 1, '2026-03-02 12:00:00', \
                 '2026-03-02 12:00:00')",
            );
            assert!(target.count("SELECT max(id) FROM users") >= highest + 10_000, "{from:?} to {to:?}");
        }
    }
}

#[test]
fn both_databases_have_the_same_tables_and_a_key_in_each() {
    let tables = |backend| TestDatabase::new(backend).open().backup_tables().unwrap();
    let found: Vec<Vec<Table>> = available().into_iter().map(tables).collect();
    for tables in &found {
        assert_eq!(tables, &found[0]);
        assert!(tables.iter().all(|table| !table.key.is_empty() && table.columns.len() < 100));
    }
    let names: Vec<&str> = found[0].iter().map(|table| table.name.as_str()).collect();
    assert!(names.contains(&"issuables") && names.contains(&"jobs") && names.contains(&"settings"), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("search") || *name == "sessions"), "{names:?}");
    let jobs = found[0].iter().find(|table| table.name == "jobs").unwrap();
    assert!(jobs.columns.iter().any(|column| column.name == "dead" && column.kind == Kind::Boolean));
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_is_loaded() {
    for backend in available() {
        let database = TestDatabase::new(backend);
        fill(&database);
        let before = written_out(&database);
        let refused = |table: &str, row: &str| {
            let mut batches = vec![Batch { table: table.to_owned(), rows: vec![row.to_owned()] }];
            let refused = database.open().load_rows(&mut || Ok(batches.pop())).unwrap_err();
            assert_eq!(written_out(&database), before, "{backend:?}: {table} {row}");
            refused.to_string()
        };
        assert_eq!(refused("sqlite_master", "[1]"), "this version of tenon has no table sqlite_master");
        assert_eq!(refused("sessions", "[1]"), "this version of tenon has no table sessions");
        for row in ["[1]", "{}", "", "[\"x\",1,\"x\"]", "[[1],2,\"x\"]", "[1,\"2\",\"x\"]", "[1.5,2,\"x\"]"] {
            let text = refused("user_statuses", row);
            assert_eq!(text, "table user_statuses: a row does not have the form of its table", "{row}");
        }
        let text = refused("user_statuses", "[\"smile\",\"hello\",77]");
        assert!(text.contains("not there") || text.contains("missing") || text.contains("failure"), "{text}");
    }
}

#[test]
fn a_pin_holds_until_it_is_released_or_ends() {
    on_each_backend(|database| {
        let is_held = |at: i64| -> bool {
            let held: Result<_, StoreError> = database.read(|tx| pin::is_held(tx, now() + TimeDelta::minutes(at)));
            held.unwrap()
        };
        let hold = |id: &str, at: i64| {
            let at = now() + TimeDelta::minutes(at);
            let done: Result<_, StoreError> = database.write(|tx| pin::hold(tx, id, at, at + TimeDelta::minutes(10)));
            done.unwrap();
        };
        let release = |id: &str| {
            let done: Result<_, StoreError> = database.write(|tx| pin::release(tx, id));
            done.unwrap();
        };
        assert!(!is_held(0));
        hold("a", 0);
        assert!(is_held(0) && is_held(9) && !is_held(10));
        hold("a", 5);
        assert!(is_held(14) && !is_held(15));
        hold("b", 6);
        release("b");
        assert!(is_held(14) && !is_held(15));
        hold("c", 30);
        release("c");
        assert!(!is_held(14), "the one that has ended is gone");
    });
}
