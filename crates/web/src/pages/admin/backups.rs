//! Backups, their verification and the doctor: what was done last, and a button for each.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::server_task::{self, ServerTasksView};
use tenon_domain::server_task::{ServerTask, TaskEnd, TaskKind, TaskOutcome};
use tenon_domain::time::TimeDelta;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::kit::text;
use crate::kit::words::{self, Moment};

const ADDRESS: &str = "/admin/backups";

#[derive(Template)]
#[template(path = "admin/backups.html")]
struct BackupsPage {
    frame: Frame,
    problems: Problems,
    /// The folder of backups and how often they are made, if the server makes any.
    plan: Option<(String, String)>,
    is_overdue: bool,
    lines: Vec<Line>,
    tasks: Vec<TaskRow>,
}

/// A kind of task, with the last one of it.
struct Line {
    name: &'static str,
    kind: &'static str,
    button: &'static str,
    /// False if it needs a plan, and there is none.
    is_possible: bool,
    /// `waiting` or `running`, if one is under way.
    under_way: Option<&'static str>,
    last: Option<TaskRow>,
}

/// A task.
struct TaskRow {
    name: &'static str,
    at: Moment,
    state: &'static str,
    class: &'static str,
    took: Option<String>,
    size: Option<String>,
    /// In paragraphs.
    summary: Vec<String>,
    findings: Vec<String>,
}

const fn name(kind: TaskKind) -> &'static str {
    match kind {
        TaskKind::Backup => "Backup",
        TaskKind::Verification => "Verification",
        TaskKind::Doctor => "Doctor",
    }
}

impl TaskRow {
    fn of(task: ServerTask) -> Self {
        let begun = task.started_at.unwrap_or(task.requested_at);
        let (state, class) = match task.end.as_ref().map(|end| end.outcome) {
            Some(TaskOutcome::Done) => ("Done", "open"),
            Some(TaskOutcome::Findings) => ("Findings", "closed"),
            Some(TaskOutcome::Failed) => ("Failed", "closed"),
            None if task.started_at.is_some() => ("Running", ""),
            None => ("Waiting", ""),
        };
        let took = task.end.as_ref().map(|end| lasted(end.at - begun));
        let size = task.end.as_ref().and_then(|end| end.size).and_then(|size| u64::try_from(size).ok()).map(text::size);
        let (summary, findings) = task.end.map_or_else(Default::default, |TaskEnd { summary, findings, .. }| {
            (summary.lines().map(str::to_owned).collect(), findings)
        });
        Self { name: name(task.kind), at: begun.into(), state, class, took, size, summary, findings }
    }
}

/// A time that has passed, in words.
fn lasted(time: TimeDelta) -> String {
    let seconds = time.num_seconds().max(0);
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => words::count(seconds, "second", "seconds"),
        (0, minutes, _) => words::count(minutes, "minute", "minutes"),
        (hours, _, _) => words::count(hours, "hour", "hours"),
    }
}

/// A period of a plan, in words.
fn period(time: TimeDelta) -> String {
    match time.num_hours() {
        1 => "each hour".to_owned(),
        24 => "each day".to_owned(),
        hours if hours % 24 == 0 => format!("each {} days", hours / 24),
        hours => format!("each {hours} hours"),
    }
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    page(&context, Problems::default()).await
}

async fn page(context: &RequestContext, problems: Problems) -> Result<Answer, PageError> {
    let (frame, found) = context.read(server_task::overview).await?;
    let ServerTasksView { plan, backups, unfinished, doctor, newest } = found;
    let is_overdue = backups.as_ref().is_some_and(|state| state.is_overdue);
    let (backup, verification) = backups.map_or((None, None), |state| (state.backup, state.verification));
    let line = |kind: TaskKind, button, last: Option<ServerTask>| Line {
        name: name(kind),
        kind: kind.as_str(),
        button,
        is_possible: kind == TaskKind::Doctor || plan.is_some(),
        under_way: unfinished
            .iter()
            .find(|task| task.kind == kind)
            .map(|task| if task.started_at.is_some() { "running" } else { "waiting" }),
        last: last.map(TaskRow::of),
    };
    let lines = vec![
        line(TaskKind::Backup, "Back up now", backup),
        line(TaskKind::Verification, "Verify now", verification),
        line(TaskKind::Doctor, "Run the doctor", doctor),
    ];
    let plan = plan.map(|plan| (plan.folder.display().to_string(), period(plan.schedule.every)));
    let tasks = newest.into_iter().map(TaskRow::of).collect();
    Answer::page(&BackupsPage { frame, problems, plan, is_overdue, lines, tasks })
}

/// Asks for a task.
pub(super) async fn request(context: RequestContext) -> Result<Answer, PageError> {
    let kind = TaskKind::parse(&context.form().text("", "kind")).ok_or(PageError::NotFound)?;
    match context.write(move |command| server_task::request(command, kind)).await {
        Ok(()) => Ok(Answer::done(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::TaskRequested))),
        Err(error @ AppError::Invalid(_)) => {
            let problems = Problems::of(error)?.under("The task was not started");
            Ok(page(&context, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_words() {
        let words = [0, 1, 59, 60, 7_300].map(|seconds| lasted(TimeDelta::seconds(seconds)));
        assert_eq!(words, ["0 seconds", "1 second", "59 seconds", "1 minute", "2 hours"]);
        let words = [1, 6, 24, 72].map(|hours| period(TimeDelta::hours(hours)));
        assert_eq!(words, ["each hour", "each 6 hours", "each day", "each 3 days"]);
    }
}
