//! Work on a filled database as a whole, past the storage layer: no server does any of this.

use anyhow::{Context, Result};
use diesel::connection::SimpleConnection;
use diesel::sql_types::Text;
use diesel::{Connection, PgConnection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use tenon_app::DatabaseUrl;

/// Gathers the statistics for query planning: nothing else would, before the server is started on these rows.
pub(super) fn analyse(url: &DatabaseUrl) -> Result<()> {
    execute(url, "ANALYZE")
}

/// Does what happens by itself some time after many rows came. It gathers statistics. On PostgreSQL it also records
/// which pages all transactions see: without that, no index alone answers.
pub(super) fn rest(url: &DatabaseUrl) -> Result<()> {
    match url {
        DatabaseUrl::Sqlite(_) => analyse(url),
        DatabaseUrl::Postgres(_) => execute(url, "VACUUM (ANALYZE)"),
    }
}

/// Indexes that are not there while many rows come: they are built several times faster from all rows at once.
pub(super) struct Aside {
    url: DatabaseUrl,
    indexes: Vec<Index>,
}

/// An index that can be made again.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, QueryableByName)]
pub(super) struct Index {
    #[diesel(sql_type = Text)]
    name: String,
    /// The statement that makes it.
    #[diesel(sql_type = Text)]
    definition: String,
}

impl Aside {
    /// Takes those of [`indexes`].
    pub(super) fn take(url: &DatabaseUrl) -> Result<Self> {
        let indexes = indexes(url)?;
        for index in &indexes {
            execute(url, &format!("DROP INDEX {}", index.name))?;
        }
        Ok(Self { url: url.clone(), indexes })
    }

    pub(super) fn len(&self) -> usize {
        self.indexes.len()
    }

    /// Makes them again, and reports progress after each.
    pub(super) fn put_back(&self, made: impl Fn()) -> Result<()> {
        for index in &self.indexes {
            execute(&self.url, &index.definition).with_context(|| format!("index {}", index.name))?;
            made();
        }
        Ok(())
    }
}

/// The indexes of the tables that get by far the most rows, but for primary keys.
pub(super) fn indexes(url: &DatabaseUrl) -> Result<Vec<Index>> {
    let tables = "('issuables', 'issuable_labels', 'issuable_assignees', 'merge_requests')";
    Ok(match url {
        DatabaseUrl::Sqlite(path) => sql_query(format!(
            "SELECT name, sql AS definition FROM sqlite_master \
             WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN {tables}"
        ))
        .load(&mut SqliteConnection::establish(&path.to_string_lossy())?)?,
        DatabaseUrl::Postgres(url) => sql_query(format!(
            "SELECT indexname::text AS name, indexdef AS definition FROM pg_indexes \
             WHERE schemaname = current_schema() AND tablename IN {tables} \
             AND indexname NOT IN (SELECT conname FROM pg_constraint)"
        ))
        .load(&mut PgConnection::establish(url)?)?,
    })
}

fn execute(url: &DatabaseUrl, statement: &str) -> Result<()> {
    match url {
        DatabaseUrl::Sqlite(path) => {
            let mut conn = SqliteConnection::establish(&path.to_string_lossy())?;
            conn.batch_execute("PRAGMA cache_size = -262144; PRAGMA temp_store = MEMORY")?;
            conn.batch_execute(statement)?;
        }
        DatabaseUrl::Postgres(url) => {
            let mut conn = PgConnection::establish(url)?;
            conn.batch_execute("SET maintenance_work_mem = '512MB'")?;
            conn.batch_execute(statement)?;
        }
    }
    Ok(())
}
