//! `cargo xtask bench-checks`: measures the cost of checking tokens and counting requests.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tenon_bench::checks::{self, Lookup, Plan, Row};
use tenon_bench::measure::Databases;
use tenon_bench::process;
use tenon_bench::seed::Size;

/// Measure the cost of token checks and rate limits in the release server.
///
/// The same resource is read without a token and with one, with and without counting of requests, in turn. `CPU µs` is
/// the server's CPU time for one response. `cost` is the difference to a read without token and counting. Then the same
/// user reads in this process, named by an id and by a token. Only the token differs.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The amount of data in the database
    #[arg(long, value_enum, default_value_t = Size::Small)]
    size: Size,
    /// The database
    #[arg(long, value_enum, default_value_t = Databases::Both)]
    database: Databases,
    /// Duration of each variant in each round, after a third of that to warm up
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Number of rounds
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Number of concurrent connections
    #[arg(long, default_value_t = 32)]
    connections: usize,
    /// Use the server of the last build
    #[arg(long)]
    no_build: bool,
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    ensure!(
        arguments.connections > 0 && arguments.rounds > 0 && arguments.seconds > 0.0,
        "nothing to drive: --connections, --rounds, --seconds"
    );
    if !arguments.no_build {
        process::build(&["--package", "tenon"])?;
    }
    let plan = Plan {
        size: arguments.size,
        time: Duration::from_secs_f64(arguments.seconds),
        connections: arguments.connections,
        rounds: arguments.rounds,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    println!("| database | endpoint | before the answer | bytes | answers/s | p50 ms | CPU µs | cost |");
    println!("|---|---|---|---|---|---|---|---|");
    for kind in arguments.database.kinds() {
        let style =
            ProgressStyle::with_template(&format!("{:10} {{msg:40}} {{wide_bar}} {{pos}}/{{len}}", kind.as_str()))?;
        let bar = ProgressBar::new(0).with_style(style);
        let rows = runtime.block_on(checks::run(&plan, *kind, &bar))?;
        for row in &rows {
            println!("{}", line(kind.as_str(), row, &rows));
        }
    }
    println!("\n| database | read | user known µs | token µs | cost |");
    println!("|---|---|---|---|---|");
    for kind in arguments.database.kinds() {
        for Lookup { what, known_us, token_us } in checks::lookups(*kind, arguments.rounds) {
            let cost = (token_us / known_us.max(f64::EPSILON) - 1.0) * 100.0;
            println!("| {} | {what} | {known_us:.1} | {token_us:.1} | {cost:+.1} % |", kind.as_str());
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn line(database: &str, row: &Row, all: &[Row]) -> String {
    let plain = all.iter().find(|other| other.endpoint == row.endpoint).map_or(row.cpu_us, |plain| plain.cpu_us);
    let cost = (row.cpu_us / plain.max(f64::EPSILON) - 1.0) * 100.0;
    format!(
        "| {database} | {} | {} | {} | {:.0} | {:.2} | {:.1} | {cost:+.1} % |",
        row.endpoint,
        row.way.name(),
        row.bytes,
        row.per_second,
        row.p50_ms,
        row.cpu_us
    )
}
