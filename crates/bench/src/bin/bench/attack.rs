//! `cargo xtask attack`: the effects that one caller can have on another.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tenon_bench::attack::{self, Plan, fairness};
use tenon_bench::machine;
use tenon_bench::measure::Kind;

use crate::measured::Measured;

/// Run attacks against the release server and measure their effect on another caller.
///
/// The server runs with its default limits under a limit of memory. During each attack, a signed-in user reads a
/// project of their own. The table shows the times of these reads beside those on an idle server. Fails if the server
/// ends, a read fails, or the P99 of a read exceeds --most.
///
/// With --fairness, 36 expensive calls of the API, of Git and of the pages run instead, one after the other. A process
/// of its own at the lowest priority makes each call, as a signed-in user and as strangers from eight addresses at
/// once. During each call, a victim reads an issue, a tree and a page and writes a note, --samples times each. As
/// often, it reads the issue from a stranger's address with a token that the server has not seen. The table shows P50
/// and P99 of these beside those on the idle server. A P99 is held if it is at most --most times the idle one, or at
/// most --floor milliseconds.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
        cargo xtask attack                                   all attacks, both databases (about 12 minutes)\n  \
        cargo xtask attack --only H5 --seconds 60            one attack, for longer\n  \
        cargo xtask attack --fairness                        36 expensive calls, both databases (about 40 minutes)\n  \
        cargo xtask attack --fairness --only blame --database sqlite --samples 2000\n\n\
        The exit status is 0 if everything holds, 1 if something does not, and 2 for wrong arguments. Run it on a machine that does\n\
        nothing else: the victim's times on the idle server are measured in the same run.")]
pub(crate) struct Arguments {
    /// Duration of each attack in seconds
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Memory for the server with its processes of Git, in MiB
    #[arg(long, default_value_t = 2048)]
    memory: u64,
    /// The most that the P99 of a call may be, as a multiple of its value on an idle server
    #[arg(long, default_value_t = 5.0)]
    most: f64,
    /// Measure the fairness of the server during expensive calls, instead of attacks
    #[arg(long)]
    fairness: bool,
    /// With --fairness: number of the victim's calls of each group during each expensive call
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..), requires = "fairness")]
    samples: u16,
    /// With --fairness: number of connections of the attackers
    #[arg(long, default_value_t = 18, value_parser = clap::value_parser!(u16).range(1..), requires = "fairness")]
    connections: u16,
    /// With --fairness: the P99 in milliseconds that is held in any case
    #[arg(long, default_value_t = 50.0, requires = "fairness")]
    floor: f64,
    /// Only the attacks or calls with this text in their names
    #[arg(long)]
    only: Option<String>,
    #[command(flatten)]
    measured: Measured,
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    arguments.measured.build()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let each = if arguments.fairness {
        format!("{} calls of each group beside each expensive call", arguments.samples)
    } else {
        format!("{} s for each attack", arguments.seconds)
    };
    let mut text = format!("{}; {each}\n", machine::describe());
    let mut passed = true;
    for kind in arguments.measured.kinds() {
        let style = ProgressStyle::with_template(&format!(
            "{:10} {{msg:40}} {{wide_bar}} {{pos}}/{{len}} {{elapsed}}",
            kind.as_str()
        ))?;
        let bar = ProgressBar::new(0).with_style(style);
        bar.enable_steady_tick(Duration::from_millis(200));
        let (table, holds) = runtime.block_on(measured(&arguments, kind, &bar))?;
        text += &format!("\n{}:\n\n{table}", kind.as_str());
        passed &= holds;
    }
    arguments.measured.show(&text)?;
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The table of one database. `true` if everything holds.
async fn measured(arguments: &Arguments, kind: Kind, bar: &ProgressBar) -> Result<(String, bool)> {
    let (memory, most, only) = (arguments.memory << 20, arguments.most, arguments.only.as_deref());
    if arguments.fairness {
        let (samples, connections) = (arguments.samples.into(), arguments.connections.into());
        let plan = fairness::Plan { samples, connections, most, floor_ms: arguments.floor, memory };
        let measured = fairness::run(&plan, kind, only, bar).await?;
        return Ok((measured.table(), measured.holds()));
    }
    let plan = Plan { time: Duration::from_secs(arguments.seconds), memory };
    let figures = attack::run(&plan, kind, only, bar).await?;
    let quiet = figures.first().context("no figures")?;
    let holds = figures.iter().all(|figure| figure.times.failed == 0 && figure.ratio(quiet) <= most);
    Ok((attack::table(&figures), holds))
}
