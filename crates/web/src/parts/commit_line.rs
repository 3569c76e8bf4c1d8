//! A commit in a line of a list.

use tenon_app::repository::CommitView;

use crate::kit::words::Moment;

pub(crate) struct CommitLine {
    pub(crate) id: String,
    pub(crate) short_id: String,
    pub(crate) title: String,
    pub(crate) author: String,
    pub(crate) at: Moment,
}

impl From<CommitView> for CommitLine {
    fn from(commit: CommitView) -> Self {
        Self {
            id: commit.id,
            short_id: commit.short_id,
            title: commit.title,
            author: commit.author.name,
            at: commit.committer.at.into(),
        }
    }
}
