//! `cargo xtask compare-repository`: whether the API answers about a real repository what Git says.

#![expect(clippy::print_stdout, reason = "its output is for the user of the command")]

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use tenon_bench::compare::{self, Plan};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Serve a local clone from a fresh server and compare the API with Git.
///
/// Branches, tags, lists of commits, ranges, commits, diffs, comparisons, trees, files, blames, archives and contributors are asked
/// for over HTTP and with Git. Prints each difference and how many answers were compared; fails where any differs. The clone is
/// only read.
#[derive(Parser)]
#[command(bin_name = "cargo xtask compare-repository", max_term_width = 100)]
struct Arguments {
    /// A clone, with or without files beside it
    clone: PathBuf,
    /// How many refs, commits and paths are compared of each kind
    #[arg(long, default_value_t = 40)]
    samples: usize,
    /// How many commits of each list
    #[arg(long, default_value_t = 1000)]
    commits: usize,
}

fn main() -> Result<ExitCode> {
    let Arguments { clone, samples, commits } = Arguments::parse();
    let report = compare::run(&clone, Plan { samples, commits })?;
    println!("{report}");
    Ok(if report.differences() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
