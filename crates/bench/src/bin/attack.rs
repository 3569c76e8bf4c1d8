//! `cargo xtask attack`: what one caller can do to another.

#![expect(clippy::print_stdout, reason = "its output is for the user of the command")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use tenon_bench::attack::{self, Plan};
use tenon_bench::measure::Databases;
use tenon_bench::{machine, process};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Play attacks against the release server and measure what another caller notices.
///
/// The server runs with its default limits under a limit of memory. Each attack goes on for some seconds, while a
/// signed-in user reads a project of their own; the table shows the times of these reads beside those on a quiet server.
/// Fails where the server ends, a read fails, or the P99 of a read grows beyond --most.
#[derive(Parser)]
#[command(bin_name = "cargo xtask attack", max_term_width = 100)]
struct Arguments {
    /// How many seconds each attack goes on
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Memory for the server with its processes of Git, in MiB
    #[arg(long, default_value_t = 2048)]
    memory: u64,
    /// How many times its quiet value the P99 of a read may become
    #[arg(long, default_value_t = 5.0)]
    most: f64,
    /// Only the attacks with this text in their names
    #[arg(long)]
    only: Option<String>,
    /// Which database
    #[arg(long, value_enum, default_value_t = Databases::Both)]
    database: Databases,
    /// Take the server as it was built last
    #[arg(long)]
    no_build: bool,
    /// Write the tables here, as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if !arguments.no_build {
        process::build(&["--package", "tenon"])?;
    }
    let plan = Plan { time: Duration::from_secs(arguments.seconds), memory: arguments.memory << 20 };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut text = format!("{}; {} s for each attack\n", machine::describe(), arguments.seconds);
    let mut passed = true;
    for kind in arguments.database.kinds() {
        let style =
            ProgressStyle::with_template(&format!("{:10} {{msg:40}} {{wide_bar}} {{pos}}/{{len}}", kind.as_str()))?;
        let bar = ProgressBar::new(0).with_style(style);
        let figures = runtime.block_on(attack::run(&plan, *kind, arguments.only.as_deref(), &bar))?;
        text += &format!("\n{}:\n\n{}", kind.as_str(), attack::table(&figures));
        let quiet = figures.first().context("no figures")?;
        passed &= figures.iter().all(|figure| figure.times.failed == 0 && figure.ratio(quiet) <= arguments.most);
    }
    println!("{text}");
    if let Some(file) = &arguments.markdown {
        std::fs::write(file, &text).with_context(|| format!("{} cannot be written", file.display()))?;
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
