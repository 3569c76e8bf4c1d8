//! `cargo xtask bench-code`: measures repositories and merge requests.

use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::Args;
use tenon_bench::code::{self, Plan};
use tenon_bench::machine;

use crate::measured::{Measured, bar};

/// Measure the cost of repositories and merge requests.
///
/// The release server gets a repository by `git push`. Then each request is sent repeatedly, one after the other. Use
/// the machine for nothing else during the run.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of times that each read is sent
    #[arg(long, default_value_t = 200)]
    reads: usize,
    /// Number of pushes, created merge requests and merges
    #[arg(long, default_value_t = 30)]
    writes: usize,
    /// Number of commits in the repository
    #[arg(long, default_value_t = 20_000)]
    commits: usize,
    #[command(flatten)]
    measured: Measured,
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    ensure!(arguments.reads > 0 && arguments.writes > 0 && arguments.commits > 0, "nothing to do");
    code::check()?;
    arguments.measured.build()?;
    let plan = Plan { reads: arguments.reads, writes: arguments.writes, commits: arguments.commits };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut text = format!("{}; {} commits\n", machine::describe(), plan.commits);
    for kind in arguments.measured.kinds() {
        let bar = bar(kind)?;
        let (figures, rates) = runtime.block_on(code::run(&plan, kind, &bar))?;
        let tables = [code::table_of_rates(&rates), code::table(&figures)].join("\n");
        text += &format!("\n{}:\n\n{tables}", kind.as_str());
    }
    arguments.measured.show(&text)?;
    Ok(ExitCode::SUCCESS)
}
