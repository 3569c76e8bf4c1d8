//! Commit statuses and pipelines as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::pipeline::{PipelineView, StatusView};
use utoipa::ToSchema;

use super::user::UserRefDto;

/// The status of a commit, reported by an external CI job.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CommitStatusDto {
    id: i64,
    sha: String,
    #[serde(rename = "ref")]
    ref_name: String,
    status: &'static str,
    name: String,
    target_url: Option<String>,
    description: Option<String>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    started_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    finished_at: Option<DateTime<Utc>>,
    allow_failure: bool,
    coverage: Option<f64>,
    author: Option<UserRefDto>,
    pipeline_id: i64,
}

impl From<StatusView> for CommitStatusDto {
    fn from(view: StatusView) -> Self {
        let status = view.status;
        Self {
            id: status.id.get(),
            sha: view.sha,
            ref_name: view.ref_name,
            status: status.status.as_str(),
            name: status.name,
            target_url: status.target_url,
            description: status.description,
            created_at: status.created_at,
            started_at: status.started_at,
            finished_at: status.finished_at,
            allow_failure: false,
            coverage: status.coverage.and_then(|text| text.parse().ok()),
            author: view.author.map(Into::into),
            pipeline_id: status.pipeline.get(),
        }
    }
}

/// A pipeline in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PipelineDto {
    id: i64,
    project_id: i64,
    sha: String,
    #[serde(rename = "ref")]
    ref_name: String,
    status: &'static str,
    source: &'static str,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    updated_at: DateTime<Utc>,
    web_url: String,
}

/// A pipeline with details.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PipelineDetailDto {
    #[serde(flatten)]
    pipeline: PipelineDto,
    before_sha: &'static str,
    tag: bool,
    yaml_errors: Option<String>,
    user: Option<UserRefDto>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    started_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    finished_at: Option<DateTime<Utc>>,
    committed_at: Option<String>,
    /// Seconds.
    duration: Option<i64>,
    coverage: Option<f64>,
}

/// Stands for no commit.
const NO_COMMIT: &str = "0000000000000000000000000000000000000000";

impl From<PipelineView> for PipelineDto {
    fn from(view: PipelineView) -> Self {
        let pipeline = view.pipeline;
        Self {
            id: pipeline.id.get(),
            project_id: pipeline.project.get(),
            sha: pipeline.sha,
            ref_name: pipeline.ref_name,
            status: pipeline.status.as_str(),
            source: "external",
            created_at: pipeline.created_at,
            updated_at: pipeline.updated_at,
            web_url: view.web_url,
        }
    }
}

impl From<PipelineView> for PipelineDetailDto {
    fn from(mut view: PipelineView) -> Self {
        Self {
            before_sha: NO_COMMIT,
            tag: view.pipeline.tag,
            yaml_errors: None,
            user: view.user.take().map(Into::into),
            started_at: view.pipeline.started_at,
            finished_at: view.pipeline.finished_at,
            committed_at: None,
            duration: view.duration,
            coverage: None,
            pipeline: view.into(),
        }
    }
}
