//! Custom attributes as JSON.

use serde::Serialize;
use tenon_app::custom_attribute::CustomAttribute;
use utoipa::ToSchema;

/// A key with its value.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CustomAttributeDto {
    key: String,
    value: String,
}

impl From<CustomAttribute> for CustomAttributeDto {
    fn from(attribute: CustomAttribute) -> Self {
        Self { key: attribute.key, value: attribute.value }
    }
}
