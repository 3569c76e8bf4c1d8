//! The commits and changes that a merge request would bring, before it is made.

use tenon_app::error::AppError;
use tenon_app::repository::{self, ComparisonPage, WhiteSpace};

use crate::context::project::ProjectContext;
use crate::kit::address::in_path;
use crate::kit::error::PageError;
use crate::parts::commit_line::CommitLine;
use crate::parts::diff::{ChangedFile, TOO_MUCH, all_changed};

/// The commits and changes of the source branch since it left the target branch.
pub(super) struct Compared {
    pub(super) commits: Vec<CommitLine>,
    pub(super) has_more_commits: bool,
    pub(super) files: Vec<ChangedFile>,
    pub(super) is_cut: bool,
    /// The source branch, as part of addresses.
    pub(super) revision: String,
}

impl Compared {
    /// Reads them from the project of the source branch. `target` is a branch there, or a commit. None if one of them is
    /// missing, or if Git has no time: the form needs neither.
    pub(super) async fn read(context: &ProjectContext, source: &str, target: &str) -> Result<Option<Self>, PageError> {
        if source.is_empty() || target.is_empty() || source == target {
            return Ok(None);
        }
        let (app, sides) = (context.request.app(), (target.to_owned(), source.to_owned()));
        let found = repository::comparison_page(app, context.code()?, sides, false, WhiteSpace::Counts).await;
        let ComparisonPage { commits, has_more_commits, files, is_cut, head, sides, .. } = match found {
            Ok(found) => found,
            Err(AppError::NotFound(_) | AppError::Busy { .. } | AppError::TookTooLong { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let files = all_changed(app, Some(&sides), files, &head).await?;
        Ok(Some(Self {
            commits: commits.into_iter().map(Into::into).collect(),
            has_more_commits,
            is_cut: is_cut || files.iter().any(|file| file.note == TOO_MUCH),
            files,
            revision: in_path(source),
        }))
    }
}
