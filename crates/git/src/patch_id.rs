//! The id of a patch: the same for the same change, wherever it is applied.

use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;

impl Repository {
    /// The stable id of the patch that leads from one commit to another, as `git patch-id` computes it. `None` of an
    /// empty patch, and of one with more than `most` bytes.
    pub fn patch_id(&self, from: Oid, to: Oid, most: usize) -> Result<Option<Oid>, GitError> {
        let patch = self
            .git("diff-tree")
            .args(["-r", "--patch", "--full-index", "--no-renames"])
            .args(["--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"])
            .operands([from.to_string(), to.to_string()])
            .output(most)
            .bytes();
        let patch = match patch {
            Err(GitError::TooLarge(_) | GitError::Timeout(_)) => return Ok(None),
            other => other?,
        };
        let found = match self.git("patch-id").arg("--stable").input(patch).bytes() {
            Err(GitError::TooLarge(_) | GitError::Timeout(_)) => return Ok(None),
            other => other?,
        };
        Ok(found.split(|byte| *byte == b' ').next().and_then(Oid::from_bytes))
    }
}
