//! The lines of the file of code owners that the merge of a merge request touches, by Git.

use std::collections::BTreeSet;

use tenon_domain::file_path::FilePath;
use tenon_domain::repository::code_owners::{CodeOwners, OwnersRefusal, Steps, TouchedOwners};
use tenon_git::Oid;
use tenon_git::merge::MergeCheck;

use super::mergeability::MergeRepositories;
use crate::core::error::AppError;
use crate::repository::read::code_owners::OwnersFile;

/// The most changed files that are compared with the patterns.
const MAX_PATHS: usize = 10_000;
/// The most merge bases with which the source is compared.
const MAX_BASES: usize = 16;
/// The steps that these comparisons may take.
const STEPS: u64 = 100_000_000;

impl MergeRepositories {
    /// The lines of the file of code owners of `target` that the merge of `source` into it touches. The target's
    /// repository has both commits, and `check` is its answer about them. Asks Git for the changed paths, if there is such a
    /// file.
    pub(super) fn touched_owners(
        &self,
        target: Oid,
        source: Oid,
        check: &MergeCheck,
    ) -> Result<TouchedOwners, AppError> {
        let Some(file) = OwnersFile::find(&self.target, target)? else { return Ok(TouchedOwners::default()) };
        let found = match file.content {
            Ok((text, content)) => self.excerpt(&text, &content, (target, source), check)?,
            Err(refusal) => Err(refusal),
        };
        Ok(match found {
            Ok(lines) => TouchedOwners { lines, refusal: None },
            Err(refusal) => TouchedOwners { lines: String::new(), refusal: Some(refusal) },
        })
    }

    fn excerpt(
        &self,
        text: &str,
        content: &CodeOwners,
        (target, source): (Oid, Oid),
        check: &MergeCheck,
    ) -> Result<Result<String, OwnersRefusal>, AppError> {
        let Some(paths) = self.merged_paths(target, source, check)? else {
            return Ok(Err(OwnersRefusal::TooManyPaths));
        };
        Ok(content.excerpt(text, paths.iter().map(FilePath::as_kept), &mut Steps::new(STEPS)))
    }

    /// The paths that a merge changes in the target. `None` if there are too many.
    ///
    /// A clean merge changes those in which the target and the merged tree differ. The difference between one merge base and
    /// the source is another one if there are several: it lacks the paths in which the source is like that base only.
    /// Without a clean merge, the paths are those that differ from any of the merge bases.
    fn merged_paths(
        &self,
        target: Oid,
        source: Oid,
        check: &MergeCheck,
    ) -> Result<Option<BTreeSet<FilePath>>, AppError> {
        let pairs = match check {
            MergeCheck::Clean(tree) => vec![(target, *tree)],
            MergeCheck::Unrelated => vec![(target, source)],
            MergeCheck::Conflicts(_) => {
                let Some(bases) = self.target.merge_bases(target, source, MAX_BASES)? else { return Ok(None) };
                bases.into_iter().map(|base| (base, source)).collect()
            }
        };
        let mut all = BTreeSet::new();
        for (from, to) in pairs {
            let Some(paths) = self.target.differing_paths(from, to, MAX_PATHS)? else { return Ok(None) };
            all.extend(paths);
            if all.len() > MAX_PATHS {
                return Ok(None);
            }
        }
        Ok(Some(all))
    }
}
