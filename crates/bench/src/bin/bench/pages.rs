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

/// Measure the pages for people on the release server, each beside the answer of the API with the same content.
///
/// The column "over" names the budgets that a page exceeds, and the command ends with 1 if one does. Leave the machine
/// alone while it runs.
#[derive(Args)]
pub(crate) struct Arguments {
    /// How much is in the database
    #[arg(long, value_enum, default_value_t = Size::Medium)]
    size: Size,
    /// Which database
    #[arg(long, value_enum, default_value_t = Databases::Both)]
    database: Databases,
    /// How long each page is driven, alone and on 32 connections
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Take the server as it was built last
    #[arg(long)]
    no_build: bool,
    /// Write the tables here, as Markdown
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
