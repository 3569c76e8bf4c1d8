//! Objects from another repository of this server: the commits of a fork come into the project they are offered to.

use std::time::Duration;

use crate::command::budget::Budget;
use crate::error::GitError;
use crate::name::RefName;
use crate::objects::Objects;
use crate::oid::Oid;
use crate::repository::Repository;

const TIME: Duration = Duration::from_mins(5);
/// The longest line of a list of objects.
const LINE: usize = 200;

impl Repository {
    /// About how many bytes [`Repository::fetch_from`] brings: the objects that `commit` needs in `from` and no ref of
    /// this repository reaches, in the size they have there. Fails if the commit is not there.
    pub fn missing_size(&self, from: &Self, commit: Oid) -> Result<u64, GitError> {
        let text = self
            .git("rev-list")
            .args(["--objects", "--disk-usage", "--stdin"])
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", from.as_alternate())
            .input(format!("{commit}\n--not\n--all\n"))
            .time(TIME)
            .budget(Budget::Transfer)
            .text()?;
        text.trim().parse().map_err(|_error| GitError::Unexpected("rev-list"))
    }

    /// Hands over the contents of small files that [`Repository::fetch_from`] brings: of those with at most `most` bytes the first
    /// `count`. Fails if the commit is not there.
    pub fn missing_small_files(
        &self,
        from: &Self,
        commit: Oid,
        (most, count): (u64, usize),
        mut take: impl FnMut(&[u8]),
    ) -> Result<(), GitError> {
        let beside = |name: &'static str| {
            let command = self.git(name).env("GIT_ALTERNATE_OBJECT_DIRECTORIES", from.as_alternate());
            command.time(TIME).budget(Budget::Transfer)
        };
        let mut lines = beside("rev-list")
            .args(["--objects", "--no-object-names", "--filter-provided-objects", "--filter=object:type=blob"])
            .arg(format!("--filter=blob:limit={}", most.saturating_add(1)))
            .arg("--stdin")
            .input(format!("{commit}\n--not\n--all\n"))
            .stream()?
            .records();
        let mut ids: Vec<Oid> = Vec::new();
        while ids.len() < count
            && let Some(line) = lines.next(b'\n', LINE)?
        {
            ids.extend(std::str::from_utf8(&line).ok().and_then(|line| line.parse::<Oid>().ok()));
        }
        drop(lines);
        Objects::buffered(beside("cat-file")).each_small(&ids, most, |_, found| {
            if let Some((_, Some(content))) = found {
                take(&content);
            }
        })
    }

    /// Copies the objects that `commit` in `from` needs into this repository and sets `to` to it. From then on
    /// everybody who may read this repository may read it, as a merge request intends. Fails if the commit is not
    /// there.
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
            .bytes()
            .map_err(|error| self.write_failure(error))?;
        Ok(())
    }
}
