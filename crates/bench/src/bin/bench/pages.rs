//! `cargo xtask bench-pages`: measures the pages for people.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tenon_bench::measure::Databases;
use tenon_bench::pages::{self, Plan};
use tenon_bench::seed::Size;
use tenon_bench::{machine, process};

/// Measure the pages on the release server, each beside the response of the API with the same content.
///
/// The column "over" names the budgets that a page exceeds. The exit code is 1 if a page exceeds one. Use the machine
/// for nothing else during the run.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The amount of data in the database
    #[arg(long, value_enum, default_value_t = Size::Medium)]
    size: Size,
    /// The database
    #[arg(long, value_enum, default_value_t = Databases::Both)]
    database: Databases,
    /// Duration of each page, on one connection and on 32
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Use the server of the last build
    #[arg(long)]
    no_build: bool,
    /// Write the tables to this file, as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    ensure!(arguments.seconds > 0.0, "nothing to drive: --seconds");
    if !arguments.no_build {
        process::build(&["--package", "tenon"])?;
    }
    let plan = Plan { size: arguments.size, time: Duration::from_secs_f64(arguments.seconds) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut text = format!("{}; {} data\n", machine::describe(), plan.size.as_str());
    let mut is_kept = true;
    for kind in arguments.database.kinds() {
        let style =
            ProgressStyle::with_template(&format!("{:10} {{msg:40}} {{wide_bar}} {{pos}}/{{len}}", kind.as_str()))?;
        let bar = ProgressBar::new(0).with_style(style);
        let costs = runtime.block_on(pages::run(&plan, *kind, &bar))?;
        is_kept &= pages::keep(&costs, *kind);
        text += &format!("\n{}:\n\n{}", kind.as_str(), pages::table(&costs, *kind));
    }
    println!("{text}");
    if let Some(file) = &arguments.markdown {
        std::fs::write(file, &text).with_context(|| format!("{} cannot be written", file.display()))?;
    }
    Ok(if is_kept { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
