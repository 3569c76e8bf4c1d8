//! `tenon admin mail`.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use tenon_app::notification::{self, Suppression};
use tenon_app::{App, mail};

use super::explained;
use crate::terminal::say;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Send a test email.
    Test(Test),
    /// List the services whose email an address has unsubscribed from, or resubscribe it to all.
    Suppressed(Suppressed),
}

#[derive(Args)]
pub(crate) struct Test {
    /// Email address
    address: String,
}

#[derive(Args)]
pub(crate) struct Suppressed {
    /// Email address
    address: String,
    /// Resubscribe the address to the email of all services
    #[arg(long)]
    remove: bool,
    /// Number of services to list
    #[arg(long, default_value_t = 100)]
    limit: u16,
}

pub(super) fn test(Test { address }: &Test, app: &App) -> anyhow::Result<ExitCode> {
    mail::send_test(app, address).map_err(explained)?;
    say("Email sent.");
    Ok(ExitCode::SUCCESS)
}

pub(super) fn suppressed(look: &Suppressed, app: &App) -> anyhow::Result<ExitCode> {
    let address = &look.address;
    if look.remove {
        let count = notification::remove_suppressions(app, address)?;
        say(&format!("Resubscribed {address} to {count} services."));
        return Ok(ExitCode::SUCCESS);
    }
    let suppressions = notification::suppressions(app, address, look.limit.into())?;
    if suppressions.is_empty() {
        say(&format!("{address} has not unsubscribed from any service."));
    }
    for Suppression { project, slug } in suppressions {
        say(&format!("service:{slug} of project {project}"));
    }
    Ok(ExitCode::SUCCESS)
}
