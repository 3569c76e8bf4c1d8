//! Releases as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::release::{LinkView, PageLinks, ReleaseView, Source};
use utoipa::ToSchema;

use super::milestone::MilestoneDto;
use super::repository::CommitDto;
use super::user::UserRefDto;

/// A release.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReleaseDto {
    tag_name: String,
    /// The name; that of the tag if none was set.
    name: String,
    /// Markdown.
    description: String,
    /// On request.
    #[serde(skip_serializing_if = "Option::is_none")]
    description_html: Option<String>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    released_at: DateTime<Utc>,
    /// True if `released_at` is in the future.
    upcoming_release: bool,
    /// Omitted if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<UserRefDto>,
    /// The commit of the tag; omitted if the tag was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<CommitDto>,
    /// Omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    milestones: Vec<MilestoneDto>,
    /// The page of the commit, without the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit_path: Option<String>,
    /// The page of the tag, without the host.
    tag_path: String,
    assets: AssetsDto,
    /// Always empty.
    #[schema(value_type = Vec<serde_json::Value>)]
    evidences: [(); 0],
    #[serde(rename = "_links")]
    links: PageLinksDto,
}

/// Downloads.
#[derive(Debug, Serialize, ToSchema)]
struct AssetsDto {
    /// The number of sources and links.
    count: usize,
    sources: Vec<SourceDto>,
    /// The newest first.
    links: Vec<ReleaseLinkDto>,
}

/// An archive of the tag.
#[derive(Debug, Serialize, ToSchema)]
struct SourceDto {
    format: &'static str,
    url: String,
}

/// The pages of a release.
#[derive(Debug, Serialize, ToSchema)]
struct PageLinksDto {
    closed_issues_url: String,
    closed_merge_requests_url: String,
    edit_url: String,
    merged_merge_requests_url: String,
    opened_issues_url: String,
    opened_merge_requests_url: String,
    #[serde(rename = "self")]
    own: String,
}

impl From<PageLinks> for PageLinksDto {
    fn from(pages: PageLinks) -> Self {
        let listed = |page: &str, state: &str| format!("{page}?{}&state={state}", pages.condition);
        Self {
            closed_issues_url: listed(&pages.issues, "closed"),
            closed_merge_requests_url: listed(&pages.merge_requests, "closed"),
            edit_url: format!("{}/edit", pages.own),
            merged_merge_requests_url: listed(&pages.merge_requests, "merged"),
            opened_issues_url: listed(&pages.issues, "opened"),
            opened_merge_requests_url: listed(&pages.merge_requests, "opened"),
            own: pages.own,
        }
    }
}

impl From<Source> for SourceDto {
    fn from(source: Source) -> Self {
        Self { format: source.format, url: source.url }
    }
}

impl From<ReleaseView> for ReleaseDto {
    fn from(view: ReleaseView) -> Self {
        let name = view.release.name().to_owned();
        let assets = AssetsDto {
            count: view.sources.len() + view.links.len(),
            sources: view.sources.into_iter().map(Into::into).collect(),
            links: view.links.into_iter().map(Into::into).collect(),
        };
        Self {
            tag_name: view.release.tag_name,
            name,
            description: view.release.description,
            description_html: view.description_html,
            created_at: view.release.created_at,
            released_at: view.release.released_at,
            upcoming_release: view.is_upcoming,
            author: view.author.map(Into::into),
            commit: view.commit.map(Into::into),
            milestones: view.milestones.into_iter().map(Into::into).collect(),
            commit_path: view.commit_path,
            tag_path: view.tag_path,
            assets,
            evidences: [],
            links: view.pages.into(),
        }
    }
}

/// A release link.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReleaseLinkDto {
    id: i64,
    name: String,
    url: String,
    /// Its URL below the release; `url` if it has no path.
    direct_asset_url: String,
    /// `other`, `runbook`, `package` or `image`.
    link_type: &'static str,
}

impl From<LinkView> for ReleaseLinkDto {
    fn from(view: LinkView) -> Self {
        Self {
            id: view.link.id.get(),
            link_type: view.link.link_type.as_str(),
            name: view.link.name,
            url: view.link.url,
            direct_asset_url: view.direct_asset_url,
        }
    }
}
