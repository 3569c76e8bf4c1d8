//! `cargo xtask rehearse`: rehearses backups under writers and kills.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tenon_bench::process::beside;
use tenon_bench::rehearse::{self, Plan};
use tenon_bench::seed::Size;

/// Rehearse backups: write to a server without pause, make backups of it, kill both at random, and restore each backup.
///
/// Each round starts a server on a data folder of its own, on SQLite and PostgreSQL in turn. Five writers make issues, comments, projects,
/// uploads, pictures, pushes and merges, and note what was acknowledged. Concurrently a full backup and three incremental ones are
/// made. The server and the commands are ended as by `kill -9` at random moments, and run again. Then each backup is restored
/// into both databases. The restored server must have all that was acknowledged before the backup began, and nothing that
/// was not requested; `tenon admin doctor` must find nothing. Finally old backups are pruned, and the newest one is verified.
///
/// A fault is printed with its seed and round, and the files of the round are kept. PostgreSQL is left out if it is not installed.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of rounds; two take about two minutes on two processors
    #[arg(long, default_value_t = 2)]
    rounds: u32,
    /// Where random numbers begin: they choose the requests and the steps at which commands are killed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of commands (backups, restores and prunings) that are ended at steps in even distances, after the rounds
    #[arg(long, default_value_t = 50)]
    points: u64,
    /// The data of each server before it is written to. Large takes hours with the debug build
    #[arg(long, value_enum, default_value_t = Size::Small)]
    size: Size,
    /// As in CI: no data before, fewer writes, no kill points, and only the newest backup of each round is restored into both databases
    #[arg(long)]
    short: bool,
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    let Arguments { rounds, seed, points, size, short } = arguments;
    let points = if short { 0 } else { points };
    let writes = if short { 60 } else { 400 };
    let plan = Plan {
        program: beside("tenon")?,
        rounds,
        seed,
        data: (!short).then_some(size),
        writes,
        points,
        restores_all: !short,
    };
    let bar = ProgressBar::new_spinner().with_style(ProgressStyle::with_template("{spinner} {msg} {elapsed}")?);
    bar.enable_steady_tick(Duration::from_secs(1));
    rehearse::run(&plan, &bar, &|line| bar.suspend(|| println!("{line}")))?;
    bar.finish_and_clear();
    println!("All backups of {rounds} rounds have brought back what was acknowledged before them.");
    Ok(ExitCode::SUCCESS)
}
