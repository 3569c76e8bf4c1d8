//! Tidying repositories up, and looking for what the database has missed, every now and then.

use tenon_domain::id::ProjectId;
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_storage::project;

use super::reconcile::unreadable;
use crate::app::App;
use crate::error::AppError;
use crate::jobs::{Work, enqueue, enqueue_at};

/// How many projects one job looks at.
const BATCH: i64 = 200;
/// How long refs may be ahead of the database: a push that is being taken in needs no help.
const GRACE: TimeDelta = TimeDelta::minutes(2);

/// Looks at the repositories of the projects that come after this one, a few, and asks for the next ones: the untidy ones are
/// tidied up, those that the database does not know well are looked at again. Before the first, merges that were cut off are
/// dealt with. Doing it again does no harm.
pub(crate) async fn look_after(app: &App, after: ProjectId) -> Result<(), AppError> {
    let app = app.clone();
    app.clone()
        .on_git(move || {
            if after.get() == 0 {
                app.recover_merges(false)?;
            }
            let ids = app.parts().database.read(|tx| project::ids_after(tx, after, BATCH))?;
            let now = app.now();
            let mut wanted = Vec::new();
            for id in &ids {
                match app.needs_of(*id, now) {
                    Ok(needs) => wanted.extend(needs),
                    Err(error) => unreadable(*id, &error),
                }
            }
            wanted.extend(ids.last().map(|last| (Work::LookAfterRepositories { after: last.get() }, now)));
            app.command(|command| wanted.iter().try_for_each(|(work, at)| enqueue_at(command, work, *at)))
        })
        .await
}

impl App {
    /// What is to be done for a repository, and when.
    fn needs_of(&self, id: ProjectId, now: Timestamp) -> Result<Vec<(Work, Timestamp)>, AppError> {
        let mut needs = Vec::new();
        if self.repositories().store.repository(id).is_untidy(now)? {
            needs.push((Work::MaintainRepository { project: id.get() }, now));
        }
        if !self.unseen_moves(id)?.is_empty() {
            needs.push((Work::ReconcileRepository { project: id.get() }, now + GRACE));
        }
        Ok(needs)
    }
}

/// Packs a repository, and drops what nothing has reached for long. Idempotent. It blocks for as long as it takes, on the
/// thread of its job: those that Git has for requests stay free.
pub(crate) fn maintain(app: &App, id: ProjectId) -> Result<(), AppError> {
    let repository = app.repositories().store.repository(id);
    if !repository.exists() {
        return Ok(());
    }
    repository.maintain_at(app.now())?;
    // It has become smaller.
    app.command(|command| enqueue(command, &Work::RefreshRepository { project: id.get() }))
}

/// Takes in what the refs of a project are, unless somebody pushes to it right now. Doing it again does no harm.
pub(crate) async fn reconcile_one(app: &App, id: ProjectId) -> Result<(), AppError> {
    let app = app.clone();
    app.clone()
        .on_git(move || {
            if app.pushes().is_under_way(id) {
                return app.command(|command| {
                    let later = command.now + GRACE;
                    enqueue_at(command, &Work::ReconcileRepository { project: id.get() }, later)
                });
            }
            if app.reconcile_refs(id)? {
                tracing::warn!(project = %id, "the database had fallen behind the repository");
            }
            Ok(())
        })
        .await
}
