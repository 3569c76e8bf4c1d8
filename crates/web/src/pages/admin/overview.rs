//! The first page of administration: the state of the server, and totals.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::jobs;
use tenon_app::server_task::{self, BackupState};
use tenon_app::statistics::{self, Counts};
use tenon_domain::server_task::TaskKind;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::kit::words::Moment;

#[derive(Template)]
#[template(path = "admin/show.html")]
struct ShowPage {
    frame: Frame,
    problems: Problems,
    counts: Counts,
    waiting_jobs: i64,
    failed_jobs: i64,
    /// The state of the backups, in words.
    backups: String,
    sends_mail: bool,
    serves_ssh: bool,
    version: &'static str,
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    page(&context, Problems::default()).await
}

async fn page(context: &RequestContext, problems: Problems) -> Result<Answer, PageError> {
    let read =
        context.read(|query| Ok((statistics::count(query)?, jobs::totals(query)?, server_task::backup_state(query)?)));
    let (frame, (counts, (waiting_jobs, failed_jobs), backups)) = read.await?;
    let backups = words_of(backups.as_ref());
    let (sends_mail, serves_ssh) = (context.app().sends_mail(), context.app().serves_ssh());
    let version = env!("CARGO_PKG_VERSION");
    Answer::page(&ShowPage {
        frame,
        problems,
        counts,
        waiting_jobs,
        failed_jobs,
        backups,
        sends_mail,
        serves_ssh,
        version,
    })
}

/// The state of the backups, the worst first.
fn words_of(backups: Option<&BackupState>) -> String {
    let Some(backups) = backups else { return "Not configured".to_owned() };
    let state = match backups.failures.first().map(|task| task.kind) {
        Some(TaskKind::Backup) => "The last backup failed",
        Some(TaskKind::Verification | TaskKind::Doctor) => "The last verification failed",
        None if backups.is_overdue => "Overdue",
        None => "On",
    };
    let last = backups.backup.as_ref().and_then(|task| task.started_at).map(Moment::from);
    last.map_or_else(|| format!("{state}; none yet"), |at| format!("{state}; last {}", at.words))
}

/// Sends a mail to the caller, and says why if it was not taken.
pub(super) async fn send_test(context: RequestContext) -> Result<Answer, PageError> {
    match context.app().send_test_mail(context.identity()).await {
        Ok(_) => Ok(Answer::done(&context.own("/admin")).cookie(cookie::of_flash(Flash::TestMailSent))),
        Err(error) => {
            let problems = Problems::of(error)?.under("The email was not sent");
            Ok(page(&context, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}
