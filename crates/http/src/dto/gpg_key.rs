//! OpenPGP keys as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::gpg_key::GpgKey;
use utoipa::ToSchema;

/// An OpenPGP key.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GpgKeyDto {
    id: i64,
    /// The armored block.
    key: String,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
}

impl From<GpgKey> for GpgKeyDto {
    fn from(key: GpgKey) -> Self {
        Self { id: key.id.get(), key: key.text, created_at: key.created_at }
    }
}
