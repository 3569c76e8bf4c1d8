//! `cargo xtask bench-checks`: measures the cost of checking tokens and counting requests.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Args;
use tenon_bench::checks::{self, Lookup, Plan, Row};
use tenon_bench::seed::Size;

use crate::measured::{Measured, bar};

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
    /// Duration of each variant in each round, after a third of that to warm up
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Number of rounds
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Number of concurrent connections
    #[arg(long, default_value_t = 32)]
    connections: usize,
    #[command(flatten)]
    measured: Measured,
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    ensure!(
        arguments.connections > 0 && arguments.rounds > 0 && arguments.seconds > 0.0,
        "nothing to drive: --connections, --rounds, --seconds"
    );
    arguments.measured.build()?;
    let plan = Plan {
        size: arguments.size,
        time: Duration::from_secs_f64(arguments.seconds),
        connections: arguments.connections,
        rounds: arguments.rounds,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut text = "| database | endpoint | before the answer | bytes | answers/s | p50 ms | CPU µs | cost |\n\
                    |---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for kind in arguments.measured.kinds() {
        let bar = bar(kind)?;
        let rows = runtime.block_on(checks::run(&plan, kind, &bar))?;
        for row in &rows {
            text += &format!("{}\n", line(kind.as_str(), row, &rows));
        }
    }
    text += "\n| database | read | user known µs | token µs | cost |\n|---|---|---|---|---|\n";
    for kind in arguments.measured.kinds() {
        for Lookup { what, known_us, token_us } in checks::lookups(kind, arguments.rounds) {
            let cost = (token_us / known_us.max(f64::EPSILON) - 1.0) * 100.0;
            text += &format!("| {} | {what} | {known_us:.1} | {token_us:.1} | {cost:+.1} % |\n", kind.as_str());
        }
    }
    arguments.measured.show(&text)?;
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
