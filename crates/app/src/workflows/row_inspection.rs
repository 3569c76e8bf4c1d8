//! Looking the rows over (`tenon admin doctor`): those that name rows which are not there, and removals whose job was lost.

use std::collections::HashSet;

use serde::Deserialize;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::time::TimeDelta;
use tenon_storage::dangling::{self, Dangling, Remedy};
use tenon_storage::{event, going, job};

use crate::core::app::{App, Command};
use crate::core::error::AppError;
use crate::core::objects::LOST;
use crate::jobs::{Job as _, enqueue};
use crate::project::DeleteProject;
use crate::repository::maintenance::inspect::{Fault, Mending};
use crate::workflows::account_deletion::DeleteUser;
use crate::workflows::group_deletion::DeleteGroup;

/// The most rows of one foreign key that are moved away. More are a sign that a table was lost.
const FEW: i64 = 1_000;
/// The event that asks for a removal is turned into a job within moments.
const YOUNG: TimeDelta = TimeDelta::hours(1);

/// The subject of a job of removal.
#[derive(Deserialize)]
struct Subject {
    project: Option<i64>,
    group: Option<i64>,
    user: Option<i64>,
}

/// Projects, groups and accounts that are hidden and have no job that removes them.
struct WithoutJob {
    projects: Vec<ProjectId>,
    groups: Vec<NamespaceId>,
    users: Vec<UserId>,
}

impl App {
    /// Finds rows that name rows of other tables which are not there. They are mended as the deletion of the named row would have
    /// done: columns that may be empty are cleared, and other rows go. All are first written to a file in the folder of lost things.
    /// Rows that others name stay. Blocks.
    pub(crate) fn inspect_rows(&self, mending: Mending) -> Result<Vec<Fault>, AppError> {
        let found = self.database().read(dangling::find)?;
        found.iter().map(|dangling| self.mend_rows(dangling, mending)).collect()
    }

    fn mend_rows(&self, dangling: &Dangling, mending: Mending) -> Result<Fault, AppError> {
        let Dangling { table, parent, count, remedy, .. } = dangling;
        let text = format!("{table}: rows that name one of {parent} that is not there: {count}");
        let (can_be_mended, promise, done) = match remedy {
            Remedy::Clear(_) => (true, "clears that and keeps them in", "cleared"),
            Remedy::Remove(unnamed) => (unnamed == count, "moves them to", "moved"),
        };
        if *count > FEW || !can_be_mended {
            return Ok(Fault::new(format!("{text}: restore the database from a backup"), false));
        }
        if mending == Mending::LookOnly {
            return Ok(Fault::new(format!("{text}: --fix {promise} {LOST}"), false));
        }
        let key = format!("{LOST}rows/{table}-{parent}-{}.ndjson", self.now().format("%Y%m%dT%H%M%S%6f"));
        let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(AppError::internal)?;
        let mended = self.command(|command| {
            let rows = dangling::rows(&mut command.tx, dangling)?;
            // They may have gone with those of another foreign key.
            if !rows.is_empty() {
                // The file is there before the rows change.
                runtime.block_on(command.app.objects().put(&key, (rows.join("\n") + "\n").into()))?;
                dangling::mend(&mut command.tx, dangling)?;
            }
            Ok(rows.len())
        })?;
        let text = if mended == 0 { text } else { format!("{text}, {done}, see {key}") };
        Ok(Fault::new(text, true))
    }

    /// Finds projects, groups and accounts that were hidden for their removal and for which there is no job, not even a dead one.
    /// Mended, they have one.
    pub(crate) fn inspect_removals(&self, mending: Mending) -> Result<Option<Fault>, AppError> {
        let WithoutJob { projects, groups, users } = self.removals_without_job()?;
        let count = projects.len() + groups.len() + users.len();
        if count == 0 {
            return Ok(None);
        }
        let text = format!("projects, groups and accounts that wait for a removal without a job: {count}");
        if mending == Mending::LookOnly {
            return Ok(Some(Fault::new(format!("{text}: --fix queues it"), false)));
        }
        self.command(|command: &mut Command<'_>| {
            for project in &projects {
                enqueue(command, &DeleteProject { project: project.get() })?;
            }
            for group in &groups {
                enqueue(command, &DeleteGroup { group: group.get(), requested_by: None })?;
            }
            for user in &users {
                // Its texts elsewhere stay: the lost job alone said if they go.
                enqueue(command, &DeleteUser { user: user.get(), hard: false, requested_by: None })?;
            }
            Ok(())
        })?;
        Ok(Some(Fault::new(text, true)))
    }

    fn removals_without_job(&self) -> Result<WithoutJob, AppError> {
        let before = self.now() - YOUNG;
        self.database().read(|tx| {
            // An event that asks for a removal is no job yet.
            if event::any_unrelayed(tx)? {
                return Ok(WithoutJob { projects: Vec::new(), groups: Vec::new(), users: Vec::new() });
            }
            let kinds = [DeleteProject::KIND, DeleteGroup::KIND, DeleteUser::KIND];
            let subjects = job::payloads(tx, &kinds)?;
            let subjects: Vec<Subject> = subjects.iter().filter_map(|it| serde_json::from_str(it).ok()).collect();
            let of = |id: fn(&Subject) -> Option<i64>| subjects.iter().filter_map(id).collect::<HashSet<i64>>();
            Ok(WithoutJob {
                projects: without(going::projects(tx, before)?, ProjectId::get, &of(|it| it.project)),
                groups: without(going::groups(tx, before)?, NamespaceId::get, &of(|it| it.group)),
                users: without(going::users(tx, before)?, UserId::get, &of(|it| it.user)),
            })
        })
    }
}

fn without<T: Copy>(all: Vec<T>, id: fn(T) -> i64, known: &HashSet<i64>) -> Vec<T> {
    all.into_iter().filter(|one| !known.contains(&id(*one))).collect()
}
