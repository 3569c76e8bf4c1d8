//! Making a data folder and a database of a backup.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use tenon_app::repository::Repositories;
use tenon_app::{Database, DatabaseUrl, Limits, Objects, Options, Serving, ServingRight};
use tenon_domain::broadcast_message::BroadcastMessage;
use tenon_domain::id::ProjectId;
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_git::{Oid, RefName, RepositoryKind};
use tenon_storage::backup::{Snapshot, disarm};
use tenon_storage::broadcast_message;
use tenon_storage::repository::stored_refs;

use crate::error::{BackupError, chain};
use crate::folder::Folder;
use crate::journal::{self, Journal};
use crate::manifest::{Manifest, PackedRepository, StoredFile};
use crate::progress::{Progress, Step};
use crate::{parallel, refs, rows};

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
    /// The branches and tags that repositories get.
    pub refs: Refs,
    /// Repositories and files that are damaged are left out and named, instead of refusing the whole.
    pub skips_damaged: bool,
}

/// Which branches and tags a restored repository gets, where those of the repository were newer than its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refs {
    /// Those of the repository. The start of the server brings the rows to them.
    Repository,
    /// Those of the rows: nothing is newer than the moment of the backup. A branch whose commit is not in the backup stays as it is.
    Database,
}

/// The end of the name of a folder in which a restore works until it is finished.
const DRAFT: &str = ".restoring";
/// The folder in that one for packs in clear, which Git reads.
const CLEAR: &str = "restore.packs";

/// Restores a backup. The data folder appears when everything is in it; until then the work is in a folder beside it. After a crash
/// or a failure the same command goes on there. Yields the repositories and files that were left out, with the reasons.
///
/// # Errors
/// Refused if the data folder or the database is not empty, if a server uses the database, and if the backup needs a newer version of
/// the program. Fails if something of the backup is missing or damaged: then nothing is restored.
pub fn restore(
    folder: &Folder,
    manifest: &Manifest,
    place: &Place<'_>,
    progress: &dyn Progress,
) -> Result<Vec<String>, BackupError> {
    let data_dir = std::path::absolute(place.data_dir).map_err(BackupError::at(place.data_dir))?;
    let draft = draft_of(&data_dir)?;
    let url = url_in(place.database_url, &data_dir, &draft)?;
    let journal = Journal::new(folder, manifest, &url);
    if let Some(left_out) = journal::finish_last(&data_dir, &journal)? {
        return Ok(left_out);
    }
    check_target(&data_dir)?;
    let mut journal = journal::begin(&draft, &data_dir, journal)?;
    let _lock = journal::lock(&draft)?;
    journal::clear_drafts_of_journal(&draft)?;
    if let DatabaseUrl::Sqlite(path) = &url
        && let Some(parent) = path.parent()
    {
        fs::create_dir_all(parent).map_err(BackupError::at(parent))?;
    }
    let database = Database::open(Options { spare: 0, ..Options::new(url.clone()) })?;
    if database.unknown_migration(&manifest.migrations)?.is_some() {
        let text = format!("{} was made by tenon {}: use that version, or a newer one", manifest.id, manifest.program);
        return Err(BackupError::Refused(text));
    }
    if !journal.is_loading && !database.backup_tables()?.is_empty() {
        let text = format!("{} is not empty: name a database without tables", place.database_url);
        return Err(BackupError::Refused(text));
    }
    let _right = match ServingRight::take(&url, "tenon restore")? {
        Serving::Granted(right) => right,
        Serving::Taken(other) => {
            let text = format!("{} is served by another server ({other}): name an empty one", place.database_url);
            return Err(BackupError::Refused(text));
        }
    };

    let mut faults = Vec::new();
    let repositories = Repositories::in_folder(&draft, None, place.limits).map_err(BackupError::Engine)?;
    let scratch = draft.join(CLEAR);
    fs::create_dir_all(&scratch).map_err(BackupError::at(&scratch))?;
    progress.begin(Step::Repositories, manifest.repositories.len());
    let restored = |packed: &PackedRepository| {
        let restored = restore_repository(folder, packed, &repositories, &scratch);
        fault(place, || format!("repository of {}", packed.name()), restored)
    };
    let found = parallel::each(&manifest.repositories, parallel::threads(), restored, &mut || {
        progress.advance(1);
        Ok(())
    })?;
    faults.extend(found.into_iter().flatten());
    progress.end();
    fs::remove_dir_all(&scratch).map_err(BackupError::at(&scratch))?;
    restore_files(folder, manifest, (place, &draft), &mut faults, progress)?;
    restore_keys(folder, manifest, &draft)?;

    if !journal.is_loaded {
        journal.is_loading = true;
        journal.write(&draft)?;
        load(folder, manifest, (&database, &url), progress)?;
        journal.is_loaded = true;
        journal.write(&draft)?;
    }
    if place.refs == Refs::Database {
        set_refs(&database, manifest, &repositories)?;
    }
    finish_load(&database, place.disarmed_at)?;
    drop(database);
    if place.disarmed_at.is_some() {
        let mark = draft.join(COPY_FILE);
        fs::write(&mark, COPY_TEXT).map_err(BackupError::at(&mark))?;
    }
    if !faults.is_empty() {
        journal.left_out.clone_from(&faults);
        journal.write(&draft)?;
    }
    finish(&draft, &data_dir)?;
    Ok(faults)
}

/// Why a repository or file could not be restored, if damaged ones are left out. Otherwise that is a failure.
fn fault(
    place: &Place<'_>,
    what: impl Fn() -> String,
    restored: Result<(), BackupError>,
) -> Result<Option<String>, BackupError> {
    match restored {
        Err(error @ (BackupError::Damaged { .. } | BackupError::Git { .. })) if place.skips_damaged => {
            Ok(Some(format!("{}: {}", what(), chain(&error))))
        }
        other => other.map(|()| None),
    }
}

/// The folder in which the restore into `data_dir` works.
fn draft_of(data_dir: &Path) -> Result<PathBuf, BackupError> {
    let (Some(parent), Some(name)) = (data_dir.parent(), data_dir.file_name()) else {
        return Err(BackupError::Refused(format!("{} is no data folder", data_dir.display())));
    };
    let mut name = name.to_owned();
    name.push(DRAFT);
    Ok(parent.join(name))
}

/// Refuses a data folder that is not empty, or that a draft beside it cannot become.
fn check_target(data_dir: &Path) -> Result<(), BackupError> {
    let refused = |why: &str| Err(BackupError::Refused(format!("{} {why}", data_dir.display())));
    if data_dir.is_symlink() {
        return refused("is a link: name the folder it leads to");
    }
    match fs::read_dir(data_dir) {
        Ok(mut entries) => {
            if entries.next().is_some() {
                return refused("is not empty: name a folder that is empty or not there");
            }
            let device = |folder: &Path| fs::metadata(folder).map(|found| found.dev()).map_err(BackupError::at(folder));
            if device(data_dir)? != device(data_dir.parent().unwrap_or(data_dir))? {
                return refused("is a file system of its own, and the work is done beside it: name a folder in it");
            }
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(BackupError::at(data_dir)(error)),
    }
}

/// The database while the restore works: one in the data folder is in the draft of that.
fn url_in(url: &DatabaseUrl, data_dir: &Path, draft: &Path) -> Result<DatabaseUrl, BackupError> {
    let DatabaseUrl::Sqlite(path) = url else { return Ok(url.clone()) };
    let path = std::path::absolute(path).map_err(BackupError::at(path))?;
    Ok(DatabaseUrl::Sqlite(
        path.strip_prefix(data_dir).map_or_else(|_outside| path.clone(), |inside| draft.join(inside)),
    ))
}

fn restore_repository(
    folder: &Folder,
    packed: &PackedRepository,
    repositories: &Repositories,
    scratch: &Path,
) -> Result<(), BackupError> {
    let repository = repositories.store.find(ProjectId::new(packed.project), packed.kind());
    if repository.exists() {
        return Ok(());
    }
    let (list, _) = refs::read(folder, &packed.refs)?;
    let mut packs = Vec::new();
    for pack in &packed.packs {
        packs.push(folder.clear_file(pack, scratch)?);
    }
    let failed = |source| BackupError::Git { project: packed.project, source };
    repositories.store.restore(&repository, &list, &packs).map_err(failed)
}

/// Sets the branches and tags of all repositories to those of the rows.
fn set_refs(database: &Database, manifest: &Manifest, repositories: &Repositories) -> Result<(), BackupError> {
    for packed in manifest.repositories.iter().filter(|packed| packed.kind() == RepositoryKind::Code) {
        let project = ProjectId::new(packed.project);
        let repository = repositories.store.find(project, RepositoryKind::Code);
        if !repository.exists() {
            continue;
        }
        let failed = |source| BackupError::Git { project: packed.project, source };
        let rows = database.read(|tx| stored_refs(tx, project))?;
        let rows = rows.into_iter().filter_map(|row| Some((RefName::parse(&row.name).ok()?, row.oid.parse().ok()?)));
        let rows: BTreeMap<RefName, Oid> = rows.collect();
        let oids: Vec<Oid> = rows.values().copied().collect();
        let present: BTreeSet<Oid> = repository.present_of(&oids).map_err(failed)?.into_iter().collect();
        let mut refs = repository.ref_list().map_err(failed)?.refs;
        refs.retain(|name, _| rows.contains_key(name) || !is_stored(name));
        refs.extend(rows.into_iter().filter(|(_, oid)| present.contains(oid)));
        repository.replace_refs(&refs).map_err(failed)?;
    }
    Ok(())
}

/// True of refs that the rows have as well: branches and tags.
fn is_stored(name: &RefName) -> bool {
    ["refs/heads/", "refs/tags/"].iter().any(|folder| name.as_str().starts_with(folder))
}

fn restore_files(
    folder: &Folder,
    manifest: &Manifest,
    (place, draft): (&Place<'_>, &Path),
    faults: &mut Vec<String>,
    progress: &dyn Progress,
) -> Result<(), BackupError> {
    let objects = Objects::in_folder(&draft.join("objects")).map_err(BackupError::Objects)?;
    progress.begin(Step::Files, manifest.files.len());
    for file in &manifest.files {
        let restored = objects.begin().map_err(BackupError::Objects).and_then(|mut unfinished| {
            folder.copy(&file.part, &mut unfinished)?;
            objects.keep(unfinished, &file.key).map_err(BackupError::Objects)
        });
        faults.extend(fault(place, || format!("file {}", file.key), restored)?);
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
        let text = folder.read(part)?;
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

/// Loads the rows and compares them with the manifest.
fn load(
    folder: &Folder,
    manifest: &Manifest,
    (database, url): (&Database, &DatabaseUrl),
    progress: &dyn Progress,
) -> Result<(), BackupError> {
    for part in std::iter::once(&manifest.rows).chain(&manifest.changed_rows) {
        folder.check(part)?;
    }
    database.migrate_to(&manifest.migrations)?;
    let count = usize::try_from(manifest.row_count()).unwrap_or(0);
    progress.begin(Step::Rows, count);
    let changes = manifest.changed_rows.as_ref().map(|part| folder.unpacked(part)).transpose()?;
    let mut reader =
        rows::Reader::new(folder.unpacked(&manifest.rows)?, changes, &database.backup_tables()?, progress)?;
    database.load_rows(&mut || reader.next())?;
    progress.end();
    progress.begin(Step::Comparison, count);
    let loaded = rows::sums(&mut Snapshot::of_idle(url)?, progress)?;
    progress.end();
    let differs = manifest.tables.iter().find(|table| !loaded.contains(table));
    differs.map_or(Ok(()), |table| {
        let why = format!("the rows of {} are not those of the manifest", table.name);
        Err(BackupError::damaged(&manifest.rows.path, why))
    })
}

/// Makes the rows those of a server of this version that starts.
fn finish_load(database: &Database, disarmed_at: Option<Timestamp>) -> Result<(), BackupError> {
    database.migrate()?;
    database.finish_load()?;
    if let Some(now) = disarmed_at {
        database.write(|tx| {
            disarm(tx, &CALLING_JOBS, now)?;
            broadcast_message::insert(tx, &BroadcastMessage::banner(COPY, now, SHOWN_FOR)).map(drop)
        })?;
    }
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

/// The file in the data folder of a copy: while it is there, no backups are made of it, as they would be taken for those of the server.
const COPY_FILE: &str = "copy";
const COPY_TEXT: &str = "This data folder is a copy of a server. Remove this file to make backups of it.\n";

/// True if a data folder is a copy that was made to try something.
#[must_use]
pub fn is_copy(data_dir: &Path) -> bool {
    data_dir.join(COPY_FILE).exists()
}

/// The message on top of each page of a copy, and how long it is shown.
const COPY: &str = "This is a copy of a server: its hooks, mirrors and integrations are switched off.";
const SHOWN_FOR: TimeDelta = TimeDelta::days(36_500);

/// Gives the draft the name of the data folder.
fn finish(draft: &Path, data_dir: &Path) -> Result<(), BackupError> {
    // Replaces nothing but an empty folder.
    fs::rename(draft, data_dir).map_err(BackupError::at(data_dir))?;
    journal::clear_journal(data_dir)
}
