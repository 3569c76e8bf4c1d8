//! `bench`: fills databases, and measures the server on them. `cargo xtask` starts it, by the same names of commands.

#![expect(clippy::print_stdout, reason = "its output is for the terminal")]

mod attack;
mod backup;
mod checks;
mod code;
mod compare_repository;
mod endpoints;
mod floor;
mod hooks;
mod jobs;
mod measured;
mod pages;
mod rehearse;
mod seed;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use tenon_bench::attack::fairness;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(bin_name = "cargo xtask", max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Attack(attack::Arguments),
    /// An attacker of `attack --fairness`, in a process of its own
    #[command(hide = true)]
    Attacker,
    Bench(endpoints::Arguments),
    BenchBackup(backup::Arguments),
    BenchChecks(checks::Arguments),
    BenchCode(code::Arguments),
    BenchHooks(hooks::Arguments),
    BenchJobs(jobs::Arguments),
    BenchPages(pages::Arguments),
    CompareRepository(compare_repository::Arguments),
    #[command(hide = true)]
    Floor(floor::Arguments),
    Rehearse(rehearse::Arguments),
    Seed(seed::Arguments),
}

fn main() -> Result<ExitCode> {
    match Arguments::parse().command {
        Command::Attack(arguments) => attack::run(arguments),
        Command::Attacker => fairness::attack().map(|()| ExitCode::SUCCESS),
        Command::Bench(arguments) => endpoints::run(arguments),
        Command::BenchBackup(arguments) => backup::run(arguments),
        Command::BenchChecks(arguments) => checks::run(arguments),
        Command::BenchCode(arguments) => code::run(arguments),
        Command::BenchHooks(arguments) => hooks::run(arguments),
        Command::BenchJobs(arguments) => jobs::run(arguments),
        Command::BenchPages(arguments) => pages::run(arguments),
        Command::CompareRepository(arguments) => compare_repository::run(arguments),
        Command::Floor(arguments) => floor::run(arguments),
        Command::Rehearse(arguments) => rehearse::run(arguments),
        Command::Seed(arguments) => seed::run(arguments),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn an_attacker_is_started_by_its_command() {
        let command = Arguments::parse_from(["bench", fairness::ATTACKER]).command;
        assert!(matches!(command, Command::Attacker));
    }
}
