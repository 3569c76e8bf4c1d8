//! Messages to all users as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::broadcast_message::BroadcastView;
use utoipa::ToSchema;

/// A message to all users.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BroadcastMessageDto {
    id: i64,
    message: String,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    starts_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    ends_at: DateTime<Utc>,
    color: String,
    font: String,
    /// True if the message is shown now.
    active: bool,
    target_access_levels: Vec<i64>,
    target_path: String,
    broadcast_type: &'static str,
    dismissable: bool,
    theme: String,
}

impl From<BroadcastView> for BroadcastMessageDto {
    fn from(view: BroadcastView) -> Self {
        let BroadcastView { message, active } = view;
        Self {
            id: message.id.get(),
            message: message.message,
            starts_at: message.starts_at,
            ends_at: message.ends_at,
            color: message.color,
            font: message.font,
            active,
            target_access_levels: message.target_access_levels,
            target_path: message.target_path,
            broadcast_type: message.kind.as_str(),
            dismissable: message.dismissable,
            theme: message.theme,
        }
    }
}
