//! `tenon admin mail`.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use tenon_app::notification::{self, Suppression};
use tenon_app::{App, mail};

use super::explained;
use crate::terminal::say;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Send a mail to an address, to test the configuration of mail.
    Test(Test),
    /// Show the services whose mail an address has unsubscribed from, or subscribe it to all again.
    Suppressed(Suppressed),
}

#[derive(Args)]
pub(crate) struct Test {
    /// The address
    address: String,
}

#[derive(Args)]
pub(crate) struct Suppressed {
    /// The address
    address: String,
    /// Subscribe the address to the mail of all services again
    #[arg(long)]
    remove: bool,
    /// Number of services to list
    #[arg(long, default_value_t = 100)]
    limit: u16,
}

pub(super) fn test(Test { address }: &Test, app: &App) -> anyhow::Result<ExitCode> {
    mail::send_test(app, address).map_err(explained)?;
    say("The mail was sent.");
    Ok(ExitCode::SUCCESS)
}

pub(super) fn suppressed(look: &Suppressed, app: &App) -> anyhow::Result<ExitCode> {
    let address = &look.address;
    if look.remove {
        let count = notification::remove_suppressions(app, address)?;
        say(&format!("{address} gets the mail of {count} services again"));
        return Ok(ExitCode::SUCCESS);
    }
    let suppressions = notification::suppressions(app, address, look.limit.into())?;
    if suppressions.is_empty() {
        say(&format!("{address} has not unsubscribed from the mail of any service"));
    }
    for Suppression { project, slug } in suppressions {
        say(&format!("service:{slug} of project {project}"));
    }
    Ok(ExitCode::SUCCESS)
}
