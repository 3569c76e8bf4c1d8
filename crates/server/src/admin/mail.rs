//! `tenon admin mail`.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use tenon_app::{App, mail};

use super::explained;
use crate::terminal::say;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Send a mail to an address, to see whether mail is configured as it should be.
    Test(Test),
}

#[derive(Args)]
pub(crate) struct Test {
    /// The address
    address: String,
}

pub(super) fn run(command: &Command, app: &App) -> anyhow::Result<ExitCode> {
    let Command::Test(Test { address }) = command;
    mail::send_test(app, address).map_err(explained)?;
    say("The mail was sent.");
    Ok(ExitCode::SUCCESS)
}
