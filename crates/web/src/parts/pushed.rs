//! The branches that the reader has just pushed, each with the way to its merge request.

use tenon_app::App;
use tenon_app::dashboard::{self, PushedBranch};
use tenon_app::error::AppError;

use crate::kit::address::{in_path, new_request};
use crate::kit::words::Moment;

/// A branch that the reader has just pushed, and that has no merge request.
pub(crate) struct JustPushed {
    pub(crate) name: String,
    pub(crate) href: String,
    /// The form of a merge request that offers it.
    pub(crate) new: String,
    pub(crate) at: Moment,
}

impl JustPushed {
    /// Those of these branches that a project suggests.
    pub(crate) async fn all(app: &App, root: &str, found: Vec<PushedBranch>) -> Result<Vec<Self>, AppError> {
        let found = dashboard::unmerged(app, found, dashboard::MOST_SUGGESTED).await?;
        let one = |branch: PushedBranch| {
            let project = format!("{root}/{}", branch.project_path);
            Self {
                href: format!("{project}/tree/{}", in_path(&branch.name)),
                new: format!("{project}{}", new_request(&branch.name, None)),
                name: branch.name,
                at: branch.at.into(),
            }
        };
        Ok(found.into_iter().map(one).collect())
    }
}
