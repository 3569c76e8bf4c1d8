//! Projects.

mod ability;
pub mod expiration;
mod features;
mod level;
pub mod mirror;
mod rules;
pub mod setting;

pub use ability::{ProjectAction, ProjectFacts, decide};
pub use features::{Feature, FeatureChanges, Features};
pub use level::{FeatureLevel, LEVELS};
pub(crate) use rules::NAME_FORMAT;
pub use rules::{
    check_ci_config_path, check_description, check_name, check_path, check_tags, clean_tags, is_invisible,
    visibility_above_group, visibility_above_source,
};

use crate::avatar::Avatar;
use crate::id::{NamespaceId, ProjectId, UserId};
pub use crate::settings::FIRST_BRANCH;
use crate::settings::Values;
use crate::time::Timestamp;
use crate::visibility::Visibility;

/// A project as it is stored, without what belongs to its namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The project's id.
    pub id: ProjectId,
    /// The namespace of its path.
    pub namespace: NamespaceId,
    /// Who made it; `None` once that account is gone.
    pub creator: Option<UserId>,
    /// Display name.
    pub name: String,
    /// Last segment of the path.
    pub path: String,
    /// Its description.
    pub description: Option<String>,
    /// How open it is.
    pub visibility: Visibility,
    /// Read-only for everybody.
    pub archived: bool,
    /// The branch that clones start from; `None` while the repository is empty.
    pub default_branch: Option<String>,
    /// The branch that `HEAD` of the empty repository names: it becomes the default one if it is among those that come first.
    pub unborn_branch: String,
    /// The picture, if one was uploaded.
    pub avatar: Option<Avatar>,
    /// Path of the CI configuration, if it is not the usual one.
    pub ci_config_path: Option<String>,
    /// How merge requests are merged.
    pub merge_method: MergeMethod,
    /// The switches.
    pub features: Features,
    /// The settings of the table in [`setting`].
    pub settings: Values,
    /// The project it was forked from.
    pub forked_from: Option<ProjectId>,
    /// The source of its repository.
    pub import: Import,
    /// The address that the repository was imported from, without credentials.
    pub imported_from: Option<String>,
    /// How many users have starred it.
    pub star_count: i64,
    /// How many projects were forked from it directly.
    pub forks_count: i64,
    /// How many of its issues are open.
    pub open_issues_count: i64,
    /// The last push, issue, merge request or note.
    pub last_activity_at: Timestamp,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Project {
    /// The branch at which clones begin: of an empty repository, the one that is still to come. `None` while the repository is
    /// filled from elsewhere, which brings its own.
    #[must_use]
    pub fn head_branch(&self) -> Option<&str> {
        let unborn = match self.import {
            Import::None | Import::Finished | Import::Failed(_) => Some(self.unborn_branch.as_str()),
            Import::Scheduled | Import::Started => None,
        };
        self.default_branch.as_deref().or(unborn)
    }
}

/// How merge requests of a project are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MergeMethod {
    /// A merge commit for every merge.
    #[default]
    Merge,
    /// A merge commit for every merge, only if fast-forward is possible.
    RebaseMerge,
    /// No merge commits, only if fast-forward is possible.
    FastForward,
}

impl MergeMethod {
    /// All methods.
    pub const ALL: [Self; 3] = [Self::Merge, Self::RebaseMerge, Self::FastForward];

    /// The word in the API and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::RebaseMerge => "rebase_merge",
            Self::FastForward => "ff",
        }
    }

    /// The method of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.as_str() == text)
    }
}

/// How far the filling of a repository from elsewhere has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Import {
    /// The repository was made here.
    #[default]
    None,
    /// Asked for.
    Scheduled,
    /// Under way.
    Started,
    /// Done.
    Finished,
    /// Given up, with a reason that maintainers may read.
    Failed(String),
}

impl Import {
    /// The word in the API and in the database.
    #[must_use]
    pub const fn status(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Scheduled => "scheduled",
            Self::Started => "started",
            Self::Finished => "finished",
            Self::Failed(_) => "failed",
        }
    }

    /// The reason of a failure.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Failed(reason) => Some(reason),
            Self::None | Self::Scheduled | Self::Started | Self::Finished => None,
        }
    }

    /// The import of that status; `error` belongs to a failure only.
    #[must_use]
    pub fn parse(status: &str, error: Option<String>) -> Option<Self> {
        Some(match status {
            "none" => Self::None,
            "scheduled" => Self::Scheduled,
            "started" => Self::Started,
            "finished" => Self::Finished,
            "failed" => Self::Failed(error.unwrap_or_default()),
            _ => return None,
        })
    }
}
