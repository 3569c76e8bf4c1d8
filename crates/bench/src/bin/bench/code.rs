//! `cargo xtask bench-code`: measures repositories and merge requests.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tenon_bench::code::{self, Plan};
use tenon_bench::measure::Kind;
use tenon_bench::{machine, process};

/// Measure what repositories and merge requests cost, on both databases.
///
/// The release server gets a repository by `git push`; then each request is sent again and again, one after the other.
/// Leave the machine alone while it runs.
#[derive(Args)]
pub(crate) struct Arguments {
    /// How often each read is sent
    #[arg(long, default_value_t = 200)]
    reads: usize,
    /// How often is pushed, created and merged
    #[arg(long, default_value_t = 30)]
    writes: usize,
    /// How many commits the repository has
    #[arg(long, default_value_t = 20_000)]
    commits: usize,
    /// Take the server as it was built last
    #[arg(long)]
    no_build: bool,
    /// Write the tables here, as Markdown
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
