//! The first page of administration: the state of the server, and totals.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::jobs;
use tenon_app::statistics::{self, Counts};

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::Problems;

#[derive(Template)]
#[template(path = "admin/show.html")]
struct ShowPage {
    frame: Frame,
    problems: Problems,
    counts: Counts,
    waiting_jobs: i64,
    failed_jobs: i64,
    sends_mail: bool,
    serves_ssh: bool,
    version: &'static str,
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    page(&context, Problems::default()).await
}

async fn page(context: &RequestContext, problems: Problems) -> Result<Answer, PageError> {
    let read = context.read(|query| Ok((statistics::count(query)?, jobs::totals(query)?)));
    let (frame, (counts, (waiting_jobs, failed_jobs))) = read.await?;
    let (sends_mail, serves_ssh) = (context.app().sends_mail(), context.app().serves_ssh());
    let version = env!("CARGO_PKG_VERSION");
    Answer::page(&ShowPage { frame, problems, counts, waiting_jobs, failed_jobs, sends_mail, serves_ssh, version })
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
