//! `tenon backup verify`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use tenon_app::repository::{Depth, Mending};
use tenon_app::{Clock as _, DatabaseUrl, SshAddress, SystemClock, doctor};
use tenon_backup::{Place, Refs, find, mark_verified, verify_parts};

use super::bar::Bar;
use super::{At, bytes, contents};
use crate::config::Config;
use crate::open;
use crate::report::{Output, Report};
use crate::terminal::note;

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
    #[command(flatten)]
    output: Output,
}

/// Restores a backup into a scratch folder and looks at what came out.
pub(super) fn verify(wish: &Verify, config: &Config) -> anyhow::Result<ExitCode> {
    wish.output.begin();
    let folder = wish.place.open(config)?;
    let manifest = find(&folder, wish.backup.as_deref(), None)?;
    let bar = Bar::new(wish.output.json);
    let checked = verify_parts(&folder, &manifest, wish.quick, &bar)?;
    let id = &manifest.id;
    if wish.quick {
        let summary = format!("Backup {id}: all {} files are there, {}.", checked.parts, bytes(checked.bytes));
        return Report { summary, backup: Some(id.clone()), ..Report::default() }.print(wish.output);
    }
    let folder_of_scratch = wish.scratch.clone().unwrap_or_else(std::env::temp_dir);
    clear_left(&folder_of_scratch);
    let scratch = tempfile::Builder::new().prefix(SCRATCH).tempdir_in(&folder_of_scratch);
    let scratch = scratch.context("no folder for the scratch restore can be made")?;
    let lock = File::create(scratch.path().join(LOCK)).context("the scratch folder cannot be written")?;
    lock.lock().context("the scratch folder cannot be locked")?;
    let data_dir = scratch.path().join("data");
    let database_url = DatabaseUrl::Sqlite(data_dir.join("tenon.db"));
    let begun = SystemClock.elapsed();
    let place = Place {
        data_dir: &data_dir,
        database_url: &database_url,
        limits: &config.limits,
        disarmed_at: Some(SystemClock.now()),
        refs: Refs::Repository,
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
    let size = Some(manifest.size());
    if !findings.is_empty() {
        let summary = format!("Backup {id} can be restored, with findings: {}.", findings.len());
        findings.extend(manifest.findings);
        return Report { summary, findings, backup: Some(manifest.id), size, written: None }.print(wish.output);
    }
    if let Err(error) = mark_verified(&folder, &manifest, SystemClock.now()) {
        note(&format!("that it was verified cannot be noted: {error}"));
    }
    let summary = format!(
        "Backup {id} was restored and checked: {}, every row as it was, every ref whole. A restore takes about {seconds:.0} s here.",
        contents(&manifest)
    );
    Report { summary, findings: manifest.findings, backup: Some(manifest.id), size, written: None }.print(wish.output)
}

/// The beginning of the name of a scratch folder, and the file in it that is locked while it is used.
const SCRATCH: &str = "tenon-verify-";
const LOCK: &str = "lock";

/// Removes the scratch folders of verifications that were killed.
fn clear_left(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_name().as_encoded_bytes().starts_with(SCRATCH.as_bytes()) {
            continue;
        }
        let is_left = File::open(entry.path().join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok());
        if is_left && let Err(error) = std::fs::remove_dir_all(entry.path()) {
            note(&format!(
                "{} is left of an earlier verification and cannot be removed: {error}",
                entry.path().display()
            ));
        }
    }
}
