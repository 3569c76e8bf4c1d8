//! A part of a list behind a row is one range of one index, read in its order until there are enough rows.

use tenon_testkit::{Backend, TestDatabase};

use crate::jobs::plan;

/// Rows of each table: with fewer, the databases would read all of them.
const ROWS: i64 = 4_000;

fn insert(database: &TestDatabase, into: &str, row: impl Fn(i64) -> String) {
    let rows: Vec<String> = (1..=ROWS).map(|number| format!("({})", row(number))).collect();
    for part in rows.chunks(500) {
        database.execute(&format!("INSERT INTO {into} VALUES {}", part.join(", ")));
    }
}

/// A moment for each number.
fn at(number: i64) -> String {
    format!("'2026-01-{:02} {:02}:00:00'", 1 + number % 28, number % 24)
}

fn fill(database: &TestDatabase) {
    insert(
        database,
        "users (username, username_key, name, email, state, projects_limit, created_at, updated_at)",
        |n| format!("'u{n}', 'u{n}', 'u{n}', 'u{n}@example.org', 'active', 10, {0}, {0}", at(n)),
    );
    insert(database, "namespaces (kind, name, path, full_path, full_name, visibility, created_at, updated_at)", |n| {
        format!("'group', 'g{n}', 'g{n}', 'g{n}', 'g{n}', 'public', {0}, {0}", at(n))
    });
    insert(
        database,
        "projects (namespace_id, name, path, visibility, sealed_runners_token, last_activity_at, created_at, updated_at)",
        |n| format!("1 + {n} % 50, 'p{n}', 'p{n}', 'public', 'x', {0}, {0}, {0}", at(n)),
    );
    insert(database, "issuables (kind, project_id, iid, author_id, title, state, created_at, updated_at)", |n| {
        let kind = if n % 2 == 0 { "issue" } else { "merge_request" };
        format!("'{kind}', 1 + {n} % 4, {n}, 1, 't{n}', 'opened', {0}, {0}", at(n))
    });
    database.execute("ANALYZE");
}

#[test]
fn a_part_behind_a_row_is_a_range_of_an_index() {
    let moment = "'2026-01-14 12:00:00'";
    let of_issues = "kind = 'issue' AND deleted_at IS NULL";
    let of_project = "project_id = 2 AND kind = 'issue' AND deleted_at IS NULL";
    let lists = [
        ("users", "deleting_at IS NULL", "id", ""),
        ("namespaces", "kind = 'group' AND deleting_at IS NULL", "id", ""),
        ("namespaces", "kind = 'group' AND deleting_at IS NULL", "name", "'g2000'"),
        ("projects", "deleting_at IS NULL", "id", ""),
        ("projects", "deleting_at IS NULL", "name", "'p2000'"),
        ("projects", "deleting_at IS NULL", "path", "'p2000'"),
        ("projects", "deleting_at IS NULL", "created_at", moment),
        ("projects", "deleting_at IS NULL", "updated_at", moment),
        ("projects", "deleting_at IS NULL", "last_activity_at", moment),
        ("issuables", of_issues, "id", ""),
        ("issuables", of_issues, "created_at", moment),
        ("issuables", of_issues, "updated_at", moment),
        ("issuables", of_project, "id", ""),
        ("issuables", of_project, "created_at", moment),
        ("issuables", of_project, "updated_at", moment),
    ];
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let database = TestDatabase::new(backend);
        fill(&database);
        for (table, condition, column, value) in lists {
            for (sign, direction) in [(">", "ASC"), ("<", "DESC")] {
                let (behind, order) = match column {
                    "id" => (format!("id {sign} 2000"), format!("id {direction}")),
                    column => (
                        format!("({column}, id) {sign} ({value}, 2000)"),
                        format!("{column} {direction}, id {direction}"),
                    ),
                };
                let statement =
                    format!("SELECT id FROM {table} WHERE {condition} AND {behind} ORDER BY {order} LIMIT 21");
                let plan = plan(&database, &statement);
                for slow in ["Seq Scan", "Sort", "SCAN", "TEMP B-TREE"] {
                    assert!(!plan.contains(slow), "{backend:?}: {statement}\n{plan}");
                }
            }
        }
    }
}
