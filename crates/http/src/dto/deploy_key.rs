//! Deploy keys as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::deploy_key::{DeployKey, EnabledKey, KeyWithProjects, ProjectWithNamespace};
use utoipa::ToSchema;

/// A deploy key.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeployKeyDto {
    id: i64,
    title: String,
    /// Type, key in Base64 and the first word of the comment.
    key: String,
    /// The fingerprint by MD5, as 16 pairs of hexadecimal digits.
    fingerprint: String,
    /// The fingerprint by SHA-256, as OpenSSH writes it.
    fingerprint_sha256: String,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    /// The moment from which the key opens nothing.
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    expires_at: Option<DateTime<Utc>>,
}

/// A deploy key, with the projects that it opens. A page of keys names 1,000 projects at most.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KeyWithProjectsDto {
    #[serde(flatten)]
    key: DeployKeyDto,
    /// The projects to which it may push.
    projects_with_write_access: Vec<OpenedProjectDto>,
    /// The other projects that it opens.
    projects_with_readonly_access: Vec<OpenedProjectDto>,
}

/// A project that a deploy key opens.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OpenedProjectDto {
    id: i64,
    description: Option<String>,
    name: String,
    name_with_namespace: String,
    path: String,
    path_with_namespace: String,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
}

/// A deploy key that is enabled in a project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EnabledKeyDto {
    #[serde(flatten)]
    key: DeployKeyDto,
    /// True if the key may also push to the project.
    can_push: bool,
}

impl From<DeployKey> for DeployKeyDto {
    fn from(key: DeployKey) -> Self {
        Self {
            id: key.id.get(),
            fingerprint: key.fingerprint(),
            fingerprint_sha256: key.fingerprint_sha256(),
            title: key.title,
            key: key.text,
            created_at: key.created_at,
            expires_at: key.expires_at,
        }
    }
}

impl From<KeyWithProjects> for KeyWithProjectsDto {
    fn from(of: KeyWithProjects) -> Self {
        let projects = |found: Vec<ProjectWithNamespace>| found.into_iter().map(Into::into).collect();
        Self {
            key: of.key.into(),
            projects_with_write_access: projects(of.writable),
            projects_with_readonly_access: projects(of.readonly),
        }
    }
}

impl From<ProjectWithNamespace> for OpenedProjectDto {
    fn from(placed: ProjectWithNamespace) -> Self {
        let ProjectWithNamespace { project, home } = placed;
        Self {
            id: project.id.get(),
            name_with_namespace: format!("{} / {}", home.full_name, project.name),
            path_with_namespace: format!("{}/{}", home.full_path, project.path),
            description: project.description,
            name: project.name,
            path: project.path,
            created_at: project.created_at,
        }
    }
}

impl From<EnabledKey> for EnabledKeyDto {
    fn from(enabled: EnabledKey) -> Self {
        Self { key: enabled.key.into(), can_push: enabled.can_push }
    }
}
