//! `tenon`: one binary that serves, migrates and administers.

mod admin;
mod alone;
mod arguments;
mod backup;
mod backup_plan;
mod config;
mod file_size;
mod logging;
mod open;
mod open_files;
mod private;
mod report;
mod serve;
mod sign_in;
mod tasks;
mod terminal;

use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tenon_app::error::is_disk_full;
use tenon_app::transport::{hook_of, run_hook};
use tenon_app::{DatabaseUrl, LimitInfo, Limits, highlighter};
use tenon_backup::BackupError;

use crate::config::{Config, ConfigError, Settings};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A lightweight, self-hosted code-hosting server.
///
/// Without a command, `tenon` runs `serve`: data in ./tenon-data, SQLite, `127.0.0.1:8080`. The first start creates the
/// administrator `root` and prints a password.
///
/// Settings come from flags, then from the environment (TENON_*), then from ./tenon.toml.
#[derive(Parser)]
#[command(name = "tenon", version, max_term_width = 100)]
struct Arguments {
    #[command(flatten)]
    settings: Settings,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Run the server. Migrates the database first
    Serve,
    /// Migrate the database and exit
    Migrate,
    /// Make, list, verify and remove backups. The server may run meanwhile
    #[command(subcommand)]
    Backup(backup::Command),
    /// Make a data folder and a database of a backup
    ///
    /// `--data-dir` names a folder that is empty or not there, and `--database-url` an empty database of either kind: a
    /// backup of SQLite can be restored into PostgreSQL. After a failure the same command goes on where it was.
    Restore(backup::Restore),
    /// Administer the server from the command line
    #[command(subcommand)]
    Admin(admin::Command),
    /// List all limits and their values, as Markdown
    ///
    /// Limits are set in `tenon.toml`: `[limits.push]` with `commands = 1000` sets
    /// `push.commands`.
    Limits,
    /// List all application settings, as Markdown
    Settings,
    /// List all settings of projects and groups, as Markdown.
    #[command(hide = true)]
    Fields,
    /// Print the description of the API (OpenAPI, JSON).
    #[command(hide = true)]
    Openapi,
    /// Highlight code for the server that has started this process, over standard input and output.
    #[command(hide = true)]
    Highlight,
}

fn main() -> ExitCode {
    private::mask_new_files();
    // Git starts this binary again, as the hooks of a push.
    if let Some(hook) = std::env::args_os().next().and_then(|name| hook_of(Path::new(&name))) {
        return run_hook(hook);
    }
    arguments::hide_password();
    // Wrong flags end here, with a message that names the flag, and exit code 2.
    let arguments = Arguments::parse();
    if matches!(arguments.command, Some(Command::Highlight)) {
        // It needs no configuration, and a wrong one must not end it.
        return highlighter::run();
    }
    let outcome = arguments
        .settings
        .resolve()
        .map_err(anyhow::Error::from)
        .and_then(|config| run(arguments.command, &config).map_err(|error| explained(error, &config)));
    match outcome {
        Ok(code) => code,
        Err(error) => {
            terminal::complain(&error);
            ExitCode::from(exit_code(&error))
        }
    }
}

/// The code with which a command ends that was stopped by an error.
fn exit_code(error: &anyhow::Error) -> u8 {
    match error.downcast_ref() {
        Some(BackupError::Refused(_)) => 3,
        _ if error.is::<ConfigError>() => 2,
        _ => 1,
    }
}

/// The error that stopped a command, with advice if the machine has no room.
fn explained(error: anyhow::Error, config: &Config) -> anyhow::Error {
    if !is_disk_full(&*error) {
        return error;
    }
    let place = match &config.database_url {
        DatabaseUrl::Sqlite(_) => String::new(),
        DatabaseUrl::Postgres(_) => format!(", or that of the database {}", config.database_url),
    };
    let folder = config.data_dir.display();
    error.context(format!("the disk is full: free some space for the data folder {folder}{place}, then try again"))
}

fn run(command: Option<Command>, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        None | Some(Command::Serve) => serve::serve(config),
        Some(Command::Migrate) => open::migrate(config),
        Some(Command::Backup(command)) => backup::run(&command, config),
        Some(Command::Restore(wish)) => backup::restore(&wish, config),
        Some(Command::Admin(command)) => admin::run(command, config),
        Some(Command::Limits) => {
            terminal::say(&limit_table(&config.limits));
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Settings) => {
            terminal::say(&tenon_app::settings::page());
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Fields) => {
            let (projects, groups) = (tenon_app::project::fields_page(), tenon_app::group::fields_page());
            terminal::say(&format!("### Projects\n\n{projects}\n\n### Groups\n\n{groups}"));
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Openapi) => {
            terminal::say(&tenon_http::openapi()?);
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Highlight) => Ok(highlighter::run()),
    }
}

/// All limits as a Markdown table.
fn limit_table(limits: &Limits) -> String {
    let mut text = "| limit | in force | unit | what it bounds |\n|---|---|---|---|".to_owned();
    for LimitInfo { name, value, unit, description } in limits.list() {
        text += &format!("\n| `{name}` | {} | {unit} | {description} |", readable(value, unit));
    }
    text
}

/// A readable number; bytes in the largest unit that divides them.
fn readable(value: u64, unit: &str) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let found = units.iter().find(|(size, _)| unit == "bytes" && value >= *size && value.is_multiple_of(*size));
    found.map_or_else(|| value.to_string(), |(size, name)| format!("{value} ({} {name})", value / size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_shown_in_their_largest_unit() {
        assert_eq!(readable(10 << 20, "bytes"), "10485760 (10 MiB)");
        assert_eq!([readable(1025, "bytes"), readable(1024, "count")], ["1025", "1024"]);
        assert!(limit_table(&Limits::default()).contains("| `push.commands` | 50000 | count |"));
    }
}
