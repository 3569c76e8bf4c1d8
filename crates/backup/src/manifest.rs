//! Manifests: what belongs to a backup. A backup is there when its manifest is.

use std::io::{Read as _, Write as _};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tenon_domain::time::Timestamp;
use tenon_git::RepositoryKind;

use crate::error::BackupError;
use crate::folder::{Folder, Part};

/// Where manifests are.
const FOLDER: &str = "manifests";
/// The end of their names.
const SUFFIX: &str = ".json.zst";
/// Bytes that a manifest may have when it is unpacked: about 4 million files.
const MOST_BYTES: u64 = 1 << 30;
/// Bytes that a moment may have.
const LONGEST_TIME: u64 = 100;

/// A backup, with all files that it needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    /// Its name, which begins with the time.
    pub id: String,
    /// The moment of its rows.
    pub created_at: DateTime<Utc>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// The version of the program that made it.
    pub program: String,
    /// The migrations of the database.
    pub migrations: Vec<String>,
    /// The backup before it: its rows and repositories may rest on that.
    pub parent: Option<String>,
    /// Bytes that it has written itself.
    pub written: u64,
    /// All rows, of this backup or of an earlier one.
    pub(crate) rows: Part,
    /// Then the rows that have changed since.
    pub(crate) changed_rows: Option<Part>,
    /// Bytes of all files of changed rows that this backup and those before it have written since `rows`.
    #[serde(default)]
    pub(crate) changes_size: u64,
    /// Each table with the number of its rows and the SHA-256 of their lines.
    pub(crate) tables: Vec<TableSum>,
    pub(crate) files: Vec<StoredFile>,
    pub(crate) repositories: Vec<PackedRepository>,
    /// Files of the data folder that hold keys.
    pub(crate) keys: Vec<StoredFile>,
    /// Faults of the source, such as a file that a row names and that is missing.
    pub findings: Vec<String>,
}

/// The rows of a table, counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableSum {
    pub(crate) name: String,
    pub(crate) rows: u64,
    pub(crate) sha256: String,
}

/// A file of the store of files, or of the data folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredFile {
    pub(crate) key: String,
    pub(crate) part: Part,
}

/// A repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PackedRepository {
    pub(crate) project: i64,
    /// True for that of the wiki of the project.
    #[serde(default)]
    pub(crate) is_wiki: bool,
    /// Its refs, and what else was packed for rows.
    pub(crate) refs: Part,
    /// Its packs, in the order in which they were made.
    pub(crate) packs: Vec<Part>,
}

impl PackedRepository {
    /// Which of the repositories of its project it is.
    pub(crate) const fn kind(&self) -> RepositoryKind {
        if self.is_wiki { RepositoryKind::Wiki } else { RepositoryKind::Code }
    }

    /// Its name in messages.
    pub(crate) fn name(&self) -> String {
        name(self.project, self.kind())
    }
}

/// The name of a repository of a project in messages.
pub(crate) fn name(project: i64, kind: RepositoryKind) -> String {
    match kind {
        RepositoryKind::Code => format!("project {project}"),
        RepositoryKind::Wiki => format!("wiki of project {project}"),
    }
}

/// A backup in a line.
#[derive(Debug, Clone)]
pub struct Summary {
    /// Its manifest.
    pub manifest: Manifest,
    /// The bytes of all files that it needs.
    pub bytes: u64,
    /// When it was restored last to see that it can be; `None` if it never was.
    pub verified_at: Option<DateTime<Utc>>,
}

impl Manifest {
    /// All files that the backup needs.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Part> {
        let packed = self.repositories.iter().flat_map(|it| std::iter::once(&it.refs).chain(&it.packs));
        let files = self.keys.iter().chain(&self.files).map(|file| &file.part);
        std::iter::once(&self.rows).chain(&self.changed_rows).chain(files).chain(packed)
    }

    /// The bytes of all files that it needs.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.parts().map(|part| part.size).sum()
    }

    /// How many rows it has.
    #[must_use]
    pub fn row_count(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// How many repositories it has.
    #[must_use]
    pub fn repository_count(&self) -> usize {
        self.repositories.len()
    }

    /// How many uploads and pictures it has.
    #[must_use]
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// True if the keys of the server are in it.
    #[must_use]
    pub fn has_key(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Its path in the folder.
    pub(crate) fn path(&self) -> String {
        format!("{FOLDER}/{}{SUFFIX}", self.id)
    }

    pub(crate) fn write(&self, folder: &Folder) -> Result<(), BackupError> {
        let failed = |error: std::io::Error| BackupError::at(folder.root())(error);
        let text = serde_json::to_vec(self).map_err(|error| failed(error.into()))?;
        let mut packed = zstd::Encoder::new(folder.begin()?, 3).map_err(failed)?;
        // Nothing else says whether it is what was written.
        packed.include_checksum(true).map_err(failed)?;
        packed.write_all(&text).map_err(failed)?;
        packed.finish().map_err(failed)?.keep(&self.path()).map(drop)
    }

    fn read(folder: &Folder, path: &str) -> Result<Self, BackupError> {
        let damaged = |error: &dyn std::fmt::Display| BackupError::damaged(path, error.to_string());
        let unpacked = zstd::Decoder::new(folder.open_part(path)?).map_err(|error| damaged(&error))?;
        let mut text = Vec::new();
        unpacked.take(MOST_BYTES).read_to_end(&mut text).map_err(|error| damaged(&error))?;
        let manifest: Self = serde_json::from_slice(&text).map_err(|error| damaged(&error))?;
        if path != manifest.path() {
            return Err(damaged(&"it is the manifest of another backup"));
        }
        for part in manifest.parts() {
            folder.place(&part.path)?;
        }
        Ok(manifest)
    }
}

/// The backups of a folder.
#[derive(Debug, Default)]
pub struct Listing {
    /// Those that can be read, oldest first.
    pub backups: Vec<Summary>,
    /// Why the manifests of others cannot be read.
    pub unreadable: Vec<BackupError>,
}

/// The backups of a folder.
pub fn list(folder: &Folder) -> Result<Listing, BackupError> {
    let mut listing = Listing::default();
    for path in folder.paths_below(FOLDER)?.iter().filter(|path| path.ends_with(SUFFIX)) {
        let manifest = match Manifest::read(folder, path) {
            Ok(manifest) => manifest,
            Err(error) => {
                listing.unreadable.push(error);
                continue;
            }
        };
        let bytes = manifest.size();
        let verified_at = verified_at(folder, &manifest);
        listing.backups.push(Summary { manifest, bytes, verified_at });
    }
    listing
        .backups
        .sort_by(|a, b| (a.manifest.created_at, &a.manifest.id).cmp(&(b.manifest.created_at, &b.manifest.id)));
    Ok(listing)
}

/// Notes that a backup could be restored at `now`.
pub fn mark_verified(folder: &Folder, manifest: &Manifest, now: Timestamp) -> Result<(), BackupError> {
    let path = verified_path(manifest);
    if folder.size(&path) > 0 {
        folder.remove(&path)?;
    }
    folder.put(&path, &mut now.to_rfc3339().as_bytes()).map(drop)
}

fn verified_at(folder: &Folder, manifest: &Manifest) -> Option<DateTime<Utc>> {
    let mut text = String::new();
    folder.open_part(&verified_path(manifest)).ok()?.take(LONGEST_TIME).read_to_string(&mut text).ok()?;
    text.parse().ok()
}

/// The file that says when a backup was verified.
pub(crate) fn verified_path(manifest: &Manifest) -> String {
    format!("verified/{}", manifest.id)
}

/// The newest backup, that of this name, or the newest one that is not after `at`. Refused if there is none.
pub fn find(folder: &Folder, id: Option<&str>, at: Option<Timestamp>) -> Result<Manifest, BackupError> {
    let fits =
        |it: &Summary| id.is_none_or(|id| it.manifest.id == id) && at.is_none_or(|at| it.manifest.created_at <= at);
    let Listing { backups, unreadable } = list(folder)?;
    let found = backups.into_iter().rfind(fits).map(|found| found.manifest);
    found.ok_or_else(|| {
        if let Some(error) = unreadable.into_iter().next() {
            return error;
        }
        let which = match (id, at) {
            (Some(id), _) => format!("no backup {id}"),
            (None, Some(at)) => format!("no backup of {} or before", at.format("%F %T UTC")),
            (None, None) => "no backup".to_owned(),
        };
        BackupError::Refused(format!("there is {which} in {}: see `tenon backup list`", folder.root().display()))
    })
}
