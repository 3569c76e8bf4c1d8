//! Branches and tags as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::repository::{BranchView, TagView};
use tenon_domain::release::Release;
use utoipa::ToSchema;

use super::commit::CommitDto;

/// A branch.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_excessive_bools, reason = "the API has this many")]
pub(crate) struct BranchDto {
    name: String,
    commit: CommitDto,
    /// True if the branch is merged into the default branch.
    merged: bool,
    /// True if the branch is protected.
    protected: bool,
    developers_can_push: bool,
    developers_can_merge: bool,
    /// True if the caller may push to the branch.
    can_push: bool,
    default: bool,
    web_url: String,
}

impl From<BranchView> for BranchDto {
    fn from(view: BranchView) -> Self {
        Self {
            name: view.name,
            commit: view.commit.into(),
            merged: view.merged,
            protected: view.protected,
            developers_can_push: view.developers_can_push,
            developers_can_merge: view.developers_can_merge,
            can_push: view.can_push,
            default: view.default,
            web_url: view.web_url,
        }
    }
}

/// A tag.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TagDto {
    name: String,
    /// The message of an annotated tag.
    message: Option<String>,
    /// The tag object if it is annotated, else the commit.
    target: String,
    /// The tagged commit.
    commit: Option<CommitDto>,
    release: Option<ReleaseNotesDto>,
    /// True if the tag is protected.
    protected: bool,
    /// When an annotated tag was created.
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    created_at: Option<DateTime<Utc>>,
}

/// The release notes of a tag.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReleaseNotesDto {
    tag_name: String,
    description: String,
}

impl From<TagView> for TagDto {
    fn from(view: TagView) -> Self {
        Self {
            name: view.name,
            message: view.message,
            target: view.target,
            commit: view.commit.map(Into::into),
            release: view.release.map(Into::into),
            protected: view.protected,
            created_at: view.created_at,
        }
    }
}

impl From<Release> for ReleaseNotesDto {
    fn from(release: Release) -> Self {
        Self { tag_name: release.tag_name, description: release.description }
    }
}
