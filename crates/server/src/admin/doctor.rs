//! `tenon admin doctor`.

use std::process::ExitCode;

use tenon_app::{App, doctor};

use crate::terminal::say;

pub(super) fn run(app: &App) -> anyhow::Result<ExitCode> {
    let findings = doctor(app)?;
    for finding in &findings {
        let mark = if finding.healthy { "ok" } else { "!!" };
        say(&format!("{mark}  {:<17} {}", finding.subject, finding.text));
    }
    let healthy = findings.iter().all(|finding| finding.healthy);
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
