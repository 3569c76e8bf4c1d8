//! `tenon restore`.

use std::path::PathBuf;
use std::process::ExitCode;

use chrono::{DateTime, Utc};
use clap::{Args, ValueEnum};
use tenon_app::{Clock as _, SystemClock};
use tenon_backup::{Folder, Place, Refs, find};

use super::bar::Bar;
use super::{KeyFile, contents};
use crate::config::Config;
use crate::report::FINDINGS;
use crate::terminal::{note, say};

/// `tenon restore`.
#[derive(Args)]
pub(crate) struct Restore {
    /// Folder of backups
    #[arg(long, value_name = "FOLDER")]
    from: PathBuf,
    #[command(flatten)]
    key: KeyFile,
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
    /// Which branches and tags repositories get, where a push has moved them while the backup was made
    #[arg(long, value_enum, default_value_t = RefsOf::Repository)]
    refs: RefsOf,
    /// Leave out repositories and uploads that are damaged in the backup, and name them. Exit code 2
    #[arg(long)]
    skip_damaged: bool,
}

/// The choice of `--refs`.
#[derive(Clone, Copy, ValueEnum)]
enum RefsOf {
    /// Those of the repository, which may be some seconds newer than the database
    Repository,
    /// Those that the database has: nothing is newer than the moment of the backup
    Database,
}

/// `tenon restore`.
pub(crate) fn restore(wish: &Restore, config: &Config) -> anyhow::Result<ExitCode> {
    let folder = Folder::open(&wish.from, wish.key.read(&wish.from, config)?)?;
    let manifest = find(&folder, wish.backup.as_deref(), wish.at)?;
    let place = Place {
        data_dir: &config.data_dir,
        database_url: &config.database_url,
        limits: &config.limits,
        disarmed_at: wish.disarm.then(|| SystemClock.now()),
        refs: match wish.refs {
            RefsOf::Repository => Refs::Repository,
            RefsOf::Database => Refs::Database,
        },
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
