//! Removing the bytes of objects that no project has any more.
//!
//! A removed project takes its links along, and marks the objects that only it had. The bytes of these go two weeks later, unless a
//! project has got them again.

use serde::{Deserialize, Serialize};
use tenon_domain::time::TimeDelta;
use tenon_storage::backup::pin;
use tenon_storage::job::Queue;
use tenon_storage::lfs;

use crate::core::app::App;
use crate::core::error::AppError;
use crate::jobs::{AsyncJob, Job};
use crate::shared::files::stored::lfs_key;

/// How long an object is kept that no project has.
const KEPT: TimeDelta = TimeDelta::days(14);
/// Objects that are looked up at once.
const BATCH: i64 = 100;
/// The most objects that one run removes: the next run removes the others.
const MOST: usize = 10_000;

/// Removes the bytes of objects that no project has any more.
#[derive(Serialize, Deserialize)]
pub(crate) struct CollectLfsObjects {}

impl Job for CollectLfsObjects {
    const KIND: &'static str = "collect_lfs_objects";
    const QUEUE: Queue = Queue::Short;
}

impl AsyncJob for CollectLfsObjects {
    async fn run(self, app: &App) -> Result<(), AppError> {
        collect(app)
    }
}

/// [`AppError::Busy`] while a backup runs. A fault ends the run.
fn collect(app: &App) -> Result<(), AppError> {
    let until = app.now() - KEPT;
    let mut removed = 0;
    while removed < MOST {
        let found = app.database().read(|tx| lfs::unlinked_since(tx, until, BATCH).map_err(AppError::from))?;
        if found.is_empty() {
            return Ok(());
        }
        app.check_removal()?;
        for oid in found {
            app.command(|command| {
                // Uploads link in such a transaction as well, and look if the bytes are still there.
                let now = command.now;
                if !pin::is_held(&mut command.tx, now)? && lfs::remove_unlinked(&mut command.tx, &oid, until)? {
                    command.app.objects().delete_now(&lfs_key(&oid))?;
                }
                Ok::<_, AppError>(())
            })?;
            removed += 1;
        }
    }
    Ok(())
}
