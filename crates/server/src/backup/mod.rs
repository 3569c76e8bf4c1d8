//! `tenon backup` and `tenon restore`.

mod bar;
mod restore;
mod verify;

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use sha2::{Digest, Sha256};
use tenon_app::{Clock as _, Database, DatabaseUrl, Objects, Options, SystemClock};
use tenon_backup::{
    BackupError, BackupKey, Folder, KEY_FILES, Keep, Listing, Manifest, Source, Summary, create, is_copy, list, prune,
    threads,
};

use crate::config::Config;
use crate::report::{FINDINGS, Output, Report};
use crate::terminal::{note, say};

use bar::Bar;
pub(crate) use restore::{Restore, restore};
use verify::{Verify, verify};

/// How long removals that had begun before the backup are given to end.
const GRACE: Duration = Duration::from_secs(2);

/// The commands for backups.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make a backup of the running server, or of one that is stopped
    ///
    /// The first backup in a folder has everything; a later one adds what is new. Exit code 0: done; 1: failed; 2: done,
    /// but something at the source is damaged; 3: refused.
    Create(Create),
    /// List the backups of a folder, oldest first
    List(List),
    /// Restore a backup into a scratch folder, check what came out, and remove it
    Verify(Verify),
    /// Remove old backups, and the files that only they needed
    Prune(Prune),
    /// Make a key by which backups are encrypted
    ///
    /// Name the file with --key-file, or as `key_file` in `[backup]` of tenon.toml. The backups cannot be read without it, and it is
    /// in none of them: keep a copy in another place, on paper or in a safe.
    Keygen(Keygen),
}

#[derive(Args)]
pub(crate) struct At {
    /// Folder of backups [default: that of `[backup]` in tenon.toml]
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
    #[command(flatten)]
    key: KeyFile,
}

/// The key of encrypted backups.
#[derive(Args)]
pub(crate) struct KeyFile {
    /// File with the key of encrypted backups, made by `tenon backup keygen` [default: that of `[backup]` in tenon.toml]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl KeyFile {
    /// The key of the backups in `folder`; `None` if neither the command nor the configuration names one for it.
    fn read(&self, folder: &Path, config: &Config) -> Result<Option<BackupKey>, BackupError> {
        let configured = config.backups.as_ref().filter(|backups| backups.plan.folder == folder);
        let configured = configured.and_then(|backups| backups.key_file.as_deref());
        self.key_file.as_deref().or(configured).map(BackupKey::read).transpose()
    }
}

impl At {
    /// The folder, opened to be read.
    fn open(&self, config: &Config) -> Result<Folder, BackupError> {
        let folder = self.folder(config)?;
        Folder::open(folder, self.key.read(folder, config)?)
    }

    /// The folder. Refused if neither the command nor the configuration names one.
    fn folder<'a>(&'a self, config: &'a Config) -> Result<&'a Path, BackupError> {
        let configured = config.backups.as_ref().map(|backups| backups.plan.folder.as_path());
        self.to.as_deref().or(configured).ok_or_else(|| {
            BackupError::Refused("name the folder of backups: --to FOLDER, or [backup] of tenon.toml".to_owned())
        })
    }
}

#[derive(Args)]
pub(crate) struct Create {
    #[command(flatten)]
    place: At,
    /// Write all rows and pack every repository wholly, instead of what is new
    #[arg(long)]
    full: bool,
    /// Also put the keys of the server into a backup that is not encrypted. Whoever reads the backup can then read all secrets, and
    /// pass for the server in SSH. Encrypted backups always have them
    #[arg(long)]
    with_key: bool,
    /// Show no progress
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    output: Output,
}

#[derive(Args)]
pub(crate) struct List {
    #[command(flatten)]
    place: At,
    /// Print a line of JSON for each backup
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(crate) struct Prune {
    #[command(flatten)]
    place: At,
    /// Backups to keep, one of each hour
    #[arg(long, value_name = "NUMBER", default_value_t = 24)]
    keep_hourly: usize,
    /// Backups to keep, one of each day
    #[arg(long, value_name = "NUMBER", default_value_t = 7)]
    keep_daily: usize,
    /// Backups to keep, one of each week
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    keep_weekly: usize,
    /// Backups to keep, one of each month
    #[arg(long, value_name = "NUMBER", default_value_t = 12)]
    keep_monthly: usize,
    /// Only say what would be removed
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    output: Output,
}

#[derive(Args)]
pub(crate) struct Keygen {
    /// File to write, which must not be there
    file: PathBuf,
}

/// Runs one command.
pub(crate) fn run(command: &Command, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        Command::Create(wish) => make(wish, config),
        Command::List(wish) => show(wish, config),
        Command::Verify(wish) => verify(wish, config),
        Command::Prune(wish) => remove(wish, config),
        Command::Keygen(wish) => keygen(wish),
    }
}

fn make(wish: &Create, config: &Config) -> anyhow::Result<ExitCode> {
    wish.output.begin();
    let key = config.data_dir.join("secret.key");
    let instance = instance(&key)?;
    check_account(&config.data_dir)?;
    if is_copy(&config.data_dir) {
        let text = format!("{} is a copy of a server: remove the file `copy` in it first", config.data_dir.display());
        return Err(BackupError::Refused(text).into());
    }
    let url = &config.database_url;
    if let DatabaseUrl::Sqlite(path) = url
        && !path.exists()
    {
        let text = format!("{url} is not there: name the database of the server (--database-url or --config)");
        return Err(BackupError::Refused(text).into());
    }
    let folder = wish.place.folder(config)?;
    let folder = Folder::open_to_write(folder, &instance, &config.data_dir, wish.place.key.read(folder, config)?)?;
    let database = Database::open(Options { spare: 0, ..Options::new(url.clone()) })
        .with_context(|| format!("{url} cannot be opened"))?;
    let source = Source {
        database: &database,
        database_url: url,
        limits: &config.limits,
        objects: &Objects::in_folder(&config.data_dir.join("objects"))?,
        data_dir: &config.data_dir,
        keys: if wish.with_key || folder.is_sealed() { &KEY_FILES } else { &[] },
        clock: Arc::new(SystemClock),
        grace: GRACE,
        full: wish.full,
        // Beside callers, one processor is left for them.
        threads: if wish.output.low_priority { 1 } else { threads() },
    };
    let manifest = create(&source, &folder, &Bar::new(wish.quiet || wish.output.json))?;
    let (contents, written) = (contents(&manifest), bytes(manifest.written));
    let mut summary = format!("Backup {}: {contents}, {written} written, {:.1} s.", manifest.id, manifest.seconds);
    if !manifest.has_key() {
        summary += &format!(
            "\nNot in it: {}, without which no secret of the database can be read. Keep a copy of it apart.",
            key.display()
        );
    }
    let (size, written) = (Some(manifest.size()), Some(manifest.written));
    Report { summary, findings: manifest.findings, backup: Some(manifest.id), size, written }.print(wish.output)
}

/// Refuses to work as another account than the server, also as root: files that it made would be closed to the server.
fn check_account(data_dir: &Path) -> anyhow::Result<()> {
    let owner = std::fs::metadata(data_dir).with_context(|| data_dir.display().to_string())?.uid();
    if owner == rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    let text = format!("{} belongs to the account {owner}: run the command as that account", data_dir.display());
    Err(BackupError::Refused(text).into())
}

/// The name of a server, which follows from its key.
fn instance(key: &Path) -> anyhow::Result<String> {
    let text = std::fs::read(key).with_context(|| {
        format!("{} cannot be read: is --data-dir the data folder of a server that has run?", key.display())
    })?;
    let digest = Sha256::new().chain_update("tenon instance ").chain_update(text.trim_ascii()).finalize();
    Ok(hex::encode(digest).chars().take(16).collect())
}

fn show(wish: &List, config: &Config) -> anyhow::Result<ExitCode> {
    let Listing { backups: all, unreadable } = list(&wish.place.open(config)?)?;
    for error in &unreadable {
        note(&format!("!!  {error}"));
    }
    let code = if unreadable.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) };
    if wish.json {
        for backup in &all {
            say(&line(backup).to_string());
        }
        return Ok(code);
    }
    if all.is_empty() {
        note(&format!("No backups in {}.", wish.place.folder(config)?.display()));
        return Ok(code);
    }
    say(&format!(
        "{:<26} {:<20} {:>10} {:>10} {:>10} {:>12}  verified",
        "backup", "time (UTC)", "size", "written", "rows", "repositories"
    ));
    for Summary { manifest, bytes: size, verified_at } in all {
        let verified = verified_at.map_or_else(|| "never".to_owned(), |at| at.format("%F %T").to_string());
        say(&format!(
            "{:<26} {:<20} {:>10} {:>10} {:>10} {:>12}  {verified}",
            manifest.id,
            manifest.created_at.format("%F %T"),
            bytes(size),
            bytes(manifest.written),
            manifest.row_count(),
            manifest.repository_count(),
        ));
    }
    Ok(code)
}

/// A backup in a line of JSON.
fn line(Summary { manifest, bytes, verified_at }: &Summary) -> serde_json::Value {
    serde_json::json!({
        "backup": manifest.id,
        "created_at": manifest.created_at,
        "seconds": manifest.seconds,
        "size": bytes,
        "written": manifest.written,
        "rows": manifest.row_count(),
        "files": manifest.file_count(),
        "repositories": manifest.repository_count(),
        "findings": manifest.findings,
        "verified_at": verified_at,
    })
}

fn remove(wish: &Prune, config: &Config) -> anyhow::Result<ExitCode> {
    wish.output.begin();
    let keep =
        Keep { hourly: wish.keep_hourly, daily: wish.keep_daily, weekly: wish.keep_weekly, monthly: wish.keep_monthly };
    let pruned = prune(&wish.place.open(config)?, keep, wish.dry_run, SystemClock.now().into())?;
    let (done, would) = if wish.dry_run { ("Would remove", "Would keep") } else { ("Removed", "Kept") };
    if !wish.output.json {
        for id in &pruned.backups {
            say(&format!("{done} {id}"));
        }
    }
    let summary = format!(
        "{would} backups: {}. {done} backups: {}, files: {} ({}).",
        pruned.kept,
        pruned.backups.len(),
        pruned.files,
        bytes(pruned.bytes)
    );
    Report { summary, ..Report::default() }.print(wish.output)
}

fn keygen(wish: &Keygen) -> anyhow::Result<ExitCode> {
    BackupKey::generate(&wish.file)?;
    let file = wish.file.display();
    say(&format!("The key is in {file}. Keep a copy in another place: the backups cannot be read without it."));
    say(&format!(
        "Now: tenon backup create --to FOLDER --key-file {file}, or in tenon.toml: [backup] key_file = \"{file}\""
    ));
    Ok(ExitCode::SUCCESS)
}

/// The contents of a backup, in words.
fn contents(manifest: &Manifest) -> String {
    let (rows, files, repositories) = (manifest.row_count(), manifest.file_count(), manifest.repository_count());
    format!("{rows} rows, {files} uploads and pictures, {repositories} repositories")
}

/// A number of bytes that people can read.
fn bytes(count: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = units.into_iter().find(|(size, _)| count >= *size);
    unit.map_or_else(
        || format!("{count} B"),
        |(size, name)| format!("{}.{} {name}", count / size, count % size * 10 / size),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jobs_that_a_copy_leaves_out_are_jobs_of_the_server() {
        for kind in tenon_backup::CALLING_JOBS {
            assert!(tenon_app::job_kinds().any(|known| known == kind), "{kind}");
        }
    }

    #[test]
    fn bytes_are_shown_in_their_largest_unit() {
        assert_eq!([bytes(1023), bytes(1536), bytes(5 << 20)], ["1023 B", "1.5 KiB", "5.0 MiB"]);
    }
}
