//! Creating, changing and removing groups.

use tenon_app::Reference;
use tenon_app::group::{self, CreateGroup, EditGroup, GroupSettings};
use tenon_domain::group::setting::SETTINGS;
use tenon_domain::id::NamespaceId;
use tenon_domain::namespace::CreationLevel;
use tenon_domain::patch::Patch;
use tenon_domain::settings::Changes;
use tenon_domain::visibility::Visibility;
use tenon_edge::error::ApiError;
use tenon_edge::raw::Upload;

use crate::avatar::with_picture;
use crate::dto::group::GroupDetailDto;
use crate::endpoint::{Accepted, Call, Created, Json};
use crate::params::{BranchProtectionParam, FieldDoc, Param, Reader, choice, params, setting};

choice! {
    /// The level from which members may create projects in a group.
    pub(crate) enum ProjectCreationParam {
        /// No one.
        NoOne = "noone",
        /// Owners.
        Owner = "owner",
        /// Maintainers.
        Maintainer = "maintainer",
        /// Developers.
        Developer = "developer",
    }
}

choice! {
    /// The level from which members may create subgroups.
    pub(crate) enum SubgroupCreationParam {
        /// Owners.
        Owner = "owner",
        /// Maintainers.
        Maintainer = "maintainer",
    }
}

/// The settings of the table of groups that a request names.
#[derive(Debug, Clone)]
pub(crate) struct TableParams(Changes);

impl Param for TableParams {
    fn read(reader: &mut Reader<'_>, _: &[&'static str]) -> Option<Self> {
        Some(Self(setting::read_table(reader, SETTINGS)))
    }

    fn describe(_: &'static str, _: &[&str], fields: &mut Vec<FieldDoc>) {
        setting::describe_table(SETTINGS, fields);
    }
}

params! {
    /// The settings of a group.
    pub(crate) struct SettingsParams {
        /// The description.
        description: Option<String>,
        /// The visibility.
        visibility: Option<Visibility>,
        /// True if LFS is enabled.
        lfs_enabled: Option<bool>,
        /// True if users may request access.
        request_access_enabled: Option<bool>,
        /// True if projects of the group may not be shared with other groups.
        share_with_group_lock: Option<bool>,
        /// The level from which members may create projects in it.
        project_creation_level: Option<ProjectCreationParam>,
        /// The level from which members may create subgroups.
        subgroup_creation_level: Option<SubgroupCreationParam>,
        /// True if members need a second factor; stored, without effect.
        require_two_factor_authentication: Option<bool>,
        /// The grace period in hours; stored, without effect.
        two_factor_grace_period: Option<i64>,
        /// How the default branches of new projects are protected: 0 not at all, 1 developers push, 2 only maintainers, 3
        /// developers merge, 4 only maintainers after the first push.
        default_branch_protection: BranchProtectionParam,
        table: TableParams,
    }
}

impl From<SettingsParams> for GroupSettings {
    fn from(params: SettingsParams) -> Self {
        Self {
            description: params.description,
            lfs_enabled: params.lfs_enabled,
            request_access_enabled: params.request_access_enabled,
            share_with_group_lock: params.share_with_group_lock,
            project_creation_level: params.project_creation_level.map(|level| match level {
                ProjectCreationParam::NoOne => CreationLevel::NoOne,
                ProjectCreationParam::Owner => CreationLevel::Owner,
                ProjectCreationParam::Maintainer => CreationLevel::Maintainer,
                ProjectCreationParam::Developer => CreationLevel::Developer,
            }),
            subgroup_creation_level: params.subgroup_creation_level.map(|level| match level {
                SubgroupCreationParam::Owner => CreationLevel::Owner,
                SubgroupCreationParam::Maintainer => CreationLevel::Maintainer,
            }),
            require_two_factor_authentication: params.require_two_factor_authentication,
            two_factor_grace_period: params.two_factor_grace_period,
            default_branch_protection: params.default_branch_protection.0,
            table: params.table.0,
        }
    }
}

params! {
    /// A new group.
    pub(crate) struct CreateParams {
        /// Display name.
        name: String,
        /// Last part of the path.
        path: String,
        settings: SettingsParams,
        /// The id of the parent group; none by default.
        parent_id: Option<i64>,
    }
}

params! {
    /// Changes to a group.
    pub(crate) struct EditParams {
        /// Display name.
        name: Option<String>,
        /// Last part of the path; subgroups and projects move with it.
        path: Option<String>,
        settings: SettingsParams,
        /// A picture; empty removes it.
        avatar: Patch<Upload>,
    }
}

pub(super) async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<GroupDetailDto>, ApiError> {
    let CreateParams { name, path, settings, parent_id } = params;
    let request = CreateGroup {
        name,
        path,
        visibility: settings.visibility,
        settings: settings.into(),
        parent: parent_id.map(NamespaceId::new),
    };
    let view = caller.write(move |command| group::create(command, request)).await?;
    Ok(Created(view.into()))
}

pub(super) async fn edit(Call { caller, params }: Call<EditParams>) -> Result<Json<GroupDetailDto>, ApiError> {
    let id = Reference::parse(caller.path("id"));
    let EditParams { name, path, settings, avatar } = params;
    let request =
        EditGroup { name, path, visibility: settings.visibility, settings: settings.into(), avatar: Patch::Absent };
    let view = with_picture(&caller, avatar, move |command, avatar| {
        group::edit(command, &id, EditGroup { avatar, ..request })
    })
    .await?;
    Ok(Json(view.into()))
}

pub(super) async fn delete(call: Call<()>) -> Result<Accepted, ApiError> {
    let (id, since) = (Reference::parse(call.path("id")), call.head().unmodified_since);
    call.write(move |command| group::delete(command, &id, since)).await?;
    Ok(Accepted)
}
