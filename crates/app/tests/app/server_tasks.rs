//! Backups, verifications and the doctor: when they are due, and what has become of them.

use std::path::PathBuf;

use tenon_app::server_task::{self, BackupState};
use tenon_domain::server_task::{BackupPlan, BackupSchedule, ServerTask, TaskEnd, TaskKind, TaskOutcome};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

fn planned(server: &TestServer) -> TestServer {
    let schedule = BackupSchedule { every: TimeDelta::hours(6), verify_every: Some(TimeDelta::days(1)) };
    TestServer::beside_with_backups(server, BackupPlan { folder: PathBuf::from("/backups"), schedule })
}

fn begun(server: &TestServer) -> Option<ServerTask> {
    server.app().start_server_task().unwrap()
}

/// Ends a task as asked.
fn end(server: &TestServer, task: &ServerTask, outcome: TaskOutcome) {
    let end = TaskEnd::new(server.now(), outcome, "as asked", vec!["a finding".to_owned()], Some(7));
    server.app().finish_server_task(task, &end).unwrap();
}

fn state(server: &TestServer) -> BackupState {
    server.app().administer(|command| server_task::backup_state(&mut command.query())).unwrap().unwrap()
}

fn ask(server: &TestServer, kind: TaskKind) {
    server.app().administer(|command| server_task::request(command, kind)).unwrap();
}

#[both_databases]
fn backups_are_made_by_the_plan_and_the_first_one_is_verified(server: &TestServer) {
    assert_eq!(begun(server), None, "no plan, no backups");
    let server = &planned(server);
    assert!(state(server).is_overdue);
    let backup = begun(server).unwrap();
    assert_eq!(backup.kind, TaskKind::Backup);
    server.advance(TimeDelta::minutes(3));
    end(server, &backup, TaskOutcome::Done);
    let state_now = state(server);
    assert!(!state_now.is_overdue && state_now.failures.is_empty());
    assert_eq!(state_now.backup.unwrap().end.unwrap().size, Some(7));
    let verification = begun(server).unwrap();
    assert_eq!(verification.kind, TaskKind::Verification);
    end(server, &verification, TaskOutcome::Findings);
    assert_eq!(begun(server), None);
    // Six hours after it was asked for, not after it has ended.
    server.advance(TimeDelta::minutes(356));
    assert_eq!(begun(server), None);
    server.advance(TimeDelta::minutes(1));
    let backup = begun(server).unwrap();
    end(server, &backup, TaskOutcome::Failed);
    let failed = state(server).failures;
    assert_eq!(failed.len(), 1, "{failed:?}");
    // A failed one is tried again in a quarter of an hour. The last good one gets old.
    assert_eq!(begun(server), None);
    server.advance(TimeDelta::minutes(15));
    let failing = begun(server).unwrap();
    end(server, &failing, TaskOutcome::Failed);
    server.advance(TimeDelta::hours(6));
    assert!(state(server).is_overdue);
    let again = begun(server).unwrap();
    end(server, &again, TaskOutcome::Done);
    assert!(!state(server).is_overdue && state(server).failures.is_empty());
}

#[both_databases]
fn a_task_that_the_end_of_the_server_has_cut_off_is_noted(server: &TestServer) {
    ask(server, TaskKind::Doctor);
    ask(server, TaskKind::Doctor);
    let doctor = begun(server).unwrap();
    assert_eq!(doctor.kind, TaskKind::Doctor);
    server.app().recover_server_tasks().unwrap();
    let seen = server.app().administer(|command| server_task::overview(&mut command.query())).unwrap();
    assert!(seen.unfinished.is_empty() && seen.newest.len() == 1, "{seen:?}");
    assert!(seen.doctor.unwrap().end.unwrap().summary.contains("was stopped"));
    let events = server.database().count("SELECT COUNT(*) FROM events WHERE kind = 'server_task_ended'");
    assert_eq!(events, 1);
    // One that waits stays.
    ask(server, TaskKind::Doctor);
    server.app().recover_server_tasks().unwrap();
    assert_eq!(begun(server).map(|task| task.kind), Some(TaskKind::Doctor));
}

#[both_databases]
fn only_the_newest_tasks_are_kept(server: &TestServer) {
    let server = &planned(server);
    for at in 0..33 {
        ask(server, TaskKind::Doctor);
        while let Some(task) = begun(server) {
            let outcome = if at == 0 { TaskOutcome::Done } else { TaskOutcome::Failed };
            end(server, &task, outcome);
        }
    }
    let count =
        |kind: &str| server.database().count(&format!("SELECT COUNT(*) FROM server_tasks WHERE kind = '{kind}'"));
    // The one that was done stays beside the thirty that failed last.
    assert_eq!([count("doctor"), count("backup")], [31, 1]);
    assert!(server_task_is_refused(server));
}

/// True if a caller who is no administrator may neither see tasks nor ask for one.
fn server_task_is_refused(server: &TestServer) -> bool {
    let seen = server.app().command(|command| server_task::overview(&mut command.query()).map(drop));
    let asked = server.app().command(|command| server_task::request(command, TaskKind::Doctor));
    seen.is_err() && asked.is_err()
}
