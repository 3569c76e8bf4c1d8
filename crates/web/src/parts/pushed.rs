//! The branches that the reader has just pushed, each with the way to its merge request.

use tenon_app::dashboard::PushedBranch;

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
    pub(crate) fn all(root: &str, found: Vec<PushedBranch>) -> Vec<Self> {
        let one = |branch: PushedBranch| {
            let project = format!("{root}/{}", branch.project_path);
            Self {
                href: format!("{project}/tree/{}", in_path(&branch.name)),
                new: format!("{project}{}", new_request(&branch.name, None)),
                name: branch.name,
                at: branch.at.into(),
            }
        };
        found.into_iter().map(one).collect()
    }
}
