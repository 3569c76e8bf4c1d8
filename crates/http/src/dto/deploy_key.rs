//! Deploy keys as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::deploy_key::{DeployKey, EnabledKey};
use utoipa::ToSchema;

/// A deploy key.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeployKeyDto {
    id: i64,
    title: String,
    /// Type, key in Base64 and the first word of the comment.
    key: String,
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
        Self { id: key.id.get(), title: key.title, key: key.text, created_at: key.created_at }
    }
}

impl From<EnabledKey> for EnabledKeyDto {
    fn from(enabled: EnabledKey) -> Self {
        Self { key: enabled.key.into(), can_push: enabled.can_push }
    }
}
