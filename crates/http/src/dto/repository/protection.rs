//! Protected branches and tags as JSON.

use serde::Serialize;
use tenon_domain::repository::ProtectedRef;
use utoipa::ToSchema;

/// A protected branch, or a pattern of protected branches.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProtectedBranchDto {
    name: String,
    /// One entry.
    push_access_levels: [ProtectionLevelDto; 1],
    /// One entry.
    merge_access_levels: [ProtectionLevelDto; 1],
    allow_force_push: bool,
    /// True if a merge needs an approval by a code owner of each changed path that has one.
    code_owner_approval_required: bool,
}

/// The level from which a protected ref may be changed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProtectionLevelDto {
    access_level: i64,
    access_level_description: &'static str,
}

impl ProtectionLevelDto {
    pub(crate) const fn new(level: i64) -> Self {
        let access_level_description = match level {
            0 => "No one",
            30 => "Developers + Maintainers",
            _ => "Maintainers",
        };
        Self { access_level: level, access_level_description }
    }
}

impl From<ProtectedRef> for ProtectedBranchDto {
    fn from(rule: ProtectedRef) -> Self {
        Self {
            name: rule.name,
            push_access_levels: [ProtectionLevelDto::new(rule.push_level)],
            merge_access_levels: [ProtectionLevelDto::new(rule.merge_level)],
            allow_force_push: false,
            code_owner_approval_required: rule.needs_code_owners,
        }
    }
}

/// A protected tag, or a pattern of protected tags.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProtectedTagDto {
    name: String,
    /// One entry.
    create_access_levels: [ProtectionLevelDto; 1],
}

impl From<ProtectedRef> for ProtectedTagDto {
    fn from(rule: ProtectedRef) -> Self {
        Self { name: rule.name, create_access_levels: [ProtectionLevelDto::new(rule.push_level)] }
    }
}
