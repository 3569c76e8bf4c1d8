//! `tenon admin doctor`.

use std::process::ExitCode;

use clap::Args;
use tenon_app::repository::{Depth, Mending};
use tenon_app::{App, doctor};

use crate::terminal::say;

#[derive(Args)]
pub(crate) struct Look {
    /// Repair what can be repaired. Stop the server first
    #[arg(long)]
    fix: bool,
    /// Only check that all referenced objects exist, without reading their contents. Much faster
    #[arg(long)]
    connectivity_only: bool,
}

pub(super) fn run(look: &Look, app: &App) -> anyhow::Result<ExitCode> {
    let mending = if look.fix { Mending::Repair } else { Mending::LookOnly };
    let depth = if look.connectivity_only { Depth::Connectivity } else { Depth::Contents };
    let findings = doctor(app, mending, depth)?;
    for finding in &findings {
        let mark = if finding.healthy { "ok" } else { "!!" };
        say(&format!("{mark}  {:<17} {}", finding.subject, finding.text));
    }
    let healthy = findings.iter().all(|finding| finding.healthy);
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
