//! Making a backup.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};
use tenon_app::{Clock, Database, DatabaseUrl, Limits, MigrationState, Objects, StoreError, stored};
use tenon_domain::time::Timestamp;
use tenon_git::{Engine, EngineSettings, Store};
use tenon_storage::backup::{Snapshot, named};

use crate::error::{BackupError, chain};
use crate::folder::{Folder, Part};
use crate::manifest::{Listing, Manifest, PackedRepository, StoredFile, TableSum, list};
use crate::packer::{NamedProject, Packer};
use crate::pin::Pin;
use crate::progress::{Progress, Step};
use crate::rows::{self, Lines};

/// The beginning of the name of the folder in the data folder in which a backup works.
const SCRATCH: &str = "+backup-";
/// Bytes of a file that are copied at once.
const PIECE: usize = 256 << 10;

/// The server that is backed up.
pub struct Source<'s> {
    /// Its database, migrated.
    pub database: &'s Database,
    /// Where that is.
    pub database_url: &'s DatabaseUrl,
    /// The limits of processes of Git.
    pub limits: &'s Limits,
    /// Its uploads and pictures.
    pub objects: &'s Objects,
    /// Its data folder.
    pub data_dir: &'s Path,
    /// The names of the files in the data folder that hold keys, if these are to be in the backup. Whoever reads the backup can
    /// read them there. Those that are not there are passed over.
    pub keys: &'s [&'s str],
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// How long a removal that had begun before the pin is given to end. Two seconds on a server.
    pub grace: Duration,
    /// Pack every repository wholly.
    pub full: bool,
    /// How many repositories are packed at a time.
    pub threads: usize,
}

/// Makes a backup in `folder` while the server works. Everything but the manifest may be there after a failure, and is used by the
/// next backup. What is damaged at the source is named in [`Manifest::findings`]; the rest is backed up.
///
/// # Errors
/// Refused while another command writes to the folder or another backup of this server runs, and if the migrations of the
/// database are not those of this program. Fails if the database or the folder does.
pub fn create(source: &Source<'_>, folder: &Folder, progress: &dyn Progress) -> Result<Manifest, BackupError> {
    if source.database.migration_state()? != MigrationState::Current {
        let text = format!(
            "{} is not that of a server of this version: name the right one, or start the server first",
            source.database_url
        );
        return Err(BackupError::Refused(text));
    }
    let migrations = source.database.migrations()?;
    let begun = (source.clock.now(), source.clock.elapsed());
    let mut lock = folder.lock()?;
    let Listing { mut backups, unreadable } = list(folder)?;
    let last = backups.pop().map(|found| found.manifest);
    let id = format!("{}-{}", begun.0.format("%Y%m%dT%H%M%SZ"), name_of(begun.0, last.as_ref()));
    // The pin of a killed backup is not renewed.
    if let Some(ended) = lock.ended_backup() {
        Pin::release_of(source.database, &ended)?;
    }
    lock.note(&id)?;
    let pin = Pin::hold(source.database, &source.clock, &id)?;
    wait(source.grace);
    clear_scratch(source.data_dir);
    let scratch = tempfile::Builder::new().prefix(SCRATCH).tempdir_in(source.data_dir);
    let scratch = scratch.map_err(BackupError::at(source.data_dir))?;
    // All that was acknowledged before this moment is in the snapshot.
    let created_at = source.clock.now();
    let mut snapshot = Snapshot::take(source.database_url, &scratch.path().join("rows.db"))?;
    let store = store(source, scratch.path())?;
    let findings = unreadable.iter().map(|error| format!("an earlier backup cannot be read: {error}")).collect();
    let mut work =
        Work { source, store: &store, folder, id: &id, last: last.as_ref(), pin: &pin, written: 0, findings };
    let Rows { all: rows, changed: changed_rows, changes_size, tables } = work.rows(&mut snapshot, progress)?;
    // All that is asked of the snapshot comes first: it ends before the work that may take hours.
    let named = Named::read(&mut snapshot)?;
    drop(snapshot);
    // It has the size of the database. What cannot be removed now goes with the folder.
    let _ = std::fs::remove_file(scratch.path().join("rows.db"));
    let going = named.going_folders();
    let files = work.files(named.files, &going, progress)?;
    let repositories = work.repositories(named.projects, progress)?;
    let keys = work.keys()?;
    let Work { written, findings, .. } = work;
    pin.check()?;
    let seconds = source.clock.elapsed().saturating_sub(begun.1).as_secs_f64();
    let parent = last.map(|last| last.id);
    let program = env!("CARGO_PKG_VERSION").to_owned();
    let manifest = Manifest {
        id,
        created_at,
        seconds,
        program,
        migrations,
        parent,
        written,
        rows,
        changed_rows,
        changes_size,
        tables,
        files,
        repositories,
        keys,
        findings,
    };
    manifest.write(folder)?;
    drop(pin);
    Ok(manifest)
}

/// The repositories of the server. Git gets a configuration of its own: that of the server, with the hooks of pushes, stays as it is.
fn store(source: &Source<'_>, scratch: &Path) -> Result<Store, BackupError> {
    let settings = EngineSettings { limits: source.limits.clone(), ..EngineSettings::new(scratch.join("git")) };
    let opened = Engine::open(&settings).and_then(|engine| Store::open(engine, &source.data_dir.join("repositories")));
    opened.map_err(BackupError::Engine)
}

/// The files and commits that the rows of a snapshot name.
struct Named {
    /// The keys of files, each once.
    files: Vec<String>,
    projects: Vec<NamedProject>,
}

impl Named {
    /// The beginnings of the keys of uploads whose projects are being deleted: files go before their rows.
    fn going_folders(&self) -> Vec<String> {
        self.projects.iter().filter(|it| it.is_going).map(|it| format!("uploads/{}/", it.id)).collect()
    }

    fn read(snapshot: &mut Snapshot) -> Result<Self, BackupError> {
        snapshot.read(|tx| {
            let mut files = Vec::new();
            stored::each_key::<StoreError>(tx, &mut |key| {
                files.push(key);
                Ok(())
            })?;
            files.sort_unstable();
            files.dedup();
            let mut projects = Vec::new();
            for (id, is_going) in named::projects(tx)? {
                projects.push(NamedProject { id, is_going, commits: named::commits(tx, id)? });
            }
            Ok(Self { files, projects })
        })
    }
}

/// Removes the folders that killed backups have left behind. There is no other backup.
fn clear_scratch(data_dir: &Path) {
    for entry in std::fs::read_dir(data_dir).into_iter().flatten().flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(SCRATCH.as_bytes())
            && let Err(error) = std::fs::remove_dir_all(entry.path())
        {
            tracing::warn!(%error, folder = %entry.path().display(), "what a backup has left behind cannot be removed");
        }
    }
}

/// The rest of the name of a backup: two in one second have different ones, also if the clock was set back.
fn name_of(now: Timestamp, last: Option<&Manifest>) -> String {
    let text = format!("{now:?} {}", last.map_or("", |last| last.id.as_str()));
    hex::encode(Sha256::digest(text)).chars().take(8).collect()
}

/// Lets removals end that had asked for pins before there was this one: nothing announces their end to another process.
#[expect(clippy::disallowed_methods, reason = "a command of its own, which has nothing else to do meanwhile")]
fn wait(time: Duration) {
    if !time.is_zero() {
        std::thread::sleep(time);
    }
}

/// A backup that is being made.
struct Work<'w> {
    source: &'w Source<'w>,
    store: &'w Store,
    folder: &'w Folder,
    id: &'w str,
    last: Option<&'w Manifest>,
    pin: &'w Pin,
    written: u64,
    findings: Vec<String>,
}

/// The files of the rows.
struct Rows {
    all: Part,
    changed: Option<Part>,
    changes_size: u64,
    tables: Vec<TableSum>,
}

impl Work<'_> {
    /// Writes the rows that have changed since the last backup that has all of them, or all rows.
    fn rows(&mut self, snapshot: &mut Snapshot, progress: &dyn Progress) -> Result<Rows, BackupError> {
        let failed = |error| BackupError::at(self.folder.root())(error);
        if let Some(last) = self.last.filter(|last| !self.source.full && self.is_base(last)) {
            let mut packed = zstd::Encoder::new(self.folder.begin()?, 3).map_err(failed)?;
            let earlier = self.folder.unpacked(&last.rows).and_then(Lines::open);
            match earlier.and_then(|earlier| rows::write_changes(snapshot, earlier, &mut packed, progress)) {
                Ok(Some(tables)) => {
                    let part = packed.finish().map_err(failed)?.keep(&format!("db/{}.changes.ndjson.zst", self.id))?;
                    self.written += part.size;
                    let changes_size = last.changes_size + part.size;
                    return Ok(Rows { all: last.rows.clone(), changed: Some(part), changes_size, tables });
                }
                Ok(None) => {}
                // A fault of the earlier rows must not keep new ones from being backed up.
                Err(error) => tracing::warn!(%error, "rows cannot be compared with an earlier backup: all are written"),
            }
        }
        let mut packed = zstd::Encoder::new(self.folder.begin()?, 3).map_err(failed)?;
        let tables = rows::write(snapshot, &mut packed, progress)?;
        let part = packed.finish().map_err(failed)?.keep(&format!("db/{}.ndjson.zst", self.id))?;
        self.written += part.size;
        Ok(Rows { all: part, changed: None, changes_size: 0, tables })
    }

    /// True if changes are written against the rows of an earlier backup: these are whole, and the files of changes that rest on
    /// them are together smaller. That keeps the sum of all files small.
    fn is_base(&self, last: &Manifest) -> bool {
        last.changes_size < last.rows.size && self.folder.check(&last.rows).is_ok()
    }

    /// Files by the digest of their bytes: those that an earlier backup has are not read again, as no file changes.
    fn files(
        &mut self,
        keys: Vec<String>,
        going: &[String],
        progress: &dyn Progress,
    ) -> Result<Vec<StoredFile>, BackupError> {
        let known: BTreeMap<&str, &StoredFile> =
            self.last.iter().flat_map(|last| &last.files).map(|file| (file.key.as_str(), file)).collect();
        progress.begin(Step::Files, keys.len());
        let mut files = Vec::new();
        let mut piece = vec![0_u8; PIECE];
        'keys: for key in keys {
            self.pin.check()?;
            progress.advance(1);
            if let Some(known) = known.get(key.as_str()).filter(|known| self.folder.has(&known.part)) {
                files.push((*known).clone());
                continue;
            }
            let mut content = match self.source.objects.open(&key) {
                Ok(Some(content)) => content,
                // Its removal was cut off before the backup began, and has not ended.
                Ok(None) if going.iter().any(|folder| key.starts_with(folder)) => continue,
                Ok(None) => {
                    self.findings.push(format!("file {key}: a row names it, and it is missing"));
                    continue;
                }
                Err(error) => {
                    self.findings.push(format!("file {key}: it cannot be read: {}", chain(&error)));
                    continue;
                }
            };
            // Piece by piece: an LFS object may be larger than the memory.
            let mut unfinished = self.folder.begin()?;
            loop {
                let count = match content.read(&mut piece) {
                    Ok(0) => break,
                    Ok(count) => count,
                    Err(error) => {
                        self.findings.push(format!("file {key}: it cannot be read: {}", chain(&error)));
                        continue 'keys;
                    }
                };
                let read = piece.get(..count).unwrap_or_default();
                unfinished.write_all(read).map_err(BackupError::at(self.folder.root()))?;
            }
            let name = unfinished.name();
            let path = format!("files/{}/{name}", name.get(..2).unwrap_or_default());
            let part = unfinished.keep(&path)?;
            if stored::is_misnamed(&key, &part.sha256) {
                self.findings.push(format!("file {key}: its bytes are not those of its name"));
            }
            self.written += part.size;
            files.push(StoredFile { key, part });
        }
        progress.end();
        Ok(files)
    }

    fn repositories(
        &mut self,
        projects: Vec<NamedProject>,
        progress: &dyn Progress,
    ) -> Result<Vec<PackedRepository>, BackupError> {
        let packer = Packer::new(self.store, self.folder, self.id, self.last, self.source.full);
        progress.begin(Step::Repositories, projects.len());
        let done = packer.all(&projects, self.source.threads, &mut || {
            progress.advance(1);
            self.pin.check()
        })?;
        progress.end();
        self.written += done.written;
        self.findings.extend(done.findings);
        Ok(done.repositories)
    }

    fn keys(&mut self) -> Result<Vec<StoredFile>, BackupError> {
        let mut keys = Vec::new();
        for name in self.source.keys {
            let path = self.source.data_dir.join(name);
            let text = match std::fs::read(&path) {
                Ok(text) => text,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(BackupError::at(&path)(error)),
            };
            let digest: String = self.folder.name_of_bytes(&text).chars().take(16).collect();
            let part = self.folder.put(&format!("key/{digest}"), &mut &*text)?;
            keys.push(StoredFile { key: (*name).to_owned(), part });
        }
        Ok(keys)
    }
}
