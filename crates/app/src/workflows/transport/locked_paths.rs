//! Refusing pushes that change files which other users have locked.

use std::collections::HashSet;

use tenon_git::hook::{PushedRef, QuarantinePaths};
use tenon_git::{Oid, Repository};
use tenon_storage::lfs::{self, LockFilter};
use tenon_storage::project;

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::push_sessions::{PushSession, Pusher};

impl App {
    /// The sentence for a pusher whose commits change a file that another user has locked. A key locks nothing, so that all locks
    /// are those of others. Without locks of others, nothing is asked of Git.
    pub(super) fn locked_path(
        &self,
        push: &PushSession,
        repository: &Repository,
        refs: &[PushedRef],
        objects: &QuarantinePaths,
    ) -> Result<Option<String>, AppError> {
        let most = i64::try_from(self.limits().contents.lfs_locks).unwrap_or(i64::MAX);
        let not_of = match push.pusher {
            Pusher::User(user) => Some(user),
            Pusher::DeployKey { .. } | Pusher::Mirror { .. } => None,
        };
        let locks = self.database().read(|tx| {
            let locks = lfs::locks(tx, push.project, &LockFilter { not_of, ..LockFilter::default() }, 0, most)?;
            let has_lfs =
                !locks.is_empty() && project::find(tx, push.project)?.is_some_and(|found| found.features.lfs_enabled);
            Ok::<_, AppError>(if has_lfs { locks } else { Vec::new() })
        })?;
        if locks.is_empty() {
            return Ok(None);
        }
        let tips: Vec<Oid> =
            refs.iter().filter_map(|pushed| pushed.new.parse::<Oid>().ok()).filter(|oid| !oid.is_zero()).collect();
        if tips.is_empty() {
            return Ok(None);
        }
        let paths: HashSet<&str> = locks.iter().map(|lock| lock.path.as_str()).collect();
        let changed = repository.quarantine(objects)?.changed_among(&tips, &paths)?;
        let lock = changed.and_then(|path| locks.iter().find(|lock| lock.path == path));
        Ok(lock.map(|lock| format!("The path '{}' is locked in Git LFS by {}", lock.path, lock.owner_name)))
    }
}
