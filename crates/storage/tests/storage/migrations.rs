//! Both dialects make the same tables, which are the tables that the code knows.

use std::collections::BTreeSet;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel::{PgConnection, SqliteConnection, sql_query};
use tenon_storage::{Database, DatabaseUrl, MigrationState, Options, StoreError, compile_options};
use tenon_testkit::{Backend, TestDatabase};

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

/// One line for each column, index and foreign key. Text search is the one thing that the dialects do with different
/// tables.
type Description = BTreeSet<String>;

const OF_SQLITE: &[&str] = &[
    "SELECT 'column ' || t.name || '.' || c.name || ' ' ||
        CASE c.type WHEN 'INTEGER' THEN 'BIGINT' ELSE c.type END ||
        CASE c.\"notnull\" WHEN 1 THEN ' not null' ELSE '' END ||
        CASE WHEN c.pk > 0 THEN ' key' ELSE '' END AS line
     FROM sqlite_master t JOIN pragma_table_info(t.name) c
     WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE '\\_\\_%' ESCAPE '\\'
        AND t.name NOT LIKE 'issuable\\_search%' ESCAPE '\\'",
    "SELECT 'index ' || t.name || '.' || i.name ||
        CASE i.\"unique\" WHEN 1 THEN ' unique' ELSE '' END ||
        CASE i.partial WHEN 1 THEN ' partial' ELSE '' END || ' (' ||
        (SELECT group_concat(x.name, ', ') FROM pragma_index_info(i.name) x) || ')' AS line
     FROM sqlite_master t JOIN pragma_index_list(t.name) i
     WHERE t.type = 'table' AND i.origin = 'c'",
    "SELECT 'foreign key ' || t.name || '.' || f.\"from\" || ' -> ' || f.\"table\" || ' ' || f.on_delete AS line
     FROM sqlite_master t JOIN pragma_foreign_key_list(t.name) f WHERE t.type = 'table' AND f.seq = 0",
];

const OF_POSTGRES: &[&str] = &[
    "SELECT 'column ' || c.relname || '.' || a.attname || ' ' ||
        CASE format_type(a.atttypid, a.atttypmod)
            WHEN 'bigint' THEN 'BIGINT' WHEN 'text' THEN 'TEXT' WHEN 'boolean' THEN 'BOOLEAN'
            WHEN 'timestamp without time zone' THEN 'TIMESTAMP' WHEN 'date' THEN 'DATE' ELSE 'other' END ||
        CASE WHEN a.attnotnull THEN ' not null' ELSE '' END ||
        CASE WHEN EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary
            AND a.attnum = ANY (i.indkey)) THEN ' key' ELSE '' END AS line
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE '\\_\\_%'
        AND c.relname NOT LIKE 'issuable\\_search%'",
    "SELECT 'index ' || t.relname || '.' || c.relname ||
        CASE WHEN i.indisunique THEN ' unique' ELSE '' END ||
        CASE WHEN i.indpred IS NOT NULL THEN ' partial' ELSE '' END || ' (' ||
        (SELECT string_agg(a.attname, ', ' ORDER BY k.ordinality) FROM unnest(i.indkey) WITH ORDINALITY k (number, ordinality)
            JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number) || ')' AS line
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
     WHERE t.relnamespace = 'public'::regnamespace AND NOT i.indisprimary AND t.relname NOT LIKE '\\_\\_%'
        AND t.relname NOT LIKE 'issuable\\_search%'",
    "SELECT 'foreign key ' || t.relname || '.' || a.attname || ' -> ' || f.relname || ' ' ||
        CASE k.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' ELSE 'NO ACTION' END AS line
     FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
     JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.conkey[1]
     WHERE k.contype = 'f' AND t.relname NOT LIKE 'issuable\\_search%'",
];

fn describe(url: &DatabaseUrl) -> Description {
    let lines = |queries: &[&str], run: &mut dyn FnMut(&str) -> Vec<Line>| {
        queries.iter().flat_map(|query| run(query)).map(|found| found.line).collect()
    };
    match url {
        DatabaseUrl::Sqlite(path) => {
            let mut conn = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
            lines(OF_SQLITE, &mut |query| sql_query(query).load(&mut conn).unwrap())
        }
        DatabaseUrl::Postgres(url) => {
            let mut conn = PgConnection::establish(url).unwrap();
            lines(OF_POSTGRES, &mut |query| sql_query(query).load(&mut conn).unwrap())
        }
    }
}

/// The columns of `schema`, in the words of [`describe`].
fn known_columns() -> BTreeSet<String> {
    let mut table = "";
    let mut columns = BTreeSet::new();
    for line in concat!(
        include_str!("../../src/schema/mod.rs"),
        include_str!("../../src/schema/accounts.rs"),
        include_str!("../../src/schema/environment.rs"),
        include_str!("../../src/schema/feature_flag.rs"),
        include_str!("../../src/schema/integrations.rs"),
        include_str!("../../src/schema/issues.rs"),
        include_str!("../../src/schema/mail.rs"),
        include_str!("../../src/schema/merging.rs"),
        include_str!("../../src/schema/oauth.rs"),
        include_str!("../../src/schema/repositories.rs"),
        include_str!("../../src/schema/snippet.rs"),
        include_str!("../../src/schema/webhooks.rs"),
    )
    .lines()
    {
        match line.trim().split_once(" -> ") {
            // The columns of a view are stored elsewhere.
            Some(_) if table == "merge_request_closes" => {}
            Some((column, kind)) if line.starts_with("        ") => {
                // A word that Rust keeps for itself has another name here.
                let column = if column == "ref_name" { "ref" } else { column };
                let kind = kind.trim_end_matches(',');
                let (inner, null) = match kind.strip_prefix("Nullable<") {
                    Some(inner) => (inner.trim_end_matches('>'), ""),
                    None => (kind, " not null"),
                };
                let kind = if inner == "Bool" { "BOOLEAN".to_owned() } else { inner.to_uppercase() };
                columns.insert(format!("column {table}.{column} {kind}{null}"));
            }
            _ if line.trim_end().ends_with(") {") => table = line.trim().split(' ').next().unwrap(),
            _ => {}
        }
    }
    columns
}

#[test]
fn both_dialects_make_the_same_tables() {
    if !Backend::Postgres.is_available() {
        return;
    }
    let [sqlite, postgres] =
        [Backend::Sqlite, Backend::Postgres].map(|backend| describe(TestDatabase::new(backend).url()));
    let only = |a: &Description, b: &Description| a.difference(b).cloned().collect::<Vec<_>>();
    assert_eq!(only(&sqlite, &postgres), Vec::<String>::new(), "only in SQLite");
    assert_eq!(only(&postgres, &sqlite), Vec::<String>::new(), "only in PostgreSQL");
}

#[test]
fn the_code_knows_exactly_these_columns() {
    let described = describe(TestDatabase::new(Backend::Sqlite).url());
    let made: BTreeSet<String> = described
        .iter()
        .filter(|line| line.starts_with("column "))
        .map(|line| line.trim_end_matches(" key").to_owned())
        .collect();
    assert_eq!(made, known_columns());
}

#[test]
fn every_reference_is_indexed_and_every_project_takes_its_rows_along() {
    let lines = describe(TestDatabase::new(Backend::Sqlite).url());
    let starts_an_index = |table: &str, column: &str| {
        let is_key = |line: &&String| line.starts_with(&format!("column {table}.{column} ")) && line.ends_with(" key");
        let index =
            |line: &&String| line.starts_with(&format!("index {table}.")) && line.contains(&format!(" ({column}"));
        lines.iter().any(|line| is_key(&line) || index(&line))
    };
    for line in lines.iter().filter_map(|line| line.strip_prefix("foreign key ")) {
        let (column, target) = line.split_once(" -> ").unwrap();
        let (table, column) = column.split_once('.').unwrap();
        assert!(starts_an_index(table, column), "{table}.{column} is not indexed");
        // A key of several columns comes beside the one of the project.
        if column == "project_id" && target != "projects CASCADE" {
            assert!(lines.contains(&format!("foreign key {table}.project_id -> projects CASCADE")), "{table}");
        }
    }
}

#[test]
fn a_database_with_unknown_migrations_is_refused() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let refused = |version: &str| {
            let test = TestDatabase::new(backend);
            test.execute(&format!(
                "UPDATE __diesel_schema_migrations SET version = '{version}' \
                 WHERE version = (SELECT MIN(version) FROM __diesel_schema_migrations)"
            ));
            Database::open(Options::new(test.url().clone())).unwrap().migrate().unwrap_err()
        };
        let newer = refused("29991231235959");
        assert!(matches!(&newer, StoreError::Newer(version) if version == "29991231235959"), "{newer}");
        let older = refused("20261121000000");
        assert!(matches!(&older, StoreError::Older(version) if version == "20261121000000"), "{older}");
    }
}

#[test]
fn a_migrated_database_has_nothing_left_to_do() {
    crate::on_each_backend(|database| {
        assert_eq!(database.migration_state().unwrap(), MigrationState::Current);
        assert_eq!(database.migrate().unwrap(), 0);
    });
}

/// The SQL that takes all migrations back, the newest first.
fn all_down(dialect: &str) -> String {
    let folder = format!("../../migrations/{dialect}");
    let mut migrations: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    migrations.sort();
    migrations.iter().rev().map(|folder| std::fs::read_to_string(folder.join("down.sql")).unwrap()).collect()
}

#[test]
fn what_was_migrated_up_can_go_down() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let test = TestDatabase::new(backend);
        match test.url() {
            DatabaseUrl::Sqlite(path) => {
                let mut conn = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
                conn.batch_execute(&all_down("sqlite")).unwrap();
            }
            DatabaseUrl::Postgres(url) => {
                PgConnection::establish(url).unwrap().batch_execute(&all_down("postgres")).unwrap();
            }
        }
        assert_eq!(describe(test.url()), Description::new());
    }
}

#[test]
fn sqlite_was_built_with_its_flags() {
    let test = TestDatabase::new(Backend::Sqlite);
    let flags = compile_options(&Database::open(Options::new(test.url().clone())).unwrap()).unwrap();
    for flag in ["ENABLE_QPSG", "THREADSAFE=2", "ENABLE_FTS5"] {
        assert!(flags.iter().any(|found| found == flag), "{flag} is missing: see .cargo/config.toml");
    }
}
