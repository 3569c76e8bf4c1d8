//! How the default branches of new projects are protected, as JSON.

use serde::Serialize;
use tenon_domain::settings::DefaultBranchProtection;
use utoipa::ToSchema;

/// The parts of the protection of the default branches of new projects.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BranchProtectionDefaultsDto {
    allowed_to_push: Vec<DefaultLevelDto>,
    allowed_to_merge: Vec<DefaultLevelDto>,
    allow_force_push: bool,
    developer_can_initial_push: bool,
}

/// A level that may do something.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DefaultLevelDto {
    /// 0 for no one, 30 or 40.
    access_level: i64,
}

impl From<DefaultBranchProtection> for BranchProtectionDefaultsDto {
    fn from(protection: DefaultBranchProtection) -> Self {
        let levels =
            |levels: Vec<i64>| levels.into_iter().map(|access_level| DefaultLevelDto { access_level }).collect();
        Self {
            allowed_to_push: levels(protection.push),
            allowed_to_merge: levels(protection.merge),
            allow_force_push: protection.allow_force_push,
            developer_can_initial_push: protection.developer_can_initial_push,
        }
    }
}
