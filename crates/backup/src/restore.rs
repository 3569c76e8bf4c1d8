//! Making a data folder and a database of a backup.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tenon_app::repository::Repositories;
use tenon_app::{Database, DatabaseUrl, Limits, Objects, Options};
use tenon_domain::broadcast_message::{BroadcastMessage, BroadcastType};
use tenon_domain::id::{BroadcastMessageId, ProjectId};
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_storage::backup::{Snapshot, disarm};
use tenon_storage::broadcast_message;

use crate::error::BackupError;
use crate::folder::Folder;
use crate::manifest::{Manifest, PackedRepository, StoredFile};
use crate::progress::{Progress, Step};
use crate::{refs, rows};

/// Where a backup is restored to.
pub struct Place<'p> {
    /// The data folder, which must be empty or not there.
    pub data_dir: &'p Path,
    /// The database, which must be empty. A SQLite file may lie in the data folder.
    pub database_url: &'p DatabaseUrl,
    /// The limits of processes of Git.
    pub limits: &'p Limits,
    /// If this is a copy that must not call other servers: the moment from which on it does not.
    pub disarmed_at: Option<Timestamp>,
}

/// A backup that was restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restored {
    /// Rows.
    pub rows: u64,
    /// Uploads and pictures.
    pub files: usize,
    /// Repositories.
    pub repositories: usize,
    /// True if the keys of the server were in the backup.
    pub has_key: bool,
}

/// The end of the name of a folder in which a restore works until it is finished.
const DRAFT: &str = ".restoring";
/// The file in that folder that says what is restored.
const JOURNAL: &str = "restore.json";
/// The file in it that is locked by who restores.
const LOCK: &str = "restore.lock";

/// How far a restore is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Journal {
    backup: String,
    instance: String,
    /// True if the database may have been written to.
    is_loading: bool,
}

/// Restores a backup. The data folder appears when everything is in it; until then the work is in a folder beside it. After a crash
/// or a failure the same command goes on there.
///
/// # Errors
/// Refused if the data folder or the database is not empty, or if the backup needs a newer version of the program. Fails if
/// something of the backup is missing or damaged: then nothing is restored.
pub fn restore(
    folder: &Folder,
    manifest: &Manifest,
    place: &Place<'_>,
    progress: &dyn Progress,
) -> Result<Restored, BackupError> {
    let draft = draft_of(place.data_dir)?;
    let mut journal =
        Journal { backup: manifest.id.clone(), instance: folder.instance().to_owned(), is_loading: false };
    let begun = begin(&draft, place.data_dir, &journal)?;
    let _lock = lock(&draft)?;
    let url = url_in(place, &draft);
    let database = Database::open(Options { spare: 0, ..Options::new(url.clone()) })?;
    let is_loading = begun.is_some_and(|begun| begun.is_loading);
    if !is_loading && !database.backup_tables()?.is_empty() {
        let text = format!("{} is not empty: name a database without tables", place.database_url);
        return Err(BackupError::Refused(text));
    }

    let repositories = Repositories::in_folder(&draft, None, place.limits)
        .map_err(|source| BackupError::Git { project: 0, source })?;
    progress.begin(Step::Repositories, manifest.repositories.len());
    for packed in &manifest.repositories {
        restore_repository(folder, packed, &repositories)?;
        progress.advance(1);
    }
    progress.end();
    restore_files(folder, manifest, &draft, progress)?;
    restore_keys(folder, manifest, &draft)?;

    journal.is_loading = true;
    write_journal(&draft, &journal)?;
    load(folder, manifest, (&database, &url), place.disarmed_at, progress)?;
    drop(database);
    finish(&draft, place.data_dir)?;
    Ok(Restored {
        rows: manifest.row_count(),
        files: manifest.file_count(),
        repositories: manifest.repository_count(),
        has_key: manifest.has_key(),
    })
}

/// The folder in which the restore into `data_dir` works. Refused if the data folder is not empty.
fn draft_of(data_dir: &Path) -> Result<PathBuf, BackupError> {
    let is_empty = match fs::read_dir(data_dir) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == ErrorKind::NotFound => true,
        Err(error) => return Err(BackupError::at(data_dir)(error)),
    };
    if !is_empty {
        let text = format!("{} is not empty: name a folder that is empty or not there", data_dir.display());
        return Err(BackupError::Refused(text));
    }
    let name = data_dir.file_name().ok_or_else(|| BackupError::Refused("name a data folder".to_owned()))?;
    let mut name = name.to_owned();
    name.push(DRAFT);
    Ok(data_dir.with_file_name(name))
}

/// Begins in an empty folder, or goes on in that of an earlier try, which it yields.
fn begin(draft: &Path, data_dir: &Path, journal: &Journal) -> Result<Option<Journal>, BackupError> {
    match fs::read(draft.join(JOURNAL)) {
        Ok(text) => {
            let begun: Option<Journal> = serde_json::from_slice(&text).ok();
            let is_same = |begun: &Journal| (&begun.backup, &begun.instance) == (&journal.backup, &journal.instance);
            if begun.as_ref().is_none_or(|begun| !is_same(begun)) {
                let text = format!(
                    "{} has what another restore into {} has left: remove it, then try again",
                    draft.display(),
                    data_dir.display()
                );
                return Err(BackupError::Refused(text));
            }
            Ok(begun)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(draft).map_err(BackupError::at(draft))?;
            let is_empty = fs::read_dir(draft).map_err(BackupError::at(draft))?.next().is_none();
            if !is_empty {
                return Err(BackupError::Refused(format!(
                    "{} is in the way: remove it, then try again",
                    draft.display()
                )));
            }
            write_journal(draft, journal)?;
            Ok(None)
        }
        Err(error) => Err(BackupError::at(draft)(error)),
    }
}

/// The right to work in the draft, until the result is dropped or the process ends.
fn lock(draft: &Path) -> Result<File, BackupError> {
    let place = draft.join(LOCK);
    let file =
        File::options().create(true).truncate(false).write(true).open(&place).map_err(BackupError::at(&place))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(BackupError::Refused(format!("another restore works in {}", draft.display())))
        }
        Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => {
            Err(BackupError::at(&place)(error))
        }
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

fn write_journal(draft: &Path, journal: &Journal) -> Result<(), BackupError> {
    let path = draft.join(JOURNAL);
    let text = serde_json::to_vec(journal).map_err(|error| BackupError::at(&path)(error.into()))?;
    let written = || {
        let mut file = tempfile::NamedTempFile::new_in(draft)?;
        file.write_all(&text)?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)
    };
    written().map(drop).map_err(BackupError::at(&path))
}

/// The database while the restore works: one in the data folder is in the draft of that.
fn url_in(place: &Place<'_>, draft: &Path) -> DatabaseUrl {
    match place.database_url {
        DatabaseUrl::Sqlite(path) => match path.strip_prefix(place.data_dir) {
            Ok(inside) => DatabaseUrl::Sqlite(draft.join(inside)),
            Err(_) => place.database_url.clone(),
        },
        DatabaseUrl::Postgres(_) => place.database_url.clone(),
    }
}

fn restore_repository(
    folder: &Folder,
    packed: &PackedRepository,
    repositories: &Repositories,
) -> Result<(), BackupError> {
    let repository = repositories.store.repository(ProjectId::new(packed.project));
    if repository.exists() {
        return Ok(());
    }
    let (list, _) = refs::read(folder, &packed.refs)?;
    let mut packs = Vec::new();
    for pack in &packed.packs {
        folder.check(pack)?;
        packs.push(folder.place(&pack.path)?);
    }
    let failed = |source| BackupError::Git { project: packed.project, source };
    repositories.store.restore(&repository, &list, &packs).map_err(failed)
}

fn restore_files(
    folder: &Folder,
    manifest: &Manifest,
    draft: &Path,
    progress: &dyn Progress,
) -> Result<(), BackupError> {
    let objects = Objects::in_folder(&draft.join("objects")).map_err(BackupError::Objects)?;
    let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(BackupError::at(draft))?;
    progress.begin(Step::Files, manifest.files.len());
    for file in &manifest.files {
        folder.check(&file.part)?;
        let place = folder.place(&file.part.path)?;
        let bytes = fs::read(&place).map_err(BackupError::at(&place))?;
        runtime.block_on(objects.put(&file.key, bytes.into())).map_err(BackupError::Objects)?;
        progress.advance(1);
    }
    progress.end();
    Ok(())
}

/// The names of files that a backup may put into the data folder itself.
pub const KEY_FILES: [&str; 2] = ["secret.key", "ssh_host_ed25519_key"];

fn restore_keys(folder: &Folder, manifest: &Manifest, draft: &Path) -> Result<(), BackupError> {
    for StoredFile { key: name, part } in &manifest.keys {
        if !KEY_FILES.contains(&name.as_str()) {
            return Err(BackupError::damaged("the manifest", "it names a key that a server does not have"));
        }
        folder.check(part)?;
        let place = folder.place(&part.path)?;
        let text = fs::read(&place).map_err(BackupError::at(&place))?;
        let path = draft.join(name);
        let written = || {
            let mut file = File::options().create(true).truncate(true).write(true).mode(0o600).open(&path)?;
            file.write_all(&text)?;
            file.sync_all()
        };
        written().map_err(BackupError::at(&path))?;
    }
    Ok(())
}

fn load(
    folder: &Folder,
    manifest: &Manifest,
    (database, url): (&Database, &DatabaseUrl),
    disarmed_at: Option<Timestamp>,
    progress: &dyn Progress,
) -> Result<(), BackupError> {
    folder.check(&manifest.rows)?;
    database.migrate_to(&manifest.schema)?;
    let file = folder.open_part(&manifest.rows.path)?;
    let unpacked = zstd::Decoder::new(file).map_err(BackupError::at(folder.root()))?;
    progress.begin(Step::Rows, usize::try_from(manifest.row_count()).unwrap_or(0));
    let mut reader = rows::Reader::new(unpacked, &database.backup_tables()?, progress)?;
    database.load_rows(&mut || reader.next())?;
    progress.end();
    progress.begin(Step::Comparison, 0);
    let loaded = rows::sums(&mut Snapshot::of_idle(url)?)?;
    let differs = manifest.tables.iter().find(|table| !loaded.contains(table));
    if let Some(table) = differs {
        let why = format!("the rows of {} are not those of the manifest", table.name);
        return Err(BackupError::damaged(&manifest.rows.path, why));
    }
    database.release_jobs()?;
    database.migrate()?;
    if let Some(now) = disarmed_at {
        database.write(|tx| {
            disarm(tx, &CALLING_JOBS, now)?;
            broadcast_message::insert(tx, &banner(now)).map(drop)
        })?;
    }
    progress.end();
    Ok(())
}

/// The jobs that call other servers or send mail.
pub const CALLING_JOBS: [&str; 16] = [
    "announce_failing_hook",
    "announce_waiting_accounts",
    "deliver_to_hook",
    "import_project",
    "notify_members",
    "notify_of_event",
    "retry_delivery",
    "send_account_mail",
    "send_confirmation",
    "send_download_alert",
    "send_failing_hook",
    "send_invitation",
    "send_notification",
    "send_password_reset",
    "send_service_mail",
    "update_mirror",
];

/// The message on top of each page of a copy.
fn banner(now: Timestamp) -> BroadcastMessage {
    BroadcastMessage {
        id: BroadcastMessageId::new(0),
        message: "This is a copy of a server: it sends no mail, calls no hooks and follows no mirrors.".to_owned(),
        starts_at: now,
        ends_at: now + TimeDelta::days(36_500),
        color: BroadcastMessage::COLOR.to_owned(),
        font: BroadcastMessage::FONT.to_owned(),
        target_access_levels: Vec::new(),
        target_path: String::new(),
        kind: BroadcastType::Banner,
        dismissable: false,
        theme: "indigo".to_owned(),
        updated_at: now,
    }
}

/// Gives the draft the name of the data folder.
fn finish(draft: &Path, data_dir: &Path) -> Result<(), BackupError> {
    let moved = || {
        fs::remove_file(draft.join(LOCK))?;
        fs::remove_file(draft.join(JOURNAL))?;
        // Replaces nothing but an empty folder.
        fs::rename(draft, data_dir)?;
        match data_dir.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            Some(parent) => File::open(parent)?.sync_all(),
            None => Ok(()),
        }
    };
    moved().map_err(BackupError::at(data_dir))
}
