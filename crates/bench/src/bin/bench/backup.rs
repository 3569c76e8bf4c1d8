//! `cargo xtask bench-backup`: measures backups and restores.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use tenon_bench::backup::{self, Plan};
use tenon_bench::seed::Size;
use tenon_bench::{machine, process};

use crate::measured::{Measured, bar};

/// Measure backups and restores beside `tar`.
///
/// A release server gets data and repositories, whose files cannot be compressed. Then `tar` copies its folder, and
/// `tenon backup create` makes a full backup, a full one while the server is read from, and an incremental one after a
/// change of one in a hundred issues and repositories. The last is restored into both databases. Use the machine for nothing else
/// during the run. Three times the bytes of the repositories must be free on the disk of the temporary folder.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The rows of the database
    #[arg(long, value_enum, default_value_t = Size::Team)]
    size: Size,
    /// Number of repositories
    #[arg(long, default_value_t = 1_000)]
    repositories: usize,
    /// MiB of each repository
    #[arg(long, default_value_t = 5)]
    mebibytes: usize,
    #[command(flatten)]
    measured: Measured,
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    let Arguments { size, repositories, mebibytes, measured } = arguments;
    measured.build()?;
    let program = process::beside("tenon")?;
    let mut text = machine::describe() + "\n";
    for kind in measured.kinds() {
        let plan = Plan { program: program.clone(), kind, size, repositories, mebibytes };
        let figures = backup::run(&plan, &bar(kind)?)?;
        text += &format!("\n{}, {}:\n\n{}", kind.as_str(), figures.describe(), figures.table());
    }
    measured.show(&text)?;
    Ok(ExitCode::SUCCESS)
}
