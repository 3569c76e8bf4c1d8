//! Bringing a database to the schema that this version needs.

use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_migrations::{EmbeddedMigrations, HarnessWithOutput, MigrationHarness, embed_migrations};

use crate::db::connection::{AnyConnection, DbConn};
use crate::db::dialect;
use crate::db::tx::Database;
use crate::error::{StoreError, StoreResult};

const SQLITE: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");
const POSTGRES: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

/// How a database stands to this version's migrations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MigrationState {
    /// Nothing to do.
    Current,
    /// This many migrations are waiting.
    Pending(usize),
}

impl Database {
    /// Runs the waiting migrations; yields how many. Fails as [`Database::migration_state`] does. Several processes may start at
    /// once: one migrates, the others wait and find nothing left to do.
    pub fn migrate(&self) -> StoreResult<usize> {
        self.bare(|conn| {
            dialect::lock_migrations(conn)?;
            let outcome = migrate(conn);
            dialect::unlock_migrations(conn)?;
            outcome
        })
    }

    /// The migrations that the database has, in their order.
    pub fn migrations(&self) -> StoreResult<Vec<String>> {
        self.bare(|conn| {
            let mut applied = match &mut conn.any {
                AnyConnection::Postgres(c) => applied(c)?,
                AnyConnection::Sqlite(c) => applied(c)?,
            };
            applied.sort_unstable();
            Ok(applied)
        })
    }

    /// One of these migrations that this version of the program does not have, if there is any.
    pub fn unknown_migration<'v>(&self, versions: &'v [String]) -> StoreResult<Option<&'v String>> {
        let known = self.bare(|conn| match &conn.any {
            AnyConnection::Postgres(_) => known::<diesel::pg::Pg>(&POSTGRES),
            AnyConnection::Sqlite(_) => known::<diesel::sqlite::Sqlite>(&SQLITE),
        })?;
        Ok(versions.iter().find(|version| !known.contains(version)))
    }

    /// Runs just these migrations on an empty database, as far as it does not have them. Fails with [`StoreError::Newer`] if this
    /// version of the program does not have one of them; then none is run.
    pub fn migrate_to(&self, versions: &[String]) -> StoreResult<()> {
        self.bare(|conn| match &mut conn.any {
            AnyConnection::Postgres(c) => migrate_to(c, POSTGRES, versions),
            AnyConnection::Sqlite(c) => migrate_to(c, SQLITE, versions),
        })
    }

    /// Gathers the statistics that query planning needs, if they have grown stale.
    pub fn analyse(&self) -> StoreResult<()> {
        self.bare(|conn| Ok(dialect::optimise(conn)?))
    }

    /// How many migrations wait. Fails if the database has one that this version lacks: with [`StoreError::Older`] if it is older
    /// than the first one of this version, else with [`StoreError::Newer`].
    pub fn migration_state(&self) -> StoreResult<MigrationState> {
        self.bare(state)
    }
}

fn migrate(conn: &mut DbConn) -> StoreResult<usize> {
    let MigrationState::Pending(waiting) = state(conn)? else { return Ok(0) };
    match &mut conn.any {
        AnyConnection::Postgres(c) => {
            HarnessWithOutput::new(c, std::io::sink()).run_pending_migrations(POSTGRES).map(drop)
        }
        AnyConnection::Sqlite(c) => HarnessWithOutput::new(c, std::io::sink()).run_pending_migrations(SQLITE).map(drop),
    }
    .map_err(StoreError::Migration)?;
    dialect::analyse(conn)?;
    Ok(waiting)
}

fn migrate_to<DB: diesel::backend::Backend>(
    conn: &mut impl MigrationHarness<DB>,
    source: EmbeddedMigrations,
    versions: &[String],
) -> StoreResult<()> {
    let known = known::<DB>(&source)?;
    if let Some(unknown) = versions.iter().find(|version| !known.contains(version)) {
        return Err(StoreError::Newer(unknown.clone()));
    }
    let waiting = conn.pending_migrations(source).map_err(StoreError::Migration)?;
    for migration in waiting.iter().filter(|migration| versions.contains(&migration.name().version().to_string())) {
        conn.run_migration(migration).map_err(StoreError::Migration)?;
    }
    Ok(())
}

fn state(conn: &mut DbConn) -> StoreResult<MigrationState> {
    let (applied, known) = match &mut conn.any {
        AnyConnection::Postgres(c) => (applied(c)?, known::<diesel::pg::Pg>(&POSTGRES)?),
        AnyConnection::Sqlite(c) => (applied(c)?, known::<diesel::sqlite::Sqlite>(&SQLITE)?),
    };
    if let Some(unknown) = applied.iter().find(|version| !known.contains(version)) {
        let is_older = known.iter().all(|version| unknown < version);
        let refused = if is_older { StoreError::Older } else { StoreError::Newer };
        return Err(refused(unknown.clone()));
    }
    Ok(match known.len() - applied.len() {
        0 => MigrationState::Current,
        waiting => MigrationState::Pending(waiting),
    })
}

fn applied<DB: diesel::backend::Backend>(conn: &mut impl MigrationHarness<DB>) -> StoreResult<Vec<String>> {
    let versions = conn.applied_migrations().map_err(StoreError::Migration)?;
    Ok(versions.iter().map(ToString::to_string).collect())
}

fn known<DB: diesel::backend::Backend>(source: &EmbeddedMigrations) -> StoreResult<Vec<String>> {
    use diesel::migration::{Migration, MigrationSource};
    let migrations: Vec<Box<dyn Migration<DB>>> = source.migrations().map_err(StoreError::Migration)?;
    Ok(migrations.iter().map(|migration| migration.name().version().to_string()).collect())
}

/// The flags that the SQLite library was built with: read by `admin doctor` and a test. Empty on PostgreSQL.
pub fn compile_options(database: &Database) -> StoreResult<Vec<String>> {
    #[derive(QueryableByName)]
    struct Flag {
        #[diesel(sql_type = Text)]
        compile_options: String,
    }
    database.bare(|conn| match &mut conn.any {
        AnyConnection::Postgres(_) => Ok(Vec::new()),
        AnyConnection::Sqlite(c) => {
            let flags: Vec<Flag> = diesel::sql_query("PRAGMA compile_options").load(c)?;
            Ok(flags.into_iter().map(|flag| flag.compile_options).collect())
        }
    })
}
