//! SSH keys as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::ssh_key::SshKey;
use tenon_app::user::UserView;
use utoipa::ToSchema;

use super::user::UserDto;

/// An SSH key.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SshKeyDto {
    id: i64,
    title: String,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    /// The moment from which the key is not accepted.
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    expires_at: Option<DateTime<Utc>>,
    /// When Git was last used with it, to the hour, for others to the day. Null if it never was, and for others if the
    /// profile is private.
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    last_used_at: Option<DateTime<Utc>>,
    /// Type, key in Base64 and the first word of the comment.
    key: String,
    /// `auth_and_signing`, `auth` or `signing`.
    usage_type: &'static str,
}

/// An SSH key and its user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SshKeyWithUserDto {
    #[serde(flatten)]
    key: SshKeyDto,
    user: UserDto,
}

impl From<SshKey> for SshKeyDto {
    fn from(key: SshKey) -> Self {
        Self {
            id: key.id.get(),
            title: key.title,
            created_at: key.created_at,
            expires_at: key.expires_at,
            last_used_at: key.last_used_at,
            key: key.text,
            usage_type: key.usage.as_str(),
        }
    }
}

impl From<(SshKey, UserView)> for SshKeyWithUserDto {
    fn from((key, user): (SshKey, UserView)) -> Self {
        Self { key: key.into(), user: UserDto::own(user) }
    }
}
