//! `tenon`: one binary that serves, migrates and administers.

mod admin;
mod config;
mod logging;
mod open;
mod serve;
mod terminal;

use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tenon_app::repository::{hook_of, run_hook};

use crate::config::{Config, ConfigError, Settings};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A light, self-hosted code-hosting server.
///
/// Without a command it serves: data in ./tenon-data, SQLite, `127.0.0.1:8080`. The first start creates the
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
    /// Serve the API. Brings the database up to date first.
    Serve,
    /// Bring the database up to date, and do nothing else.
    Migrate,
    /// Administer accounts and tokens without a running server, and look the server over.
    #[command(subcommand)]
    Admin(admin::Command),
    /// Print the description of the API (OpenAPI, JSON).
    #[command(hide = true)]
    Openapi,
}

fn main() -> ExitCode {
    // Git starts this binary again, as the hooks of a push.
    if let Some(hook) = std::env::args_os().next().and_then(|name| hook_of(Path::new(&name))) {
        return run_hook(hook);
    }
    // Wrong flags end here, with a message that names the flag, and exit code 2.
    let arguments = Arguments::parse();
    let outcome =
        arguments.settings.resolve().map_err(anyhow::Error::from).and_then(|config| run(arguments.command, &config));
    match outcome {
        Ok(code) => code,
        Err(error) => {
            terminal::complain(&error);
            ExitCode::from(if error.is::<ConfigError>() { 2 } else { 1 })
        }
    }
}

fn run(command: Option<Command>, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        None | Some(Command::Serve) => serve::serve(config),
        Some(Command::Migrate) => open::migrate(config),
        Some(Command::Admin(command)) => admin::run(command, config),
        Some(Command::Openapi) => {
            terminal::say(&tenon_http::openapi()?);
            Ok(ExitCode::SUCCESS)
        }
    }
}
