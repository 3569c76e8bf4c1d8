//! The project's own commands: `cargo xtask --help` lists them.
//!
//! This program stays quick to build, since everything waits for it. Commands that need the server start it with `cargo
//! run`.

#![expect(clippy::print_stdout, reason = "its output is for the user of the command")]

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

mod browser_check;
mod ci;
mod codegen;
mod database;
mod memory;
mod migrations;
mod rehearse;
mod run;
mod schema_check;
mod server;
mod test;
mod tidy;

/// Tenon's own commands.
#[derive(Parser)]
#[command(
    bin_name = "cargo xtask",
    after_help = "Before you hand in a change: `cargo xtask ci`. It runs what the project's CI runs."
)]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run all checks and tests, up to the first failure
    ///
    /// Formatting, lints, tidy, documentation, freshness of generated files, and the tests on SQLite and PostgreSQL.
    /// PostgreSQL must be installed, but need not run. Otherwise `TENON_TEST_POSTGRES_URL` must name a server.
    Ci,
    /// Run all tests, on SQLite and PostgreSQL
    ///
    /// If PostgreSQL is not installed, the tests run on SQLite only. `TENON_TEST_POSTGRES=required` makes its absence a
    /// failure. docs/TESTING.md says how to run one test.
    Test {
        #[command(flatten)]
        arguments: test::Arguments,
    },
    /// Check the rules of the project that the compiler does not check
    ///
    /// Checks dependencies between crates, manifests, the first line and the length of source files, migrations in both
    /// dialects, and the files at the top level. docs/STYLE.md gives the reasons.
    Tidy,
    /// Work on the database's migrations
    Db {
        #[command(subcommand)]
        command: database::Task,
    },
    /// Regenerate docs/openapi.json, and parts of docs/fields.md, docs/limits.md, docs/settings.md and docs/webhooks.md
    Codegen {
        /// Write nothing; fail if a file is not up to date
        #[arg(long)]
        check: bool,
    },
    /// Send generated requests to a fresh server and compare the answers with docs/openapi.json
    ///
    /// Needs python3 with venv. Installs schemathesis with pip into the target folder.
    SchemaCheck {
        #[command(flatten)]
        arguments: schema_check::Arguments,
    },
    /// Test user journeys and every kind of page in a browser, on a fresh server
    ///
    /// Runs the tests with scripts, without scripts, and by keyboard alone; then axe and html-validate. Needs Chromium
    /// and Node.js with npm.
    BrowserCheck,
    /// Make pictures of 34 pages in light, in dark and on a phone: target/pictures
    ///
    /// Takes screenshots of a fresh server, which has the history of this repository, in Chromium. The script
    /// `tests/browser/pictures.mjs` has the list. Has the requirements of browser-check.
    Pictures {
        #[command(flatten)]
        arguments: browser_check::Pictures,
    },
    /// Measure pages of the release server in a browser: transfers, paint times, and the delay of a key
    ///
    /// Prints a table for docs/performance.md. Has the requirements of browser-check.
    BrowserFigures,
    /// Fill a database with reproducible data: see --help
    #[command(disable_help_flag = true)]
    Seed {
        /// The arguments of `seed` of tenon-bench
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Measure the release server on a fresh, filled database: see --help
    #[command(disable_help_flag = true)]
    Bench {
        /// The arguments of `bench` of tenon-bench
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Measure the time and memory of backups and restores: see --help
    #[command(disable_help_flag = true)]
    BenchBackup {
        /// The arguments of `bench-backup` of tenon-bench
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Measure repositories and merge requests: see --help
    #[command(disable_help_flag = true)]
    BenchCode {
        /// The arguments of `bench-code` of tenon-bench
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Measure the pages against their budgets: see --help
    #[command(disable_help_flag = true)]
    BenchPages {
        /// The arguments of `bench-pages` of tenon-bench
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Measure the effect of one caller on another: see --help
    #[command(disable_help_flag = true)]
    Attack {
        /// The arguments of `attack` of tenon-bench
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Serve a local clone and compare the answers of the API with those of Git: see --help
    #[command(disable_help_flag = true)]
    CompareRepository {
        /// The arguments of `compare-repository` of tenon-bench
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Measure the cost of hooks: see --help
    #[command(disable_help_flag = true)]
    BenchHooks {
        /// The arguments of `bench-hooks` of tenon-bench
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Measure the number of light jobs that the runners execute in a second: see --help
    #[command(disable_help_flag = true)]
    BenchJobs {
        /// The arguments of `bench-jobs` of tenon-bench
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Measure the cost of token checks and rate limits: see --help
    #[command(disable_help_flag = true)]
    BenchChecks {
        /// The arguments of `bench-checks` of tenon-bench
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Make backups of a server that is written to and killed, restore and compare them: see --help
    #[command(disable_help_flag = true)]
    Rehearse {
        /// The arguments of `rehearse` of tenon-bench
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Run `tenon admin` with the given arguments
    #[command(disable_help_flag = true)]
    Admin {
        /// The arguments of `tenon admin`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

fn main() -> Result<ExitCode> {
    match Arguments::parse().command {
        Task::Ci => Ok(ci::run()),
        Task::Test { arguments } => test::run(&arguments, &[]),
        Task::Tidy => tidy::run(),
        Task::Db { command } => database::run(&command),
        Task::Codegen { check } => codegen::run(check),
        Task::SchemaCheck { arguments } => schema_check::run(&arguments),
        Task::BrowserCheck => browser_check::run(),
        Task::Pictures { arguments } => browser_check::pictures(&arguments),
        Task::BrowserFigures => browser_check::figures(),
        Task::Seed { arguments } => measuring("seed", arguments),
        Task::Bench { arguments } => measuring("bench", arguments),
        Task::BenchBackup { arguments } => measuring("bench-backup", arguments),
        Task::BenchCode { arguments } => measuring("bench-code", arguments),
        Task::BenchPages { arguments } => measuring("bench-pages", arguments),
        Task::Attack { arguments } => measuring("attack", arguments),
        Task::CompareRepository { arguments } => {
            let fixed = ["run", "--quiet", "--package", "tenon-bench", "--bin", "bench", "--", "compare-repository"];
            run::status(run::cargo(fixed).args(arguments))
        }
        Task::BenchHooks { arguments } => measuring("bench-hooks", arguments),
        Task::BenchJobs { arguments } => measuring("bench-jobs", arguments),
        Task::BenchChecks { arguments } => measuring("bench-checks", arguments),
        Task::Rehearse { arguments } => rehearse::run(&arguments),
        Task::Admin { arguments } => {
            let mut command = run::cargo(["run", "--quiet", "--package", "tenon", "--", "admin"]);
            run::status(command.args(arguments))
        }
    }
}

/// Runs a command of tenon-bench, always as a release build: most of its time is measured.
fn measuring(command: &str, arguments: Vec<OsString>) -> Result<ExitCode> {
    let fixed = ["run", "--quiet", "--release", "--package", "tenon-bench", "--bin", "bench", "--", command];
    run::status(run::cargo(fixed).args(arguments))
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
    fn admin_gets_every_argument_even_help() {
        let parsed = Arguments::parse_from(["xtask", "admin", "user", "--help", "--", "-x"]);
        let Task::Admin { arguments } = parsed.command else { panic!("not admin") };
        assert_eq!(arguments, ["user", "--help", "--", "-x"]);
    }
}
