//! The sizes of the objects of a push after Git has unpacked them, when the type of every object is known.

use tenon_domain::limits::PushLimits;

use super::kinds::SmallKind;
use super::{PushRefusal, check_size};
use crate::command::budget::Budget;
use crate::error::GitError;
use crate::hook::QuarantinePaths;
use crate::repository::Repository;

impl Repository {
    /// Why a push whose objects lie at `paths` is refused, if one of them is over the limit of its type. Reads sizes only, of
    /// the objects of the push only.
    pub fn oversized_object(
        &self,
        paths: &QuarantinePaths,
        limits: &PushLimits,
    ) -> Result<Option<PushRefusal>, GitError> {
        // Refuses paths that are not in this repository.
        self.quarantine(paths)?;
        // A push without objects has no directory for them.
        let Some(objects) = &paths.objects else { return Ok(None) };
        self.oversized(Some(objects), limits)
    }

    /// As [`Repository::oversized_object`], of all objects in this directory, or of all in the repository.
    pub(crate) fn oversized(
        &self,
        objects: Option<&str>,
        limits: &PushLimits,
    ) -> Result<Option<PushRefusal>, GitError> {
        let sizes = self
            .git("cat-file")
            .args(["--batch-all-objects", "--unordered", "--batch-check=%(objecttype) %(objectsize)"])
            .envs(objects.map(|objects| ("GIT_OBJECT_DIRECTORY", objects.into())))
            // A push may bring millions of objects.
            .time(self.limits().push.judge_time)
            .budget(Budget::Transfer)
            .stream()?;
        sizes.find_record(b'\n', |line| {
            let text = std::str::from_utf8(line).ok()?;
            let (kind, size) = text.split_once(' ')?;
            let kind = match kind {
                "commit" | "tag" => Some(SmallKind::Commit),
                "tree" => Some(SmallKind::Tree),
                _ => None,
            };
            check_size(limits, size.parse().ok()?, kind).err()
        })
    }
}
