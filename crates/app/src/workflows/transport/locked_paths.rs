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
        let (locks, home) = self.database().read(|tx| {
            let locks = lfs::locks(tx, push.project, &LockFilter { not_of, ..LockFilter::default() }, 0, most)?;
            let home = if locks.is_empty() { None } else { project::find(tx, push.project)? };
            Ok::<_, AppError>((locks, home.filter(|found| found.features.lfs_enabled)))
        })?;
        let Some(home) = home else { return Ok(None) };
        let tips: Vec<Oid> =
            refs.iter().filter_map(|pushed| pushed.new.parse::<Oid>().ok()).filter(|oid| !oid.is_zero()).collect();
        if tips.is_empty() {
            return Ok(None);
        }
        let paths: HashSet<&str> = locks.iter().map(|lock| lock.path.as_str()).collect();
        let quarantine = repository.quarantine(objects)?;
        let mut changed = quarantine.changed_among(&tips, &paths)?;
        // A merge that takes one side whole, and a forced push, change files by no commit of their own.
        let default = home.default_branch.map(|branch| format!("refs/heads/{branch}"));
        for pushed in refs.iter().filter(|pushed| Some(&pushed.name) == default.as_ref()) {
            if let (None, Ok(old), Ok(new)) = (&changed, pushed.old.parse::<Oid>(), pushed.new.parse::<Oid>())
                && !old.is_zero()
                && !new.is_zero()
            {
                changed = quarantine.differs_among(old, new, &paths)?;
            }
        }
        let lock = changed.and_then(|path| locks.iter().find(|lock| lock.path == path));
        Ok(lock.map(|lock| format!("The path '{}' is locked in Git LFS by {}", lock.path, lock.owner_name)))
    }
}
