//! `tenon admin doctor`.

use std::process::ExitCode;

use clap::Args;
use tenon_app::repository::{Depth, Mending};
use tenon_app::{App, Finding, doctor};

use crate::report::{Output, Report};
use crate::terminal::say;

#[derive(Args)]
pub(crate) struct Look {
    /// Repair what can be repaired. Stop the server first
    #[arg(long)]
    fix: bool,
    /// Only check that all referenced objects exist, without reading their contents. Much faster
    #[arg(long)]
    connectivity_only: bool,
    #[command(flatten)]
    output: Output,
}

pub(super) fn run(look: &Look, app: &App) -> anyhow::Result<ExitCode> {
    look.output.begin();
    let mending = if look.fix { Mending::Repair } else { Mending::LookOnly };
    let depth = if look.connectivity_only { Depth::Connectivity } else { Depth::Contents };
    let findings = doctor(app, mending, depth)?;
    if look.output.json {
        return report(findings).print(look.output);
    }
    for finding in &findings {
        let mark = if finding.healthy { "ok" } else { "!!" };
        say(&format!("{mark}  {:<17} {}", finding.subject, finding.text));
    }
    let healthy = findings.iter().all(|finding| finding.healthy);
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The findings as a report.
fn report(findings: Vec<Finding>) -> Report {
    let checks = findings.len();
    let text = |finding: Finding| format!("{}: {}", finding.subject, finding.text);
    let findings: Vec<String> = findings.into_iter().filter(|finding| !finding.healthy).map(text).collect();
    let summary = match findings.len() {
        0 => format!("All is well: {checks} checks."),
        faults => format!("Findings: {faults}, of {checks} checks."),
    };
    Report { summary, findings, ..Report::default() }
}
