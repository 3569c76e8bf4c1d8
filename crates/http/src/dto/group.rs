//! Groups as JSON.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use tenon_app::group::{GroupDetail, GroupView};
use tenon_domain::id::NamespaceId;
use utoipa::ToSchema;

use super::branch_protection::BranchProtectionDefaultsDto;
use super::custom_attribute::CustomAttributeDto;
use super::group_setting::GroupSettingsDto;
use super::project::{ProjectDto, SharedGroupDto, SizesDto};

/// A group in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GroupDto {
    id: i64,
    web_url: String,
    name: String,
    path: String,
    description: String,
    visibility: &'static str,
    lfs_enabled: bool,
    avatar_url: Option<String>,
    request_access_enabled: bool,
    /// The names of all groups in the path, from the top.
    full_name: String,
    full_path: String,
    parent_id: Option<i64>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    /// True if projects of the group may not be shared with other groups.
    share_with_group_lock: bool,
    /// The level from which members may create projects in it: `noone`, `owner`, `maintainer` or `developer`.
    project_creation_level: &'static str,
    /// The level from which members may create subgroups: `owner` or `maintainer`.
    subgroup_creation_level: &'static str,
    /// True if members have to set up a second factor; stored, without effect.
    require_two_factor_authentication: bool,
    /// The grace period in hours; stored, without effect.
    two_factor_grace_period: i64,
    /// How the default branches of new projects are protected: 0 not at all, 1 developers push, 2 only maintainers, 3
    /// developers merge, 4 only maintainers after the first push. That of the server if the group says nothing.
    default_branch_protection: i64,
    default_branch_protection_defaults: BranchProtectionDefaultsDto,
    #[serde(flatten)]
    settings: GroupSettingsDto,
    /// The day on which it is to be removed: always null, because groups are removed at once.
    marked_for_deletion_on: Option<NaiveDate>,
    /// Where its repositories are, for administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    repository_storage: Option<&'static str>,
    /// Of its own projects, on request of administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<SizesDto>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_attributes: Option<Vec<CustomAttributeDto>>,
}

/// A group with details.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GroupDetailDto {
    #[serde(flatten)]
    group: GroupDto,
    shared_with_groups: Vec<SharedGroupDto>,
    /// The token with which runners register, for owners.
    #[serde(skip_serializing_if = "Option::is_none")]
    runners_token: Option<String>,
    /// At most a hundred; omitted if `with_projects` is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    projects: Option<Vec<ProjectDto>>,
    /// Projects that are shared with this group: at most a hundred; omitted if `with_projects` is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_projects: Option<Vec<ProjectDto>>,
}

impl GroupDto {
    fn present(view: GroupView, for_owner: bool) -> Self {
        let group = view.group;
        Self {
            id: group.id().get(),
            visibility: group.visibility().as_str(),
            web_url: view.web_url,
            name: group.namespace.name,
            path: group.namespace.path,
            description: group.description,
            lfs_enabled: group.lfs_enabled,
            avatar_url: view.avatar_url,
            request_access_enabled: group.request_access_enabled,
            full_name: group.namespace.full_name,
            full_path: group.namespace.full_path,
            parent_id: group.namespace.parent.map(NamespaceId::get),
            created_at: group.created_at,
            share_with_group_lock: group.share_with_group_lock,
            project_creation_level: group.namespace.creation.projects.as_str(),
            subgroup_creation_level: group.namespace.creation.subgroups.as_str(),
            require_two_factor_authentication: group.require_two_factor_authentication,
            two_factor_grace_period: group.two_factor_grace_period,
            default_branch_protection: view.branch_protection.level(),
            default_branch_protection_defaults: view.branch_protection.into(),
            settings: GroupSettingsDto { values: group.settings, for_owner },
            marked_for_deletion_on: None,
            repository_storage: view.for_admin.then_some("default"),
            statistics: view.sizes.map(|sizes| SizesDto::of_repositories(sizes.code, sizes.wikis, sizes.lfs)),
            custom_attributes: view
                .custom_attributes
                .map(|attributes| attributes.into_iter().map(Into::into).collect()),
        }
    }
}

impl From<GroupView> for GroupDto {
    fn from(view: GroupView) -> Self {
        Self::present(view, false)
    }
}

impl From<GroupDetail> for GroupDetailDto {
    fn from(detail: GroupDetail) -> Self {
        let present = |views: Vec<_>| views.into_iter().map(ProjectDto::present).collect();
        let (own, shared) = detail.projects.map(|projects| (projects.own, projects.shared)).unzip();
        Self {
            group: GroupDto::present(detail.group, detail.for_owner),
            shared_with_groups: detail.shared_with.into_iter().map(Into::into).collect(),
            runners_token: detail.runners_token,
            projects: own.map(present),
            shared_projects: shared.map(present),
        }
    }
}
