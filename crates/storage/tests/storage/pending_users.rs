//! Accounts that wait for approval.

use tenon_storage::{Database, Options, StoreError, user};
use tenon_testkit::{Backend, TestDatabase};

use crate::jobs::plan;
use crate::now;

#[test]
fn accounts_that_wait_are_found_among_many_by_their_index() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let database = TestDatabase::new(backend);
        let rows: Vec<String> = (0..5000)
            .map(|number| {
                let state = if number % 2000 == 1999 { "blocked_pending_approval" } else { "active" };
                let name = format!("user{number}");
                let at = "2026-03-02 12:00:00";
                format!("('{name}', '{name}', '{name}', '{name}@example.com', '{state}', 0, '{at}', '{at}')")
            })
            .collect();
        database.execute(&format!(
            "INSERT INTO users (username, username_key, name, email, state, projects_limit, created_at, updated_at)
             VALUES {}",
            rows.join(", ")
        ));
        database.execute("ANALYZE");
        let plan = plan(
            &database,
            "SELECT * FROM users WHERE users.state = 'blocked_pending_approval'
             AND users.created_at >= '2026-03-02 12:00:00' AND users.deleting_at IS NULL ORDER BY users.id LIMIT 21",
        );
        assert!(plan.contains("users_pending") && !plan.contains("Seq Scan"), "{plan}");
        let open = Database::open(Options { readers: 1, writers: 1, ..Options::new(database.url().clone()) }).unwrap();
        let found =
            open.read(|tx| user::waiting_for_approval(tx, now(), 21)).map_err(|error: StoreError| error).unwrap();
        assert_eq!(found.iter().map(|user| user.username.as_str()).collect::<Vec<_>>(), ["user1999", "user3999"]);
    }
}
