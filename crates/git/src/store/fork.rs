//! A copy of a repository that shares its files. Changes of one do not reach the other.

use std::time::Duration;

use crate::command::budget::Budget;
use crate::error::GitError;
use crate::repository::Repository;
use crate::store::Store;

const TIME: Duration = Duration::from_mins(10);

impl Store {
    /// Copies branches, tags and `HEAD` of `from` to `to`, which must not be there. Packs are hard-linked: neither can
    /// take them from the other, and no object of one is served by the other. Refs of merge requests and hidden refs
    /// stay behind. Objects that only they reached are removed by the next [`Repository::maintain`].
    pub fn fork(&self, from: &Repository, to: &Repository) -> Result<(), GitError> {
        if !from.exists() {
            return Err(GitError::NoRepository);
        }
        let draft = self.temporary_folder()?;
        let path = draft.path().join("it.git");
        let full = |error: GitError| error.or_full_disk(draft.path());
        self.engine
            .command("clone")
            .args(["--quiet", "--bare", "--local", "--template=", "--origin=fork"])
            .setting("protocol.file.allow=always")
            .operands([from.path(), &path])
            .time(TIME)
            .budget(Budget::Transfer)
            .bytes()
            .map_err(full)?;
        let copy = Repository::new(self.engine.clone(), path.clone());
        copy.git("remote").args(["remove", "fork"]).bytes().map_err(full)?;
        self.move_into_place(&path, to)
    }
}
