//! Making a backup.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};
use tenon_app::{Clock, Database, DatabaseUrl, Objects, StoreError, stored};
use tenon_domain::id::ProjectId;
use tenon_domain::time::Timestamp;
use tenon_git::{GitError, GitStream, Oid, Store};
use tenon_storage::backup::{Snapshot, named};

use crate::error::BackupError;
use crate::folder::{Folder, Part, Unfinished};
use crate::manifest::{Manifest, PackedRepository, StoredFile, TableSum, list};
use crate::pin::Pin;
use crate::progress::{Progress, Step};
use crate::{refs, rows};

/// The beginning of the name of the folder in the data folder in which a backup works.
const SCRATCH: &str = "+backup-";
/// Packs of one repository beside its first one, after which it is packed anew.
const MOST_PACKS: usize = 30;

/// The server that is backed up.
pub struct Source<'s> {
    /// Its database, migrated.
    pub database: &'s Database,
    /// Where that is.
    pub database_url: &'s DatabaseUrl,
    /// Its repositories.
    pub store: &'s Store,
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
    pub settle: Duration,
    /// Pack every repository wholly.
    pub full: bool,
}

/// A backup that was made.
#[derive(Debug)]
pub struct Created {
    /// Its manifest.
    pub manifest: Manifest,
    /// The bytes of all files that it needs.
    pub bytes: u64,
}

/// Makes a backup in `folder` while the server works. Everything but the manifest may be there after a failure, and is used by the
/// next backup. What is damaged at the source is named in [`Manifest::findings`]; the rest is backed up.
///
/// # Errors
/// Refused while another command writes to the folder or another backup of this server runs, and if the migrations of the database are not those of this program. Fails if the database or the folder does.
pub fn create(source: &Source<'_>, folder: &Folder, progress: &dyn Progress) -> Result<Created, BackupError> {
    let schema = source.database.schema_version()?.unwrap_or_default();
    if source.database.migration_state()? != tenon_app::MigrationState::Current {
        let text = "the database is not up to date: start the server, or run `tenon migrate`";
        return Err(BackupError::Refused(text.to_owned()));
    }
    let begun = (source.clock.now(), source.clock.elapsed());
    let _lock = folder.lock()?;
    let last = list(folder)?.pop().map(|found| found.manifest);
    let id = format!("{}-{}", begun.0.format("%Y%m%dT%H%M%SZ"), name_of(begun.0, last.as_ref()));
    let pin = Pin::hold(source.database, &source.clock, &id)?;
    settle(source.settle);
    clear_scratch(source.data_dir);
    let scratch = tempfile::Builder::new().prefix(SCRATCH).tempdir_in(source.data_dir);
    let scratch = scratch.map_err(BackupError::at(source.data_dir))?;
    let mut snapshot = Snapshot::take(source.database_url, &scratch.path().join("rows.db"))?;
    let created_at = source.clock.now();

    let mut work = Work { source, folder, id: &id, last: last.as_ref(), pin: &pin, written: 0, findings: Vec::new() };
    let (rows, tables) = work.rows(&mut snapshot, progress)?;
    let files = work.files(&mut snapshot, progress)?;
    let repositories = work.repositories(&mut snapshot, progress)?;
    let keys = work.keys()?;
    let Work { written, findings, .. } = work;
    drop(snapshot);
    pin.check()?;
    let seconds = source.clock.elapsed().saturating_sub(begun.1).as_secs_f64();
    let parent = last.map(|last| last.id);
    let program = env!("CARGO_PKG_VERSION").to_owned();
    let manifest = Manifest {
        id,
        created_at,
        seconds,
        program,
        schema,
        parent,
        written,
        rows,
        tables,
        files,
        repositories,
        keys,
        findings,
    };
    manifest.write(folder)?;
    drop(pin);
    let bytes = manifest.parts().map(|part| part.size).sum();
    Ok(Created { manifest, bytes })
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

#[expect(clippy::disallowed_methods, reason = "a command of its own, which has nothing else to do meanwhile")]
fn settle(time: Duration) {
    if !time.is_zero() {
        std::thread::sleep(time);
    }
}

/// A backup that is being made.
struct Work<'w> {
    source: &'w Source<'w>,
    folder: &'w Folder,
    id: &'w str,
    last: Option<&'w Manifest>,
    pin: &'w Pin,
    written: u64,
    findings: Vec<String>,
}

impl Work<'_> {
    fn rows(&mut self, snapshot: &mut Snapshot, progress: &dyn Progress) -> Result<(Part, Vec<TableSum>), BackupError> {
        let failed = |error| BackupError::at(self.folder.root())(error);
        let mut packed = zstd::Encoder::new(self.folder.begin()?, 3).map_err(failed)?;
        let tables = rows::write(snapshot, &mut packed, progress)?;
        let part = packed.finish().map_err(failed)?.keep(&format!("db/{}.ndjson.zst", self.id))?;
        self.written += part.size;
        Ok((part, tables))
    }

    /// Files by the digest of their bytes: those that an earlier backup has are not read again, as no file changes.
    fn files(&mut self, snapshot: &mut Snapshot, progress: &dyn Progress) -> Result<Vec<StoredFile>, BackupError> {
        let mut keys = Vec::new();
        snapshot.read(|tx| {
            stored::each_key::<StoreError>(tx, &mut |key| {
                keys.push(key);
                Ok(())
            })
        })?;
        keys.sort_unstable();
        keys.dedup();
        let known: BTreeMap<&str, &StoredFile> =
            self.last.iter().flat_map(|last| &last.files).map(|file| (file.key.as_str(), file)).collect();
        let runtime =
            tokio::runtime::Builder::new_current_thread().build().map_err(BackupError::at(self.source.data_dir))?;
        progress.begin(Step::Files, keys.len());
        let mut files = Vec::new();
        for key in keys {
            self.pin.check()?;
            progress.advance(1);
            if let Some(known) = known.get(key.as_str()).filter(|known| self.folder.has(&known.part)) {
                files.push((*known).clone());
                continue;
            }
            let Some(bytes) = runtime.block_on(self.source.objects.get(&key)).map_err(BackupError::Objects)? else {
                self.findings.push(format!("file {key}: a row names it, and it is missing"));
                continue;
            };
            let digest = hex::encode(Sha256::digest(&bytes));
            let path = format!("files/{}/{digest}", digest.get(..2).unwrap_or_default());
            let part = self.folder.put(&path, &mut &*bytes)?;
            self.written += part.size;
            files.push(StoredFile { key, part });
        }
        progress.end();
        Ok(files)
    }

    fn repositories(
        &mut self,
        snapshot: &mut Snapshot,
        progress: &dyn Progress,
    ) -> Result<Vec<PackedRepository>, BackupError> {
        let projects = snapshot.read(named::projects)?;
        let known: BTreeMap<i64, &PackedRepository> =
            self.last.iter().flat_map(|last| &last.repositories).map(|it| (it.project, it)).collect();
        progress.begin(Step::Repositories, projects.len());
        let mut packed = Vec::new();
        for (project, is_going) in projects {
            self.pin.check()?;
            progress.advance(1);
            let last = known.get(&project.get()).copied();
            let commits = snapshot.read(|tx| named::commits(tx, project))?;
            match self.repository(project, &commits, last) {
                Ok(found) => packed.extend(found),
                // Its removal was under way before the backup began.
                Err(BackupError::Git { .. }) if is_going => {}
                Err(error @ BackupError::Git { .. }) => {
                    self.findings
                        .push(format!("project {project}: its repository cannot be packed: {}", chain(&error)));
                    // The last backup of it is better than nothing.
                    packed.extend(last.cloned());
                }
                Err(error) => return Err(error),
            }
        }
        progress.end();
        Ok(packed)
    }

    /// Packs one repository; `None` if it is not there, as that of a project that nobody has used yet.
    fn repository(
        &mut self,
        project: ProjectId,
        commits: &[String],
        last: Option<&PackedRepository>,
    ) -> Result<Option<PackedRepository>, BackupError> {
        let failed = |source| BackupError::Git { project: project.get(), source };
        let repository = self.source.store.repository(project);
        if !repository.exists() {
            return Ok(None);
        }
        let refs = repository.ref_list().map_err(failed)?;
        let mut wanted: BTreeSet<Oid> = refs.refs.values().copied().collect();
        wanted.extend(commits.iter().filter_map(|oid| oid.parse::<Oid>().ok()));
        let wanted: Vec<Oid> = wanted.into_iter().collect();
        let text = refs::write(&refs, &wanted);
        let digest = hex::encode(Sha256::digest(&text));
        let has =
            |it: &&PackedRepository| it.packs.iter().all(|pack| self.folder.has(pack)) && self.folder.has(&it.refs);
        let last = last.filter(has);
        if let Some(last) = last.filter(|last| last.refs.path.ends_with(&digest) && !self.source.full) {
            return Ok(Some(last.clone()));
        }
        let rest = last.filter(|last| !self.source.full && !is_worn(last));
        let (mut packs, known) = match rest {
            Some(last) => (last.packs.clone(), refs::read(self.folder, &last.refs)?.1),
            None => (Vec::new(), Vec::new()),
        };
        if let Some(mut stream) = repository.backup_pack(&wanted, &known).map_err(failed)? {
            let mut file = self.folder.begin()?;
            copy(&mut stream, &mut file, self.folder).map_err(|error| error.unwrap_or_else(failed))?;
            let name = file.digest().chars().take(16).collect::<String>();
            let pack = file.keep(&format!("git/{project}/{}-{name}.pack", self.id))?;
            if pack.size > EMPTY_PACK {
                self.written += pack.size;
                packs.push(pack);
            } else {
                self.folder.remove(&pack.path)?;
            }
        }
        let refs = self.folder.put(&format!("git/{project}/refs-{digest}"), &mut text.as_bytes())?;
        self.written += refs.size;
        Ok(Some(PackedRepository { project: project.get(), refs, packs }))
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
            let digest: String = hex::encode(Sha256::digest(&text)).chars().take(16).collect();
            let part = self.folder.put(&format!("key/{digest}"), &mut &*text)?;
            keys.push(StoredFile { key: (*name).to_owned(), part });
        }
        Ok(keys)
    }
}

/// Bytes of a pack without an object: a header and a digest.
const EMPTY_PACK: u64 = 32;

/// True if a repository is better packed anew: it has many packs, or the later ones are large.
fn is_worn(last: &PackedRepository) -> bool {
    let first = last.packs.first().map_or(0, |pack| pack.size);
    let rest: u64 = last.packs.iter().skip(1).map(|pack| pack.size).sum();
    last.packs.len() > MOST_PACKS || rest > (first / 2).max(1 << 20)
}

/// Copies the output of Git. The failure of Git and that of the folder are told apart.
fn copy(stream: &mut GitStream, file: &mut Unfinished<'_>, folder: &Folder) -> Result<(), CopyError> {
    let mut part = vec![0; 1 << 16];
    loop {
        let count = stream.read_part(&mut part).map_err(CopyError::Git)?;
        if count == 0 {
            return Ok(());
        }
        let bytes = part.get(..count).unwrap_or_default();
        file.write_all(bytes).map_err(|error| CopyError::Folder(BackupError::at(folder.root())(error)))?;
    }
}

enum CopyError {
    Git(GitError),
    Folder(BackupError),
}

impl CopyError {
    fn unwrap_or_else(self, git: impl FnOnce(GitError) -> BackupError) -> BackupError {
        match self {
            Self::Git(error) => git(error),
            Self::Folder(error) => error,
        }
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
