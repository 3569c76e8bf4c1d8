//! `tenon admin token`.

use std::process::ExitCode;

use anyhow::{Context, anyhow};
use chrono::NaiveDate;
use clap::{Args, Subcommand};
use tenon_app::token::{NewToken, issue};
use tenon_app::user::account_id;
use tenon_app::{App, Scopes, TokenKind};

use super::explained;
use crate::terminal::say;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Create a personal access token and print it to standard output.
    Create(Create),
}

#[derive(Args)]
pub(crate) struct Create {
    /// Username of the token's owner
    #[arg(long)]
    user: String,
    /// Token name
    #[arg(long)]
    name: String,
    /// Comma-separated scopes, such as `api,sudo` or `read_user`
    #[arg(long)]
    scopes: String,
    /// Expiration date (YYYY-MM-DD) [default: never]
    #[arg(long, value_name = "DATE")]
    expires_at: Option<NaiveDate>,
}

pub(super) fn run(command: Command, app: &App) -> anyhow::Result<ExitCode> {
    let Command::Create(arguments) = command;
    let scopes = Scopes::parse(&arguments.scopes)
        .map_err(|unknown| anyhow!("--scopes: unknown scope {unknown:?}; `api` grants full access"))?;
    let made = app.administer(|command| {
        let user = account_id(&mut command.query(), &arguments.user)?;
        let new = NewToken {
            user,
            kind: TokenKind::Personal,
            name: arguments.name,
            description: None,
            scopes,
            expires_at: arguments.expires_at,
            secret: None,
        };
        issue(command, new)
    });
    let secret = made.map_err(explained)?.secret.context("a new token has its secret")?;
    say(secret.expose());
    Ok(ExitCode::SUCCESS)
}
