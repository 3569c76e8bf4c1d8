//! Secondary addresses as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::email::Email;
use utoipa::ToSchema;

/// A secondary address of a user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EmailDto {
    id: i64,
    email: String,
    /// Null until it is confirmed.
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    confirmed_at: Option<DateTime<Utc>>,
}

impl From<Email> for EmailDto {
    fn from(email: Email) -> Self {
        Self { id: email.id.get(), email: email.address, confirmed_at: email.confirmed_at }
    }
}
