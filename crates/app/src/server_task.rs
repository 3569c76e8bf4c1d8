//! Work of the server on itself: backups, their verification, and the doctor. A process of its own does each of them
//! (`tenon backup`, `tenon admin doctor`); here is when it is due, and what has become of it.

use tenon_domain::event::EventKind;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::server_task::{BackupPlan, ServerTask, TaskEnd, TaskKind, TaskOutcome};
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_storage::server_task;

use crate::core::app::{App, Command, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;

/// The most tasks that [`overview`] returns.
const SHOWN: i64 = 20;
/// The ends of a task that has done its work.
const DONE: [TaskOutcome; 2] = [TaskOutcome::Done, TaskOutcome::Findings];

/// The tasks of the server, as administrators see them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerTasksView {
    /// The plan of backups; `None` if the server makes none.
    pub plan: Option<BackupPlan>,
    /// The state of these backups.
    pub backups: Option<BackupState>,
    /// Tasks that wait or run.
    pub unfinished: Vec<ServerTask>,
    /// The last look of the doctor that has ended.
    pub doctor: Option<ServerTask>,
    /// The newest tasks.
    pub newest: Vec<ServerTask>,
}

/// The state of the backups that the server makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupState {
    /// The last backup that was made.
    pub backup: Option<ServerTask>,
    /// The last one that was verified.
    pub verification: Option<ServerTask>,
    /// The last backup and the last verification, as far as they have failed.
    pub failures: Vec<ServerTask>,
    /// True if the last backup is too old.
    pub is_overdue: bool,
}

/// The tasks of the server; administrators only.
pub fn overview(query: &mut Query<'_>) -> Result<ServerTasksView, AppError> {
    query.administrators_only()?;
    Ok(ServerTasksView {
        plan: query.app.backup_plan().cloned(),
        backups: state(query)?,
        unfinished: server_task::unfinished(&mut query.tx)?,
        doctor: server_task::last(&mut query.tx, TaskKind::Doctor, TaskOutcome::ALL)?,
        newest: server_task::newest(&mut query.tx, SHOWN)?,
    })
}

/// The state of the backups; `None` if the server makes none. Administrators only.
pub fn backup_state(query: &mut Query<'_>) -> Result<Option<BackupState>, AppError> {
    query.administrators_only()?;
    state(query)
}

fn state(query: &mut Query<'_>) -> Result<Option<BackupState>, AppError> {
    let Some(plan) = query.app.backup_plan() else { return Ok(None) };
    let (schedule, now) = (plan.schedule, query.now);
    let backup = server_task::last(&mut query.tx, TaskKind::Backup, &DONE)?;
    let made_at = backup.as_ref().and_then(|task| task.started_at);
    let mut failures = Vec::new();
    for kind in [TaskKind::Backup, TaskKind::Verification] {
        let last = server_task::last(&mut query.tx, kind, TaskOutcome::ALL)?;
        failures.extend(last.filter(|task| task.end.as_ref().is_some_and(|end| end.outcome == TaskOutcome::Failed)));
    }
    let verification = server_task::last(&mut query.tx, TaskKind::Verification, &DONE)?;
    Ok(Some(BackupState { backup, verification, failures, is_overdue: schedule.is_overdue(made_at, now) }))
}

/// Asks for a task; administrators only. Nothing changes if one of the kind waits or runs. Fails if it needs a plan of backups, and
/// there is none.
pub fn request(command: &mut Command<'_>, kind: TaskKind) -> Result<(), AppError> {
    command.query().administrators_only()?;
    if kind != TaskKind::Doctor && command.app.backup_plan().is_none() {
        return Err(AppError::Invalid(FieldErrors::of("backup", "is not configured: see [backup] of tenon.toml")));
    }
    server_task::request(&mut command.tx, kind, command.now)?;
    Ok(())
}

impl App {
    /// The state of the backups, for the program itself; `None` if the server makes none.
    pub async fn backups(&self) -> Result<Option<BackupState>, AppError> {
        if self.backup_plan().is_none() {
            return Ok(None);
        }
        self.read(&Identity::anonymous(), state).await
    }

    /// Notes as failed what a process of the server has begun that has ended since. Only one process serves a database.
    pub fn recover_server_tasks(&self) -> Result<(), AppError> {
        self.command(|command| {
            for task in server_task::unfinished(&mut command.tx)? {
                if task.started_at.is_some() {
                    let end = TaskEnd::new(command.now, TaskOutcome::Failed, CUT_OFF, Vec::new(), None);
                    finish(command, &task, &end)?;
                }
            }
            Ok(())
        })
    }

    /// Begins the task that waits longest, if there is one. What is due by the plan is asked for first.
    pub fn start_server_task(&self) -> Result<Option<ServerTask>, AppError> {
        let is_idle =
            self.query(|query| Ok(due(query)?.is_empty() && server_task::unfinished(&mut query.tx)?.is_empty()))?;
        if is_idle {
            return Ok(None);
        }
        self.command(|command| {
            for kind in due(&mut command.query())? {
                server_task::request(&mut command.tx, kind, command.now)?;
            }
            let waiting = server_task::unfinished(&mut command.tx)?.into_iter().find(|task| task.started_at.is_none());
            let Some(mut task) = waiting else { return Ok(None) };
            server_task::start(&mut command.tx, task.id, command.now)?;
            task.started_at = Some(command.now);
            Ok(Some(task))
        })
    }

    /// Notes the end of a task. A failure is logged, and so is it if backups are overdue.
    pub fn finish_server_task(&self, task: &ServerTask, end: &TaskEnd) -> Result<(), AppError> {
        if end.outcome == TaskOutcome::Done {
            tracing::info!(task = task.kind.as_str(), "{}", end.summary);
        } else {
            tracing::error!(task = task.kind.as_str(), findings = ?end.findings, "{}", end.summary);
        }
        let is_overdue = self.command(|command| {
            finish(command, task, end)?;
            Ok(state(&mut command.query())?.is_some_and(|state| state.is_overdue))
        })?;
        if is_overdue && task.kind == TaskKind::Backup {
            tracing::error!("the last backup is too old: see /admin/backups");
        }
        Ok(())
    }
}

/// When a task that has failed is tried again: longer than a backup that was killed holds its pin.
const AGAIN: TimeDelta = TimeDelta::minutes(15);

/// Why a task has failed that was running when the server ended.
const CUT_OFF: &str = "The server was stopped before the task had ended.";

fn finish(command: &mut Command<'_>, task: &ServerTask, end: &TaskEnd) -> Result<(), AppError> {
    server_task::finish(&mut command.tx, task, end)?;
    let mut event = command.event(EventKind::ServerTaskEnded);
    event.detail = Some(format!("{} {}", task.kind.as_str(), end.outcome.as_str()));
    command.append(&event)
}

/// The kinds of tasks that are due by the plan.
fn due(query: &mut Query<'_>) -> Result<Vec<TaskKind>, AppError> {
    let Some(plan) = query.app.backup_plan() else { return Ok(Vec::new()) };
    let (schedule, now) = (plan.schedule, query.now);
    let mut due = Vec::new();
    for kind in [TaskKind::Backup, TaskKind::Verification] {
        let last: Option<Timestamp> = server_task::last_request(&mut query.tx, kind)?;
        // The first backup is verified as soon as it is made.
        let can_be = kind == TaskKind::Backup || server_task::last(&mut query.tx, TaskKind::Backup, &DONE)?.is_some();
        // A task that has failed, or was cut off, is tried again soon.
        let ended = server_task::last(&mut query.tx, kind, TaskOutcome::ALL)?;
        let failed = ended.filter(|task| Some(task.requested_at) == last).and_then(|task| task.end);
        let failed = failed.filter(|end| end.outcome == TaskOutcome::Failed);
        let is_again = failed.is_some_and(|end| schedule.period(kind).is_some() && now >= end.at + AGAIN);
        if can_be && (is_again || schedule.is_due(kind, last, now)) {
            due.push(kind);
        }
    }
    Ok(due)
}
