//! Protected branches and tags as JSON.

use serde::Serialize;
use tenon_app::repository::{AccessEntryView, ProtectionView};
use tenon_domain::repository::{Grantee, ProtectedAction};
use utoipa::ToSchema;

/// A protected branch, or a pattern of protected branches.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProtectedBranchDto {
    id: i64,
    name: String,
    push_access_levels: Vec<AccessEntryDto>,
    merge_access_levels: Vec<AccessEntryDto>,
    unprotect_access_levels: Vec<AccessEntryDto>,
    allow_force_push: bool,
}

/// Who may do something with a protected ref: everyone of a level, a user, the direct members of a group, or a deploy key.
/// Levels come first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AccessEntryDto {
    id: i64,
    /// 0 for no one, 30 or 40; null if the entry names something else.
    access_level: Option<i64>,
    /// The level in words, or the name of the user or group, or the title of the deploy key.
    access_level_description: String,
    user_id: Option<i64>,
    group_id: Option<i64>,
    deploy_key_id: Option<i64>,
}

impl From<AccessEntryView> for AccessEntryDto {
    fn from(view: AccessEntryView) -> Self {
        let mut dto = Self {
            id: view.entry.id.get(),
            access_level: None,
            access_level_description: view.description,
            user_id: None,
            group_id: None,
            deploy_key_id: None,
        };
        match view.entry.grantee {
            Grantee::Level(level) => dto.access_level = Some(level),
            Grantee::User(user) => dto.user_id = Some(user.get()),
            Grantee::Group(group) => dto.group_id = Some(group.get()),
            Grantee::DeployKey(key) => dto.deploy_key_id = Some(key.get()),
        }
        dto
    }
}

/// The entries of one action.
fn entries_of(entries: &[AccessEntryView], action: ProtectedAction) -> Vec<AccessEntryDto> {
    entries.iter().filter(|view| view.entry.action == action).cloned().map(Into::into).collect()
}

impl From<ProtectionView> for ProtectedBranchDto {
    fn from(view: ProtectionView) -> Self {
        Self {
            id: view.rule.id.get(),
            name: view.rule.name,
            push_access_levels: entries_of(&view.entries, ProtectedAction::Push),
            merge_access_levels: entries_of(&view.entries, ProtectedAction::Merge),
            unprotect_access_levels: entries_of(&view.entries, ProtectedAction::Unprotect),
            allow_force_push: view.rule.allow_force_push,
        }
    }
}

/// A protected tag, or a pattern of protected tags.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProtectedTagDto {
    name: String,
    create_access_levels: Vec<AccessEntryDto>,
}

impl From<ProtectionView> for ProtectedTagDto {
    fn from(view: ProtectionView) -> Self {
        let create_access_levels = entries_of(&view.entries, ProtectedAction::Push);
        Self { name: view.rule.name, create_access_levels }
    }
}
