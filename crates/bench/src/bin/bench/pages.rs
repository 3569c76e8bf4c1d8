//! `cargo xtask bench-pages`: measures the pages for people.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Args;
use tenon_bench::machine;
use tenon_bench::pages::{self, Plan};
use tenon_bench::seed::Size;

use crate::measured::{Measured, bar};

/// Measure the pages on the release server, each beside the response of the API with the same content.
///
/// The column "over" names the budgets that a page exceeds. The exit code is 1 if a page exceeds one. Use the machine
/// for nothing else during the run.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The amount of data in the database
    #[arg(long, value_enum, default_value_t = Size::Medium)]
    size: Size,
    /// Duration of each page, on one connection and on 32
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    #[command(flatten)]
    measured: Measured,
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    ensure!(arguments.seconds > 0.0, "nothing to drive: --seconds");
    arguments.measured.build()?;
    let plan = Plan { size: arguments.size, time: Duration::from_secs_f64(arguments.seconds) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut text = format!("{}; {} data\n", machine::describe(), plan.size.as_str());
    let mut is_kept = true;
    for kind in arguments.measured.kinds() {
        let bar = bar(kind)?;
        let costs = runtime.block_on(pages::run(&plan, kind, &bar))?;
        is_kept &= pages::keep(&costs, kind);
        text += &format!("\n{}:\n\n{}", kind.as_str(), pages::table(&costs, kind));
    }
    arguments.measured.show(&text)?;
    Ok(if is_kept { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
