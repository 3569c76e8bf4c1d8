//! Environments and deployments as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::deployment::DeploymentView;
use tenon_app::environment::{EnvironmentDetail, EnvironmentView};
use tenon_domain::environment::Environment;
use utoipa::ToSchema;

use super::project::SimpleProjectDto;
use super::user::UserRefDto;

/// The fields of every environment.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EnvironmentFieldsDto {
    id: i64,
    name: String,
    /// A short name for hosts and files; it stays when the name changes.
    slug: String,
    external_url: Option<String>,
    description: Option<String>,
    /// `available` or `stopped`.
    state: &'static str,
    /// `production`, `staging`, `testing`, `development` or `other`.
    tier: &'static str,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    updated_at: DateTime<Utc>,
    /// Always null: no job stops it.
    auto_stop_at: Option<String>,
    /// `always` or `with_action`.
    auto_stop_setting: &'static str,
}

impl From<Environment> for EnvironmentFieldsDto {
    fn from(environment: Environment) -> Self {
        Self {
            id: environment.id.get(),
            name: environment.name,
            slug: environment.slug,
            external_url: environment.external_url,
            description: environment.description,
            state: environment.state.as_str(),
            tier: environment.tier.as_str(),
            created_at: environment.created_at,
            updated_at: environment.updated_at,
            auto_stop_at: None,
            auto_stop_setting: environment.auto_stop.as_str(),
        }
    }
}

/// An environment with its project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EnvironmentDto {
    #[serde(flatten)]
    fields: EnvironmentFieldsDto,
    project: SimpleProjectDto,
}

impl From<EnvironmentView> for EnvironmentDto {
    fn from(view: EnvironmentView) -> Self {
        Self { fields: view.environment.into(), project: SimpleProjectDto::present(view.project) }
    }
}

/// An environment with its newest deployment.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EnvironmentDetailDto {
    #[serde(flatten)]
    fields: EnvironmentFieldsDto,
    /// The newest successful deployment.
    last_deployment: Option<DeploymentDto>,
}

impl From<EnvironmentDetail> for EnvironmentDetailDto {
    fn from(view: EnvironmentDetail) -> Self {
        Self { fields: view.environment.into(), last_deployment: view.last_deployment.map(Into::into) }
    }
}

/// An environment, in brief.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EnvironmentRefDto {
    id: i64,
    name: String,
    slug: String,
    external_url: Option<String>,
}

impl From<Environment> for EnvironmentRefDto {
    fn from(environment: Environment) -> Self {
        Self {
            id: environment.id.get(),
            name: environment.name,
            slug: environment.slug,
            external_url: environment.external_url,
        }
    }
}

/// The environments that a request removes.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CleanupDto {
    /// Those that were removed, or would be.
    scheduled_entries: Vec<EnvironmentRefDto>,
    /// Always empty: who may remove one may remove all.
    unprocessable_entries: Vec<EnvironmentRefDto>,
}

impl From<Vec<Environment>> for CleanupDto {
    fn from(removed: Vec<Environment>) -> Self {
        Self { scheduled_entries: removed.into_iter().map(Into::into).collect(), unprocessable_entries: Vec::new() }
    }
}

/// A deployment.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeploymentDto {
    id: i64,
    /// The number within the project.
    iid: i64,
    /// The branch or tag.
    #[serde(rename = "ref")]
    ref_name: String,
    sha: String,
    /// `running`, `success`, `failed` or `canceled`.
    status: &'static str,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    updated_at: DateTime<Utc>,
    /// Who reported it. Null if the account is gone.
    user: Option<UserRefDto>,
    environment: EnvironmentRefDto,
    /// Always null: other programs deploy.
    #[schema(value_type = Option<serde_json::Value>)]
    deployable: Option<()>,
}

impl From<DeploymentView> for DeploymentDto {
    fn from(view: DeploymentView) -> Self {
        let deployment = view.deployment;
        Self {
            id: deployment.id.get(),
            iid: deployment.iid.get(),
            ref_name: deployment.ref_name,
            sha: deployment.sha,
            status: deployment.status.as_str(),
            created_at: deployment.created_at,
            updated_at: deployment.updated_at,
            user: view.user.map(Into::into),
            environment: view.environment.into(),
            deployable: None,
        }
    }
}
