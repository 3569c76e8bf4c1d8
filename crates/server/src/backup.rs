//! `tenon backup` and `tenon restore`.

use std::cell::RefCell;
use std::io::IsTerminal as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use sha2::{Digest, Sha256};
use tenon_app::repository::{Depth, Mending};
use tenon_app::{Clock, Database, DatabaseUrl, Objects, Options, SshAddress, SystemClock, doctor};
use tenon_backup::{
    BackupError, Folder, KEY_FILES, Keep, Listing, Manifest, Place, Progress, Source, Step, Summary, create, find,
    list, mark_verified, prune, verify_parts,
};

use crate::config::Config;
use crate::open;
use crate::terminal::{note, say};

/// The code of a command that is done, with findings.
const FINDINGS: u8 = 2;
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
    List(At),
    /// Restore a backup into a scratch folder, check what came out, and remove it
    Verify(Verify),
    /// Remove old backups, and the files that only they needed
    Prune(Prune),
}

#[derive(Args)]
pub(crate) struct At {
    /// Folder of backups
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
}

#[derive(Args)]
pub(crate) struct Create {
    #[command(flatten)]
    place: At,
    /// Pack every repository wholly, instead of what is new
    #[arg(long)]
    full: bool,
    /// Also put the keys of the server into the backup, in clear. Whoever reads the backup can then read all secrets, and pass
    /// for the server in SSH
    #[arg(long)]
    with_key: bool,
    /// Show no progress
    #[arg(long)]
    quiet: bool,
}

#[derive(Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    place: At,
    /// Name of the backup [default: the newest one]
    #[arg(long, value_name = "ID")]
    backup: Option<String>,
    /// Only check that all files are there and have their sizes
    #[arg(long)]
    quick: bool,
    /// Folder for the scratch restore, which needs room for a whole server [default: that of temporary files]
    #[arg(long, value_name = "FOLDER")]
    scratch: Option<PathBuf>,
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
}

/// `tenon restore`.
#[derive(Args)]
pub(crate) struct Restore {
    /// Folder of backups
    #[arg(long, value_name = "FOLDER")]
    from: PathBuf,
    /// Name of the backup [default: the newest one]
    #[arg(long, value_name = "ID", conflicts_with = "at")]
    backup: Option<String>,
    /// The newest backup that is not after this moment, such as `2026-11-30T12:00:00Z`
    #[arg(long, value_name = "TIME")]
    at: Option<DateTime<Utc>>,
    /// For a copy, such as one to try an upgrade with: disable hooks, mirrors and integrations, drop waiting mails, and say so on top
    /// of each page
    #[arg(long)]
    disarm: bool,
    /// Leave out repositories and uploads that are damaged in the backup, and name them. Exit code 2
    #[arg(long)]
    skip_damaged: bool,
}

/// Runs one command.
pub(crate) fn run(command: &Command, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        Command::Create(wish) => make(wish, config),
        Command::List(place) => show(place),
        Command::Verify(wish) => verify(wish, config),
        Command::Prune(wish) => remove(wish),
    }
}

fn make(wish: &Create, config: &Config) -> anyhow::Result<ExitCode> {
    let key = config.data_dir.join("secret.key");
    let instance = instance(&key)?;
    check_account(&config.data_dir)?;
    let url = &config.database_url;
    if let DatabaseUrl::Sqlite(path) = url
        && !path.exists()
    {
        let text = format!("{url} is not there: name the database of the server (--database-url or --config)");
        return Err(BackupError::Refused(text).into());
    }
    let folder = Folder::open_to_write(&wish.place.to, &instance, &config.data_dir)?;
    let database = Database::open(Options { spare: 0, ..Options::new(url.clone()) })
        .with_context(|| format!("{url} cannot be opened"))?;
    let source = Source {
        database: &database,
        database_url: url,
        limits: &config.limits,
        objects: &Objects::in_folder(&config.data_dir.join("objects"))?,
        data_dir: &config.data_dir,
        keys: if wish.with_key { &KEY_FILES } else { &[] },
        clock: Arc::new(SystemClock),
        grace: GRACE,
        full: wish.full,
    };
    let manifest = create(&source, &folder, &Bar::new(wish.quiet))?;
    let Manifest { id, findings, .. } = &manifest;
    for finding in findings {
        note(&format!("!!  {finding}"));
    }
    say(&format!(
        "Backup {id}: {}, {} written, {:.1} s.",
        contents(&manifest),
        bytes(manifest.written),
        manifest.seconds
    ));
    if !manifest.has_key() {
        say(&format!(
            "Not in it: {}, without which no secret of the database can be read. Keep a copy of it apart.",
            key.display()
        ));
    }
    Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) })
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

fn show(place: &At) -> anyhow::Result<ExitCode> {
    let Listing { backups: all, unreadable } = list(&Folder::open(&place.to)?)?;
    for error in &unreadable {
        note(&format!("!!  {error}"));
    }
    if all.is_empty() {
        note(&format!("No backups in {}.", place.to.display()));
        return Ok(ExitCode::SUCCESS);
    }
    say(&format!(
        "{:<26} {:<20} {:>10} {:>10} {:>10} {:>9}  verified",
        "backup", "time (UTC)", "size", "written", "rows", "projects"
    ));
    for Summary { manifest, bytes: size, verified_at } in all {
        let verified = verified_at.map_or_else(|| "never".to_owned(), |at| at.format("%F %T").to_string());
        say(&format!(
            "{:<26} {:<20} {:>10} {:>10} {:>10} {:>9}  {verified}",
            manifest.id,
            manifest.created_at.format("%F %T"),
            bytes(size),
            bytes(manifest.written),
            manifest.row_count(),
            manifest.repository_count(),
        ));
    }
    Ok(if unreadable.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) })
}

fn verify(wish: &Verify, config: &Config) -> anyhow::Result<ExitCode> {
    let folder = Folder::open(&wish.place.to)?;
    let manifest = find(&folder, wish.backup.as_deref(), None)?;
    let bar = Bar::new(false);
    let checked = verify_parts(&folder, &manifest, wish.quick, &bar)?;
    let id = &manifest.id;
    if wish.quick {
        say(&format!("Backup {id}: all {} files are there, {}.", checked.parts, bytes(checked.bytes)));
        return Ok(ExitCode::SUCCESS);
    }
    let scratch = match &wish.scratch {
        Some(folder) => tempfile::Builder::new().prefix("tenon-verify-").tempdir_in(folder),
        None => tempfile::Builder::new().prefix("tenon-verify-").tempdir(),
    };
    let scratch = scratch.context("no folder for the scratch restore can be made")?;
    let data_dir = scratch.path().join("data");
    let database_url = DatabaseUrl::Sqlite(data_dir.join("tenon.db"));
    let begun = SystemClock.elapsed();
    let place = Place {
        data_dir: &data_dir,
        database_url: &database_url,
        limits: &config.limits,
        disarmed_at: Some(SystemClock.now()),
        skips_damaged: false,
    };
    tenon_backup::restore(&folder, &manifest, &place, &bar)?;
    let seconds = SystemClock.elapsed().saturating_sub(begun).as_secs_f64();

    let copy = Config { data_dir, database_url, mail: None, ..config.clone() };
    let app = open::open(&copy, "http://localhost", SshAddress::default())?;
    let mut findings = Vec::new();
    // The refs are a little newer than the rows: the start of a server brings these to them, and so does this.
    for finding in doctor(&app, Mending::Repair, Depth::Connectivity)? {
        // Without the key of the server a new one was made. Jobs that have failed did so at the server.
        let is_expected = (finding.subject == "secret key" && !manifest.has_key()) || finding.subject == "job queue";
        if !finding.healthy && !is_expected {
            findings.push(format!("{}: {}", finding.subject, finding.text));
        }
    }
    for finding in manifest.findings.iter().chain(&findings) {
        note(&format!("!!  {finding}"));
    }
    if !findings.is_empty() {
        say(&format!("Backup {id} can be restored, with findings: {}.", findings.len()));
        return Ok(ExitCode::from(FINDINGS));
    }
    if let Err(error) = mark_verified(&folder, &manifest, SystemClock.now()) {
        note(&format!("that it was verified cannot be noted: {error}"));
    }
    say(&format!(
        "Backup {id} was restored and checked: {}, every row as it was, every ref whole. A restore takes about {seconds:.0} s here.",
        contents(&manifest)
    ));
    Ok(if manifest.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) })
}

fn remove(wish: &Prune) -> anyhow::Result<ExitCode> {
    let keep =
        Keep { hourly: wish.keep_hourly, daily: wish.keep_daily, weekly: wish.keep_weekly, monthly: wish.keep_monthly };
    let pruned = prune(&Folder::open(&wish.place.to)?, keep, wish.dry_run, SystemClock.now().into())?;
    let (done, would) = if wish.dry_run { ("Would remove", "Would keep") } else { ("Removed", "Kept") };
    for id in &pruned.backups {
        say(&format!("{done} {id}"));
    }
    say(&format!(
        "{would} backups: {}. {done} backups: {}, files: {} ({}).",
        pruned.kept,
        pruned.backups.len(),
        pruned.files,
        bytes(pruned.bytes)
    ));
    Ok(ExitCode::SUCCESS)
}

/// `tenon restore`.
pub(crate) fn restore(wish: &Restore, config: &Config) -> anyhow::Result<ExitCode> {
    let folder = Folder::open(&wish.from)?;
    let manifest = find(&folder, wish.backup.as_deref(), wish.at)?;
    let place = Place {
        data_dir: &config.data_dir,
        database_url: &config.database_url,
        limits: &config.limits,
        disarmed_at: wish.disarm.then(|| SystemClock.now()),
        skips_damaged: wish.skip_damaged,
    };
    let left_out = tenon_backup::restore(&folder, &manifest, &place, &Bar::new(false))?;
    let data_dir = config.data_dir.display();
    say(&format!(
        "Restored {} of {} into {data_dir} and {}: {}.",
        manifest.id,
        manifest.created_at.format("%F %T UTC"),
        config.database_url,
        contents(&manifest)
    ));
    say(
        "Everybody has to sign in again. Tokens, keys and members that were removed after that moment are back: look them over.",
    );
    if !manifest.has_key() {
        say(&format!("Now put the secret.key of the old server into {data_dir}, before the server is started."));
    }
    for fault in &left_out {
        note(&format!("!!  left out: {fault}"));
    }
    Ok(if left_out.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) })
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

/// A bar for each step, on a terminal.
struct Bar {
    is_shown: bool,
    bar: RefCell<ProgressBar>,
}

impl Bar {
    fn new(quiet: bool) -> Self {
        Self { is_shown: !quiet && std::io::stderr().is_terminal(), bar: RefCell::new(ProgressBar::hidden()) }
    }
}

impl Progress for Bar {
    fn begin(&self, step: Step, total: usize) {
        if !self.is_shown {
            return;
        }
        let (bar, form) = match total {
            0 => (ProgressBar::new_spinner(), "{msg:14} {pos} {per_sec} {elapsed}"),
            _ => (
                ProgressBar::new(u64::try_from(total).unwrap_or(u64::MAX)),
                "{msg:14} [{bar:30}] {pos}/{len} {per_sec} {eta} left",
            ),
        };
        if let Ok(style) = ProgressStyle::with_template(form) {
            bar.set_style(style);
        }
        bar.set_message(match step {
            Step::Rows => "rows",
            Step::Files => "uploads",
            Step::Repositories => "repositories",
            Step::Parts => "files",
            Step::Comparison => "comparing",
        });
        self.bar.replace(bar);
    }

    fn advance(&self, pieces: usize) {
        self.bar.borrow().inc(u64::try_from(pieces).unwrap_or(u64::MAX));
    }

    fn end(&self) {
        self.bar.borrow().finish_and_clear();
    }
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
