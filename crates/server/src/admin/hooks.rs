//! `tenon admin hooks`.

use std::process::ExitCode;

use clap::Args;
use tenon_app::{App, webhook};

use crate::terminal::say;

#[derive(Args)]
pub(crate) struct Look {
    /// Number of failing hooks to list, longest failing first
    #[arg(long, default_value_t = 20)]
    limit: u16,
    /// Redeliver the parked deliveries of the hook with this id, and exit
    #[arg(long, value_name = "HOOK")]
    resend: Option<i64>,
}

pub(super) fn run(look: &Look, app: &App) -> anyhow::Result<ExitCode> {
    if let Some(hook) = look.resend {
        let count = webhook::resend_parked(app, hook)?;
        say(&format!("Redelivering {count} parked deliveries of hook {hook}."));
        return Ok(ExitCode::SUCCESS);
    }
    let failing = webhook::failing(app, look.limit.into())?;
    if failing.is_empty() {
        say("No failing hooks.");
    }
    for hook in failing {
        let project = hook.project.map_or_else(|| "the server".to_owned(), |id| format!("project {id}"));
        let since = hook.failing_since.map_or_else(|| "-".to_owned(), |at| at.format("%Y-%m-%d %H:%M:%S").to_string());
        say(&format!("hook {} of {project}, failing since {since}", hook.id));
        say(&format!("    {}", hook.url));
        say(&format!("    waiting: {}, retrying: {}, parked: {}", hook.waiting, hook.retrying, hook.parked));
    }
    for unsent in webhook::dropped_mails(app, look.limit.into())? {
        let (project, slug, count) = (unsent.project, unsent.slug, unsent.dropped);
        say(&format!(
            "service:{slug} of project {project}: {count} emails not sent within a day because a limit was reached"
        ));
    }
    Ok(ExitCode::SUCCESS)
}
