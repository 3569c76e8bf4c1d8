//! The differences of the two databases. The index of words, which each has in its own way, is in `text_index`.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use diesel::connection::{AnsiTransactionManager, SimpleConnection, TransactionManager};
use diesel::{PgConnection, QueryResult, RunQueryDsl, sql_query};
use tenon_domain::search::words;

use super::connection::{AnyConnection, Backend, DatabaseUrl, DbConn};

diesel::define_sql_function! {
    /// Lower case of every script. SQLite's own knows only ASCII and is replaced.
    fn lower(
        text: diesel::sql_types::Nullable<diesel::sql_types::Text>,
    ) -> diesel::sql_types::Nullable<diesel::sql_types::Text>;
}

diesel::define_sql_function! {
    /// True if a text, lower-cased, contains a word. For SQLite, to spare a copy of each text.
    fn contains_word(
        text: diesel::sql_types::Nullable<diesel::sql_types::Text>,
        word: diesel::sql_types::Text,
    ) -> diesel::sql_types::Bool;
}

diesel::define_sql_function! {
    /// True if a text, lower-cased, has a word between characters of no word. For SQLite.
    fn has_word(
        text: diesel::sql_types::Nullable<diesel::sql_types::Text>,
        word: diesel::sql_types::Text,
    ) -> diesel::sql_types::Bool;
}

diesel::define_sql_function! {
    /// A text as the index of words takes it. For SQLite, when it indexes all rows at once.
    fn search_text(text: diesel::sql_types::Nullable<diesel::sql_types::Text>) -> diesel::sql_types::Text;
}

/// A runaway statement must not hold a connection for ever.
const TIMEOUT: &str = "60s";

/// Settings of a new connection.
pub(crate) fn prepare(conn: &mut DbConn) -> QueryResult<()> {
    match &mut conn.any {
        // A random page costs PostgreSQL little more than the next one, except on a rotating disk, and statements that
        // run for milliseconds are not worth compiling. If its configuration sets either, that is kept.
        AnyConnection::Postgres(c) => {
            c.batch_execute(&format!(
                "SET statement_timeout = '{TIMEOUT}'; SET timezone = 'UTC'; \
                 SELECT set_config(name, CASE name WHEN 'jit' THEN 'off' ELSE '1.1' END, false) \
                 FROM pg_settings WHERE name IN ('jit', 'random_page_cost') AND source = 'default'"
            ))?;
            choose_english(c)
        }
        AnyConnection::Sqlite(c) => {
            c.batch_execute(
                "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
                 PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192; \
                 PRAGMA mmap_size = 2147418112",
            )?;
            lower_utils::register_impl(c, |text: Option<String>| text.map(|text| text.to_lowercase()))?;
            search_text_utils::register_impl(c, |text: Option<String>| words::indexed(&text.unwrap_or_default()))?;
            has_word_utils::register_impl(c, |text: Option<String>, word: String| {
                text.is_some_and(|text| words::has_word(&text.to_lowercase(), &word))
            })?;
            contains_word_utils::register_impl(c, |text: Option<String>, word: String| {
                text.is_some_and(|text| text.to_lowercase().contains(&word))
            })
        }
    }
}

/// Makes PostgreSQL word its errors in English, by which they are distinguished (error.rs). Superusers may choose the language,
/// and roles to which that was granted. For others it is that of the server, which is named in the log if it is another one.
fn choose_english(c: &mut PgConnection) -> QueryResult<()> {
    #[derive(diesel::QueryableByName)]
    struct Language {
        #[diesel(sql_type = diesel::sql_types::Text)]
        language: String,
    }
    static IS_NAMED: AtomicBool = AtomicBool::new(false);
    // So it is no error in the log of PostgreSQL if the role may not.
    let chosen = c.batch_execute(
        "DO $$ BEGIN PERFORM set_config('lc_messages', 'C', false);
         EXCEPTION WHEN insufficient_privilege THEN NULL; END $$",
    );
    if let Err(error) = chosen {
        tracing::debug!(%error, "the language of errors was not chosen");
    }
    if IS_NAMED.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let Language { language } = sql_query("SELECT current_setting('lc_messages') AS language").get_result(c)?;
    let is_english = ["C.", "en"].iter().any(|known| language.starts_with(known));
    if !is_english && !matches!(language.as_str(), "" | "C" | "POSIX") {
        tracing::warn!(
            language,
            "the database words its errors in this language, so that a full disk may be answered as a fault of the server: \
             GRANT SET ON PARAMETER lc_messages to the role, or set lc_messages to C for it"
        );
    }
    Ok(())
}

/// Starts a transaction that only reads, on one snapshot.
pub(crate) fn begin_read(conn: &mut DbConn) -> QueryResult<()> {
    match &mut conn.any {
        AnyConnection::Postgres(c) => {
            AnsiTransactionManager::begin_transaction_sql(c, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        }
        AnyConnection::Sqlite(c) => AnsiTransactionManager::begin_transaction_sql(c, "BEGIN"),
    }
}

/// Starts a transaction that writes, after every other one has ended: what it reads stays true until it commits. SQLite
/// takes its one write lock at once, because a transaction that reads first and writes later fails under contention,
/// whatever the busy timeout. PostgreSQL has as many writers as one likes, and none of our rules about several rows (the
/// last owner, a path and what is below it, a group's visibility and its projects') would hold among them: an advisory
/// lock makes them queue alike (docs/adr/0007).
pub(crate) fn begin_write(conn: &mut DbConn) -> QueryResult<()> {
    match &mut conn.any {
        AnyConnection::Postgres(c) => {
            // Sent together, they are one round trip.
            let statements = format!("BEGIN; SELECT pg_advisory_xact_lock({WRITE_LOCK})");
            let begun = AnsiTransactionManager::begin_transaction_sql(c, &statements);
            // If the lock has failed, a transaction has begun of which diesel does not know.
            if begun.is_err()
                && let Err(rollback) = c.batch_execute("ROLLBACK")
            {
                tracing::warn!(error = %rollback, "rollback failed");
                // The pool closes the connection.
                AnsiTransactionManager::transaction_manager_status_mut(c).set_in_error();
            }
            begun
        }
        AnyConnection::Sqlite(c) => AnsiTransactionManager::begin_transaction_sql(c, "BEGIN IMMEDIATE"),
    }
}

/// True if writers must queue: SQLite has one write lock, and its waiters are served unfairly.
pub(crate) fn single_writer(url: &DatabaseUrl) -> bool {
    matches!(url, DatabaseUrl::Sqlite(_))
}

/// Makes other processes that want to migrate wait until this connection calls [`unlock_migrations`]. A SQLite file is
/// migrated by the one process that serves it.
pub(crate) fn lock_migrations(conn: &mut DbConn) -> QueryResult<()> {
    match &mut conn.any {
        // However long another's migrations take.
        AnyConnection::Postgres(c) => c.batch_execute(&format!(
            "SET statement_timeout = 0; SELECT pg_advisory_lock({MIGRATION_LOCK}); SET statement_timeout = '{TIMEOUT}'"
        )),
        AnyConnection::Sqlite(_) => Ok(()),
    }
}

/// Lets others migrate again.
pub(crate) fn unlock_migrations(conn: &mut DbConn) -> QueryResult<()> {
    match &mut conn.any {
        AnyConnection::Postgres(c) => c.batch_execute(&format!("SELECT pg_advisory_unlock({MIGRATION_LOCK})")),
        AnyConnection::Sqlite(_) => Ok(()),
    }
}

/// Arbitrary numbers that nothing else locks: "tenon" in ASCII, and two more.
const MIGRATION_LOCK: i64 = 0x0074_656e_6f6e;
const WRITE_LOCK: i64 = MIGRATION_LOCK + 1;
const SERVING_LOCK: i64 = MIGRATION_LOCK + 2;

/// Takes the right to serve the database, which ends with this connection, in the name of `holder`; yields who has it
/// if another connection has. Waits for `patience`, in a form that PostgreSQL reads: the system may still be ending the
/// connection of a process that was killed. A file of SQLite is locked by the program.
pub(crate) fn take_serving(conn: &mut DbConn, holder: &str, patience: &str) -> QueryResult<Option<String>> {
    #[derive(diesel::QueryableByName)]
    struct Holder {
        #[diesel(sql_type = diesel::sql_types::Text)]
        application_name: String,
    }
    let AnyConnection::Postgres(c) = &mut conn.any else { return Ok(None) };
    // A connection that does nothing must not end for that, and one whose machine is gone must end soon.
    c.batch_execute(
        "SELECT set_config(name, '0', false) FROM pg_settings
         WHERE name IN ('statement_timeout', 'idle_session_timeout');
         SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3",
    )?;
    sql_query("SELECT set_config('application_name', $1, false)")
        .bind::<diesel::sql_types::Text, _>(holder)
        .execute(c)?;
    let taken = c.batch_execute(&format!(
        "SET lock_timeout = '{patience}'; SELECT pg_advisory_lock({SERVING_LOCK}); SET lock_timeout = 0"
    ));
    let Err(refused) = taken else { return Ok(None) };
    let found: Vec<Holder> = sql_query(format!(
        "SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
         WHERE l.locktype = 'advisory' AND l.granted AND (l.classid::bigint << 32) + l.objid::bigint = {SERVING_LOCK}
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    ))
    .load(c)?;
    found.into_iter().next().map(|found| Some(found.application_name)).ok_or(refused)
}

/// Takes the limit away that statements of this transaction have on PostgreSQL.
pub(crate) fn allow_time_here(conn: &mut DbConn) -> QueryResult<()> {
    match &mut conn.any {
        AnyConnection::Sqlite(_) => Ok(()),
        AnyConnection::Postgres(c) => c.batch_execute("SET LOCAL statement_timeout = 0"),
    }
}

/// A line of an answer.
#[derive(diesel::QueryableByName)]
struct Line {
    #[diesel(sql_type = diesel::sql_types::Text)]
    line: String,
}

/// The faults of the file of a database. PostgreSQL looks after its files by itself.
pub(crate) fn faults(conn: &mut DbConn) -> QueryResult<Vec<String>> {
    let AnyConnection::Sqlite(c) = &mut conn.any else { return Ok(Vec::new()) };
    let of_file: Vec<Line> =
        sql_query("SELECT integrity_check AS line FROM pragma_integrity_check LIMIT 20").load(c)?;
    Ok(of_file.into_iter().map(|it| it.line).filter(|line| line != "ok").collect())
}

/// A column of a foreign key.
#[derive(diesel::QueryableByName)]
pub(crate) struct ListedKey {
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub(crate) child: String,
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub(crate) parent: String,
    /// The number of the key among those of its table.
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    pub(crate) number: i64,
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub(crate) own: String,
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub(crate) theirs: String,
    /// 1 if the column becomes null when the row that it names goes, and else 0.
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    pub(crate) sets_null: i64,
}

const SQLITE_KEYS: &str = "SELECT m.name AS child, f.\"table\" AS parent, CAST(f.id AS BIGINT) AS number, f.\"from\" AS own, \
     COALESCE(f.\"to\", (SELECT name FROM pragma_table_info(f.\"table\") WHERE pk = f.seq + 1)) AS theirs, \
     CAST(f.on_delete = 'SET NULL' AS BIGINT) AS sets_null \
     FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY m.name, f.id, f.seq";

const POSTGRES_KEYS: &str = "SELECT c.relname::text AS child, p.relname::text AS parent, k.oid::bigint AS number, \
     own.attname::text AS own, theirs.attname::text AS theirs, (k.confdeltype = 'n')::int::bigint AS sets_null \
     FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid \
     CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY AS pair (own, theirs, place) \
     JOIN pg_attribute own ON own.attrelid = c.oid AND own.attnum = pair.own \
     JOIN pg_attribute theirs ON theirs.attrelid = p.oid AND theirs.attnum = pair.theirs \
     WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace \
     ORDER BY c.relname COLLATE \"C\", k.oid, pair.place";

/// The columns of all foreign keys, by table and key.
pub(crate) fn foreign_keys(conn: &mut DbConn) -> QueryResult<Vec<ListedKey>> {
    match &mut conn.any {
        AnyConnection::Sqlite(c) => sql_query(SQLITE_KEYS).load(c),
        AnyConnection::Postgres(c) => sql_query(POSTGRES_KEYS).load(c),
    }
}

/// An expression that yields a row of a table as an object in JSON.
pub(crate) fn row_object(conn: &mut DbConn, table: &str) -> QueryResult<String> {
    match &mut conn.any {
        AnyConnection::Postgres(_) => Ok(format!("row_to_json(\"{table}\")::text")),
        AnyConnection::Sqlite(c) => {
            let pairs =
                "SELECT group_concat(quote(name) || ', \"' || name || '\"', ', ') AS line FROM pragma_table_info";
            let pairs: Line = sql_query(format!("{pairs}('{table}')")).get_result(c)?;
            Ok(format!("json_object({})", pairs.line))
        }
    }
}

/// Renews what statistics have grown stale. PostgreSQL does that by itself.
pub(crate) fn optimise(conn: &mut DbConn) -> QueryResult<()> {
    match &mut conn.any {
        AnyConnection::Postgres(_) => Ok(()),
        AnyConnection::Sqlite(c) => c.batch_execute("PRAGMA analysis_limit = 1000; PRAGMA optimize"),
    }
}

/// Gathers the statistics that query planning needs.
pub(crate) fn analyse(conn: &mut DbConn) -> QueryResult<()> {
    match &mut conn.any {
        AnyConnection::Postgres(c) => sql_query("ANALYZE").execute(c).map(drop),
        AnyConnection::Sqlite(c) => c.batch_execute("PRAGMA optimize"),
    }
}

/// A backend that takes many values as one text: what stands before and after it, so that it reads "is one of them".
pub(crate) trait ValueList: diesel::backend::Backend {
    /// For numbers with commas between them.
    fn around_numbers(&self) -> (&'static str, &'static str);

    /// For the same, if each row is held against many.
    fn around_many_numbers(&self) -> (&'static str, &'static str);

    /// For a subquery that finds few.
    fn around_subquery(&self) -> (&'static str, &'static str);

    /// For an array of texts in JSON.
    fn around_texts(&self) -> (&'static str, &'static str);
}

impl ValueList for diesel::pg::Pg {
    fn around_numbers(&self) -> (&'static str, &'static str) {
        // An array that is made once, and looked up in an index. The size of a set of rows would be guessed, too high,
        // and the statement planned anew each time.
        (" = ANY ((SELECT string_to_array(", ", ',')::bigint[])::bigint[])")
    }

    fn around_many_numbers(&self) -> (&'static str, &'static str) {
        // As rows they are hashed; an array would be gone through for every row.
        (" IN (SELECT unnest(string_to_array(", ", ',')::bigint[]))")
    }

    fn around_subquery(&self) -> (&'static str, &'static str) {
        (" = ANY (ARRAY(", "))")
    }

    fn around_texts(&self) -> (&'static str, &'static str) {
        // As an array they are looked up in an index; of a subquery it is guessed that it has a hundred.
        (" = ANY (ARRAY(SELECT json_array_elements_text(", "::json)))")
    }
}

impl ValueList for diesel::sqlite::Sqlite {
    fn around_numbers(&self) -> (&'static str, &'static str) {
        (" IN (SELECT value FROM json_each('[' || ", " || ']'))")
    }

    fn around_many_numbers(&self) -> (&'static str, &'static str) {
        self.around_numbers()
    }

    fn around_subquery(&self) -> (&'static str, &'static str) {
        (" IN (", ")")
    }

    fn around_texts(&self) -> (&'static str, &'static str) {
        (" IN (SELECT value FROM json_each(", "))")
    }
}

impl ValueList for Backend {
    fn around_numbers(&self) -> (&'static str, &'static str) {
        match self {
            Self::Postgres(backend) => backend.around_numbers(),
            Self::Sqlite(backend) => backend.around_numbers(),
        }
    }

    fn around_many_numbers(&self) -> (&'static str, &'static str) {
        match self {
            Self::Postgres(backend) => backend.around_many_numbers(),
            Self::Sqlite(backend) => backend.around_many_numbers(),
        }
    }

    fn around_subquery(&self) -> (&'static str, &'static str) {
        match self {
            Self::Postgres(backend) => backend.around_subquery(),
            Self::Sqlite(backend) => backend.around_subquery(),
        }
    }

    fn around_texts(&self) -> (&'static str, &'static str) {
        match self {
            Self::Postgres(backend) => backend.around_texts(),
            Self::Sqlite(backend) => backend.around_texts(),
        }
    }
}

/// The texts before and after the word, or its pattern, so that it reads "the column contains it, whatever the case".
pub(crate) enum Containing {
    /// A pattern of LIKE follows.
    Pattern(&'static str, &'static str, &'static str),
    /// The word follows.
    Word(&'static str, &'static str, &'static str),
}

/// How "a column contains a word" is written: before the column, between it and the word, and after that.
pub(crate) fn containing(backend: &Backend) -> Containing {
    match backend {
        Backend::Postgres(_) => Containing::Pattern("lower(", ") LIKE ", ""),
        Backend::Sqlite(_) => Containing::Word("contains_word(", ", ", ")"),
    }
}

/// How "a column has a word between what is none" is written: as [`containing`], with the pattern of [`word_pattern`].
pub(crate) fn having_word(backend: &Backend) -> Containing {
    match backend {
        Backend::Postgres(_) => Containing::Pattern("lower(", ") ~ ", ""),
        Backend::Sqlite(_) => Containing::Word("has_word(", ", ", ")"),
    }
}

/// The regular expression of PostgreSQL that finds `word`, a run of letters and digits, between what is none. In that no character means
/// anything but itself.
pub(crate) fn word_pattern(word: &str) -> String {
    format!("(^|{SEPARATOR}){word}($|{SEPARATOR})", SEPARATOR = *SEPARATOR)
}

/// The characters that are no letter and no digit, or a sign.
static SEPARATOR: LazyLock<String> = LazyLock::new(|| {
    let signs =
        words::SIGNS.iter().map(|(first, last)| format!("\\U{:08x}-\\U{:08x}", u32::from(*first), u32::from(*last)));
    format!("[\\x01-/:-`{{-\\x7f{}]", signs.collect::<String>())
});
