//! LFS objects that come with the commits of another project.

use std::collections::BTreeSet;

use tenon_domain::id::ProjectId;
use tenon_domain::lfs::{LfsOid, LfsPointer};
use tenon_git::{Oid, Repository};
use tenon_storage::lfs;

use crate::core::app::App;
use crate::core::error::AppError;
use crate::policy::quota::fits;

/// The most files that are read.
const FILES: usize = 100_000;
/// Objects that are given in one transaction.
const AT_ONCE: usize = 500;

impl App {
    /// Gives a project the LFS objects that files of `commit` name and the project of that commit has, before the commit itself is
    /// brought. Those beyond half of the room for objects are left out. Nothing is asked of Git if the other project has none.
    pub(super) fn bring_lfs_objects(
        &self,
        project: ProjectId,
        (source, repository): (ProjectId, &Repository),
        commit: Oid,
    ) -> Result<(), AppError> {
        let has_some = self.database().read(|tx| Ok::<_, AppError>(lfs::total(tx, source)? > 0))?;
        if source == project || !has_some {
            return Ok(());
        }
        let longest = u64::try_from(LfsPointer::LONGEST).unwrap_or(u64::MAX);
        let mut named = BTreeSet::new();
        let target = self.repositories().store.repository(project);
        target.missing_small_files(repository, commit, (longest, FILES), |content| {
            named.extend(LfsPointer::parse(content).map(|pointer| pointer.oid));
        })?;
        // Every user may propose a merge request: half of the room is left to those who push to the project.
        let room = self.limits().quotas.lfs / 2;
        let named: Vec<LfsOid> = named.into_iter().collect();
        for some in named.chunks(AT_ONCE) {
            self.command(|command| {
                let (tx, now) = (&mut command.tx, command.now);
                let (theirs, ours) = (lfs::linked(tx, source, some)?, lfs::linked(tx, project, some)?);
                let mut kept = u64::try_from(lfs::total(tx, project)?).unwrap_or(0);
                for oid in some.iter().filter(|oid| !ours.contains_key(oid.as_str())) {
                    let Some(size) = theirs.get(oid.as_str()).copied() else { continue };
                    let more = u64::try_from(size).unwrap_or(0);
                    if fits(kept, more, room) {
                        lfs::link(tx, project, oid, size, now)?;
                        kept = kept.saturating_add(more);
                    }
                }
                Ok::<_, AppError>(())
            })?;
        }
        Ok(())
    }
}
