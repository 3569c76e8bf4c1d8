//! `cargo xtask bench`: measures the server.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use tenon_bench::machine;
use tenon_bench::measure::{self, Plan};
use tenon_bench::report::Report;
use tenon_bench::seed::Size;

use crate::measured::{Measured, bar, write};

/// Measure the release server on a fresh, filled database.
///
/// Each endpoint gets requests over the loopback interface. In the same run, so does a server of the same stack that
/// answers a constant body of the same size (floor 1). The endpoint's main queries run by themselves on one connection
/// (floor 2). `CPU µs` is the server's CPU time for one response, without that of PostgreSQL.
///
/// Use the machine for nothing else during the run. Only figures of one run can be compared with each other.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The amount of data in the database
    #[arg(long, value_enum, default_value_t = Size::Medium)]
    size: Size,
    /// Duration of each endpoint, after a third of that to warm up [default: 5, with large 2]
    #[arg(long)]
    seconds: Option<f64>,
    /// Number of concurrent connections
    #[arg(long, default_value_t = 32)]
    connections: usize,
    /// Only the endpoint of this name; if there is none, those with this text in their names
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Do not measure the floors
    #[arg(long)]
    without_floors: bool,
    /// Write the figures to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Show the change since this file was written with --json
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    #[command(flatten)]
    measured: Measured,
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    let seconds = arguments.seconds.unwrap_or(if arguments.size == Size::Large { 2.0 } else { 5.0 });
    ensure!(arguments.connections > 0 && seconds > 0.0, "nothing to drive: --connections, --seconds");
    let earlier = arguments.compare.as_deref().map(earlier).transpose()?;
    arguments.measured.build()?;
    let plan = Plan {
        size: arguments.size,
        time: Duration::from_secs_f64(seconds),
        connections: arguments.connections,
        only: arguments.only,
        without_floors: arguments.without_floors,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut runs = Vec::new();
    for kind in arguments.measured.kinds() {
        let bar = bar(kind)?;
        runs.push(runtime.block_on(measure::run(&plan, kind, &bar))?);
    }
    let report = Report {
        machine: machine::describe(),
        size: plan.size.as_str().to_owned(),
        seconds,
        connections: plan.connections,
        runs,
    };
    arguments.measured.show(&report.tables())?;
    if let Some(file) = &arguments.json {
        write(file, &format!("{}\n", serde_json::to_string_pretty(&report)?))?;
    }
    if let Some(earlier) = earlier {
        println!("{}", report.compared_with(&earlier));
    }
    Ok(ExitCode::SUCCESS)
}

fn earlier(file: &Path) -> Result<Report> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} was not written with --json", file.display()))
}
