//! `cargo xtask compare-repository`: compares the API's answers about a real repository with those of Git.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use tenon_bench::compare::{self, Plan};

/// Serve a local clone from a fresh server and compare the API with Git.
///
/// Requests over HTTP and Git commands read the same things: branches, tags, lists of commits, ranges, commits, diffs,
/// comparisons, trees, files, blames, archives and contributors. Prints each difference and the number of compared
/// answers. Fails if any answer differs. The clone is only read.
#[derive(Args)]
pub(crate) struct Arguments {
    /// A clone, with or without files beside it
    clone: PathBuf,
    /// Number of refs, commits and paths to compare, of each kind
    #[arg(long, default_value_t = 40)]
    samples: usize,
    /// Number of commits to compare in each list
    #[arg(long, default_value_t = 1000)]
    commits: usize,
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    let Arguments { clone, samples, commits } = arguments;
    let report = compare::run(&clone, Plan { samples, commits })?;
    println!("{report}");
    Ok(if report.differences() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
