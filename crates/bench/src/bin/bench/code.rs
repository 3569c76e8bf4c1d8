//! `cargo xtask bench-code`: measures repositories and merge requests.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tenon_bench::code::{self, Plan};
use tenon_bench::measure::Kind;
use tenon_bench::{machine, process};

/// Measure the cost of repositories and merge requests, on both databases.
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
    /// Use the server of the last build
    #[arg(long)]
    no_build: bool,
    /// Write the tables to this file, as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    ensure!(arguments.reads > 0 && arguments.writes > 0 && arguments.commits > 0, "nothing to do");
    code::check()?;
    if !arguments.no_build {
        process::build(&["--package", "tenon"])?;
    }
    let plan = Plan { reads: arguments.reads, writes: arguments.writes, commits: arguments.commits };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut text = format!("{}; {} commits\n", machine::describe(), plan.commits);
    for kind in [Kind::Sqlite, Kind::Postgres] {
        let style =
            ProgressStyle::with_template(&format!("{:10} {{msg:40}} {{wide_bar}} {{pos}}/{{len}}", kind.as_str()))?;
        let bar = ProgressBar::new(0).with_style(style);
        let (figures, rates) = runtime.block_on(code::run(&plan, kind, &bar))?;
        let tables = [code::table_of_rates(&rates), code::table(&figures)].join("\n");
        text += &format!("\n{}:\n\n{tables}", kind.as_str());
    }
    println!("{text}");
    if let Some(file) = &arguments.markdown {
        std::fs::write(file, &text).with_context(|| format!("{} cannot be written", file.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
