//! A database of SQLite for one test after the other.

use std::path::{Path, PathBuf};

use anyhow::Result;
use tempfile::TempDir;
use tenon_storage::DatabaseUrl;

use crate::reusable::{Backend, Content, Reusable, Templates, execute, fill};
use crate::rows::KeptRows;

/// The name of its file.
const FILE: &str = "test.db";

/// A migrated database in a folder of its own, which goes with this value.
pub(crate) struct SqliteDatabase {
    content: Content,
    path: PathBuf,
    /// The rows of the template.
    kept: Option<KeptRows>,
    _folder: TempDir,
}

impl SqliteDatabase {
    /// A copy of a database that was made once for the whole process.
    pub(crate) fn create(content: Content) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE);
        copy_template(content, &path);
        Self { content, path, kept: None, _folder: folder }
    }
}

impl Reusable for SqliteDatabase {
    fn backend(&self) -> Backend {
        Backend::Sqlite
    }

    fn content(&self) -> Content {
        self.content
    }

    fn url(&self) -> DatabaseUrl {
        DatabaseUrl::Sqlite(self.path.clone())
    }

    fn may_serve_again(&self) -> bool {
        true
    }

    fn put_back(&mut self) -> Result<()> {
        if self.kept.is_none() {
            self.kept = Some(KeptRows::of_copy(&self.path, template(self.content))?);
        }
        self.kept.iter().try_for_each(|kept| Ok(kept.put_back()?))
    }
}

/// Copies the template into this file.
pub(crate) fn copy_template(content: Content, path: &Path) {
    std::fs::copy(template(content), path).expect("a copy of the template");
}

fn template(content: Content) -> &'static Path {
    static TEMPLATES: Templates<(TempDir, PathBuf)> = Templates::new();
    let (_, path) = TEMPLATES.get_or_init(content, || {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE);
        let url = DatabaseUrl::Sqlite(path.clone());
        fill(url.clone(), content);
        // All written pages are in the file that is copied, also while a connection is still being closed.
        execute(&url, "PRAGMA busy_timeout = 60000; PRAGMA wal_checkpoint(TRUNCATE)");
        (folder, path)
    });
    path
}

#[cfg(test)]
mod tests {
    use rusqlite::{Connection, Error};

    use super::*;

    /// All rows of all tables, those of full-text indexes and the counters of ids as well.
    fn rows(file: &Path) -> Result<Vec<String>, Error> {
        let connection = Connection::open(file)?;
        let tables = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name";
        let mut tables = connection.prepare(tables)?;
        let mut all = Vec::new();
        for table in tables.query_map([], |row| row.get::<_, String>(0))? {
            let table = table?;
            let mut rows = connection.prepare(&format!("SELECT * FROM {table}"))?;
            let columns = rows.column_count();
            let mut rows = rows.query([])?;
            while let Some(row) = rows.next()? {
                let values = (0..columns).map(|column| row.get_ref(column)).collect::<Result<Vec<_>, _>>()?;
                all.push(format!("{table}: {values:?}"));
            }
        }
        Ok(all)
    }

    #[test]
    fn all_rows_are_put_back() {
        let mut database = SqliteDatabase::create(Content::Root);
        let before = rows(&database.path).unwrap();
        for _ in 0..2 {
            let change = "PRAGMA foreign_keys = OFF; DELETE FROM __diesel_schema_migrations; \
                          UPDATE access_revision SET value = value + 1; \
                          UPDATE sqlite_sequence SET seq = seq + 7; \
                          INSERT INTO hook_event_bytes (project_id, bytes) VALUES (7, 7)";
            execute(&database.url(), change);
            assert_ne!(rows(&database.path).unwrap(), before);
            database.put_back().unwrap();
            assert_eq!(rows(&database.path).unwrap(), before);
        }
    }
}
