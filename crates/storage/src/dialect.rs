//! Where the two databases really differ. The only file that asks which one it is.

use diesel::connection::{AnsiTransactionManager, SimpleConnection, TransactionManager};
use diesel::{QueryResult, RunQueryDsl, sql_query};

use crate::connection::{Backend, DbConn};
use crate::job::Kinds;

diesel::define_sql_function! {
    /// Lower case of every script. SQLite's own knows only ASCII and is replaced.
    fn lower(
        text: diesel::sql_types::Nullable<diesel::sql_types::Text>,
    ) -> diesel::sql_types::Nullable<diesel::sql_types::Text>;
}

/// Settings of a new connection.
pub(crate) fn prepare(conn: &mut DbConn) -> QueryResult<()> {
    match conn {
        // A runaway statement must not hold a connection for ever.
        DbConn::Postgres(c) => c.batch_execute("SET statement_timeout = '60s'; SET timezone = 'UTC'"),
        DbConn::Sqlite(c) => {
            c.batch_execute(
                "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
                 PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192; \
                 PRAGMA mmap_size = 268435456",
            )?;
            lower_utils::register_impl(c, |text: Option<String>| text.map(|text| text.to_lowercase()))
        }
    }
}

/// Starts a transaction that only reads, on one snapshot.
pub(crate) fn begin_read(conn: &mut DbConn) -> QueryResult<()> {
    match conn {
        DbConn::Postgres(c) => {
            AnsiTransactionManager::begin_transaction_sql(c, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        }
        DbConn::Sqlite(c) => AnsiTransactionManager::begin_transaction_sql(c, "BEGIN"),
    }
}

/// Starts a transaction that writes, after every other one has ended: what it reads stays true until it commits. SQLite
/// takes its one write lock at once, because a transaction that reads first and writes later fails under contention,
/// whatever the busy timeout. PostgreSQL has as many writers as one likes, and none of our rules about several rows (the
/// last owner, a path and what is below it, a group's visibility and its projects') would hold among them: an advisory
/// lock makes them queue alike (docs/adr/0007).
pub(crate) fn begin_write(conn: &mut DbConn) -> QueryResult<()> {
    match conn {
        DbConn::Postgres(c) => {
            AnsiTransactionManager::begin_transaction(c)?;
            let locked = c.batch_execute(&format!("SELECT pg_advisory_xact_lock({WRITE_LOCK})"));
            if locked.is_err() {
                AnsiTransactionManager::rollback_transaction(c)?;
            }
            locked
        }
        DbConn::Sqlite(c) => AnsiTransactionManager::begin_transaction_sql(c, "BEGIN IMMEDIATE"),
    }
}

/// Whether writers must queue: SQLite has one write lock, and its waiters are served unfairly.
pub(crate) fn single_writer(url: &crate::DatabaseUrl) -> bool {
    matches!(url, crate::DatabaseUrl::Sqlite(_))
}

/// Locks the next due job for this transaction; other claimants pass over it. Yields its id.
pub(crate) fn lock_due_job(
    conn: &mut DbConn,
    kinds: Kinds<'_>,
    now: chrono::NaiveDateTime,
) -> QueryResult<Option<i64>> {
    use diesel::prelude::*;

    use crate::schema::jobs;
    // Parentheses, precedence and the partial index are the same in both; only the locking clause is not.
    macro_rules! due {
        ($of_kind:expr) => {
            jobs::table
                .filter(diesel::dsl::not(jobs::dead))
                .filter($of_kind)
                .filter(jobs::run_at.le(now))
                .filter(jobs::lease_until.is_null().or(jobs::lease_until.lt(now)))
                .order((jobs::run_at, jobs::id))
                .select(jobs::id)
                .limit(1)
        };
    }
    match (conn, kinds) {
        (DbConn::Postgres(c), Kinds::Only(kinds)) => {
            due!(jobs::kind.eq_any(kinds)).for_update().skip_locked().get_result(c).optional()
        }
        (DbConn::Postgres(c), Kinds::AllBut(kinds)) => {
            due!(jobs::kind.ne_all(kinds)).for_update().skip_locked().get_result(c).optional()
        }
        (DbConn::Sqlite(c), Kinds::Only(kinds)) => due!(jobs::kind.eq_any(kinds)).get_result(c).optional(),
        (DbConn::Sqlite(c), Kinds::AllBut(kinds)) => due!(jobs::kind.ne_all(kinds)).get_result(c).optional(),
    }
}

/// Makes other processes that want to migrate wait until this connection calls [`unlock_migrations`]. A SQLite file is
/// migrated by the one process that serves it.
pub(crate) fn lock_migrations(conn: &mut DbConn) -> QueryResult<()> {
    match conn {
        DbConn::Postgres(c) => c.batch_execute(&format!("SELECT pg_advisory_lock({MIGRATION_LOCK})")),
        DbConn::Sqlite(_) => Ok(()),
    }
}

/// Lets others migrate again.
pub(crate) fn unlock_migrations(conn: &mut DbConn) -> QueryResult<()> {
    match conn {
        DbConn::Postgres(c) => c.batch_execute(&format!("SELECT pg_advisory_unlock({MIGRATION_LOCK})")),
        DbConn::Sqlite(_) => Ok(()),
    }
}

/// Arbitrary numbers that nothing else locks: "tenon" in ASCII, and one more.
const MIGRATION_LOCK: i64 = 0x0074_656e_6f6e;
const WRITE_LOCK: i64 = MIGRATION_LOCK + 1;

/// Renews what statistics have grown stale. PostgreSQL does that by itself.
pub(crate) fn optimise(conn: &mut DbConn) -> QueryResult<()> {
    match conn {
        DbConn::Postgres(_) => Ok(()),
        DbConn::Sqlite(c) => c.batch_execute("PRAGMA analysis_limit = 1000; PRAGMA optimize"),
    }
}

/// Gathers the statistics that query planning needs.
pub(crate) fn analyse(conn: &mut DbConn) -> QueryResult<()> {
    match conn {
        DbConn::Postgres(c) => sql_query("ANALYZE").execute(c).map(drop),
        DbConn::Sqlite(c) => c.batch_execute("PRAGMA optimize"),
    }
}

/// A backend that takes many numbers as one text.
pub(crate) trait NumberList: diesel::backend::Backend {
    /// What stands before and after a text of comma-separated numbers, so that it reads "is one of them".
    fn around(&self) -> (&'static str, &'static str);
}

impl NumberList for diesel::pg::Pg {
    fn around(&self) -> (&'static str, &'static str) {
        // As a subquery the list is read once; as an array it would be parsed again for every row.
        (" IN (SELECT unnest(string_to_array(", ", ',')::bigint[]))")
    }
}

impl NumberList for diesel::sqlite::Sqlite {
    fn around(&self) -> (&'static str, &'static str) {
        (" IN (SELECT value FROM json_each('[' || ", " || ']'))")
    }
}

impl NumberList for Backend {
    fn around(&self) -> (&'static str, &'static str) {
        match self {
            Self::Postgres(backend) => backend.around(),
            Self::Sqlite(backend) => backend.around(),
        }
    }
}

/// How "one of these columns contains all these words" is written.
pub(crate) struct WordSearch {
    pub(crate) columns: [WordColumn; 2],
}

/// The same for one column: `before`, then `test` and a pattern for each word, then `after`.
pub(crate) struct WordColumn {
    pub(crate) before: &'static str,
    pub(crate) test: &'static str,
    pub(crate) after: &'static str,
}

/// The search for words in title or description of an issuable. PostgreSQL has its index on the columns themselves,
/// SQLite a table with a copy of them, lower-cased.
pub(crate) fn word_search(backend: &Backend) -> WordSearch {
    let columns = match backend {
        Backend::Postgres(_) => [
            WordColumn { before: "(", test: "lower(issuables.title) LIKE ", after: ")" },
            WordColumn { before: "(", test: "lower(issuables.description) LIKE ", after: ")" },
        ],
        Backend::Sqlite(_) => [
            WordColumn {
                before: "issuables.id IN (SELECT rowid FROM issuable_search WHERE ",
                test: "title GLOB ",
                after: ")",
            },
            WordColumn {
                before: "issuables.id IN (SELECT rowid FROM issuable_search WHERE ",
                test: "description GLOB ",
                after: ")",
            },
        ],
    };
    WordSearch { columns }
}

/// The pattern for "contains this lower-cased word, literally" in [`word_search`].
pub(crate) fn word_pattern(conn: &DbConn, word: &str) -> String {
    match conn {
        DbConn::Postgres(_) => crate::predicate::containing(word),
        DbConn::Sqlite(_) => {
            let mut pattern = String::with_capacity(word.len() + 2);
            pattern.push('*');
            for c in word.chars() {
                match c {
                    '*' | '?' | '[' => pattern.extend(['[', c, ']']),
                    _ => pattern.push(c),
                }
            }
            pattern.push('*');
            pattern
        }
    }
}

/// Makes the words of an issuable findable.
pub(crate) fn index_text(conn: &mut DbConn, id: i64, title: &str, description: Option<&str>) -> QueryResult<()> {
    use diesel::sql_types::{BigInt, Text};
    match conn {
        DbConn::Postgres(_) => Ok(()),
        DbConn::Sqlite(c) => sql_query("INSERT INTO issuable_search (rowid, title, description) VALUES (?, ?, ?)")
            .bind::<BigInt, _>(id)
            .bind::<Text, _>(title.to_lowercase())
            .bind::<Text, _>(description.unwrap_or_default().to_lowercase())
            .execute(c)
            .map(drop),
    }
}

/// Takes the words of an issuable out of the index.
pub(crate) fn unindex_text(conn: &mut DbConn, id: i64) -> QueryResult<()> {
    match conn {
        DbConn::Postgres(_) => Ok(()),
        DbConn::Sqlite(c) => sql_query("DELETE FROM issuable_search WHERE rowid = ?")
            .bind::<diesel::sql_types::BigInt, _>(id)
            .execute(c)
            .map(drop),
    }
}

/// Makes the search index agree with the rows.
pub(crate) fn rebuild_search(conn: &mut DbConn) -> QueryResult<()> {
    match conn {
        DbConn::Postgres(_) => Ok(()),
        DbConn::Sqlite(c) => c.batch_execute(
            "DELETE FROM issuable_search; INSERT INTO issuable_search (rowid, title, description) \
             SELECT id, lower(title), lower(COALESCE(description, '')) FROM issuables WHERE deleted_at IS NULL",
        ),
    }
}
