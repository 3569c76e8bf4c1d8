//! Objects from another repository of this server: how a fork's commits come into the project they are offered to.

use std::time::Duration;

use crate::command::budget::Budget;
use crate::error::GitError;
use crate::name::RefName;
use crate::oid::Oid;
use crate::repository::Repository;

const TIME: Duration = Duration::from_mins(5);

impl Repository {
    /// Copies what `commit` in `from` needs into this repository and sets `to` to it. From then on everybody who may read
    /// this repository may read it, as a merge request intends (reference, git-engine, section 3.4). Fails when the commit
    /// is not there.
    pub fn fetch_from(&self, from: &Self, commit: Oid, to: &RefName) -> Result<(), GitError> {
        if !from.exists() {
            return Err(GitError::NoRepository);
        }
        self.git("fetch")
            .setting("protocol.file.allow=always")
            .args(["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance"])
            .arg("--end-of-options")
            .arg(from.path())
            .arg(format!("+{commit}:{to}"))
            .time(TIME)
            .budget(Budget::Transfer)
            .bytes()?;
        Ok(())
    }
}
