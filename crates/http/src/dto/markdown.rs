//! Rendered Markdown as JSON.

use serde::Serialize;
use utoipa::ToSchema;

/// A rendered text.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HtmlDto {
    pub(crate) html: String,
}
