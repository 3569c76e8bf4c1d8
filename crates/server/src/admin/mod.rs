//! `tenon admin`: accounts and tokens without a running server, the job queues, and a check of everything.

mod doctor;
mod hooks;
mod jobs;
mod mail;
mod token;
mod user;

use std::process::ExitCode;

use clap::Subcommand;
use tenon_app::error::AppError;
use tenon_app::{App, RootCredentials, SshAddress, first_start};
use tenon_edge::missing;

use crate::config::Config;
use crate::open;

/// The commands of an administrator on the machine itself.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Manage user accounts.
    #[command(subcommand)]
    User(user::Command),
    /// Manage access tokens.
    #[command(subcommand)]
    Token(token::Command),
    /// Test email and manage unsubscriptions.
    #[command(subcommand)]
    Mail(mail::Command),
    /// Show job queues, and failed jobs with their errors.
    Jobs(jobs::Look),
    /// List failing hooks, or redeliver their parked deliveries.
    Hooks(hooks::Look),
    /// Check the database, secret key, job queue and repositories. Exits with code 1 if there is a problem.
    Doctor(doctor::Look),
}

/// Runs one command on the database that the configuration names.
pub(crate) fn run(command: Command, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        Command::User(command) => user::run(command, &ready(config)?),
        Command::Token(command) => token::run(command, &ready(config)?),
        Command::Mail(mail::Command::Test(test)) => {
            mail::test(&test, &open::open_unmigrated(config, &base_url(config))?)
        }
        Command::Mail(mail::Command::Suppressed(look)) => {
            mail::suppressed(&look, &open::open(config, &base_url(config), SshAddress::default())?)
        }
        Command::Jobs(look) => jobs::run(&look, &open::open(config, &base_url(config), SshAddress::default())?),
        Command::Hooks(look) => hooks::run(&look, &open::open(config, &base_url(config), SshAddress::default())?),
        Command::Doctor(look) => doctor::run(&look, &open::open_unmigrated(config, &base_url(config))?),
    }
}

/// The application with its administrator, also before the first start of the server.
fn ready(config: &Config) -> anyhow::Result<App> {
    let app = open::open(config, &base_url(config), SshAddress::default())?;
    let root = RootCredentials { token: None, ..config.root.clone() };
    if let Some(password) = first_start(&app, root)? {
        // Not on standard output, which is for the output of the command.
        crate::terminal::note(&format!("Created administrator root with password {}", password.expose()));
    }
    Ok(app)
}

/// The public URL. The commands print no links, so that a default is enough.
fn base_url(config: &Config) -> String {
    config.base_url.clone().unwrap_or_else(|| format!("http://{}", config.listen))
}

/// The refusal of a use case as text for a terminal.
fn explained(error: AppError) -> anyhow::Error {
    match error {
        AppError::Invalid(fields) => {
            let problems: Vec<String> =
                fields.iter().map(|(field, messages)| format!("{field} {}", messages.join(", "))).collect();
            anyhow::anyhow!(problems.join("; "))
        }
        AppError::NotFound(what) => match missing::name(&what) {
            Some(name) => anyhow::anyhow!("{} not found", name.to_lowercase()),
            None => AppError::NotFound(what).into(),
        },
        other => other.into(),
    }
}
