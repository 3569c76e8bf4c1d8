//! `tenon admin jobs`.

use std::process::ExitCode;

use clap::Args;
use tenon_app::{App, jobs};

use crate::terminal::say;

#[derive(Args)]
pub(crate) struct Look {
    /// Number of failed jobs to list, newest first
    #[arg(long, default_value_t = 20)]
    limit: u16,
}

pub(super) fn run(look: &Look, app: &App) -> anyhow::Result<ExitCode> {
    let (states, dead) = jobs::report(app, look.limit.into())?;
    say(&format!("{:<12} {:>8} {:>9} {:>8} {:>8}", "queue", "ready", "scheduled", "running", "failed"));
    for state in states {
        let name = state.queue.as_str();
        say(&format!("{name:<12} {:>8} {:>9} {:>8} {:>8}", state.ready, state.scheduled, state.claimed, state.dead));
    }
    for job in dead {
        let user = job.user.map_or_else(|| "the server".to_owned(), |user| format!("user {user}"));
        say(&format!(
            "\n{}  {} for {user}, queued at {}; failures: {}, crashes: {}",
            job.id,
            job.kind,
            job.created_at.format("%Y-%m-%d %H:%M:%S"),
            job.failures,
            job.deaths,
        ));
        say(&format!("    {}", job.payload));
        say(&format!("    failed: {}", job.error.as_deref().unwrap_or("unknown error")));
    }
    Ok(ExitCode::SUCCESS)
}
