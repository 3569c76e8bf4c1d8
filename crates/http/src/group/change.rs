//! Creating, changing and removing groups.

use tenon_app::Reference;
use tenon_app::group::{self, CreateGroup, EditGroup};
use tenon_domain::id::NamespaceId;
use tenon_domain::patch::Patch;
use tenon_domain::visibility::Visibility;

use super::dto::GroupDetailDto;
use crate::avatar::with_picture;
use crate::call::Call;
use crate::error::ApiError;
use crate::params::{Upload, params};
use crate::reply::{Accepted, Created, Json};

params! {
    /// The settings of a group.
    pub(crate) struct SettingsParams {
        /// What it is for.
        description: Option<String>,
        /// How open it is.
        visibility: Option<Visibility>,
        /// LFS.
        lfs_enabled: Option<bool>,
        /// Whether strangers may ask to become members.
        request_access_enabled: Option<bool>,
        /// Whether its projects may not be shared with other groups.
        share_with_group_lock: Option<bool>,
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
        /// The group above; none where absent.
        parent_id: Option<i64>,
    }
}

params! {
    /// Changes to a group.
    pub(crate) struct EditParams {
        /// Display name.
        name: Option<String>,
        /// Last part of the path; everything below moves along.
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
        description: settings.description,
        visibility: settings.visibility,
        lfs_enabled: settings.lfs_enabled,
        request_access_enabled: settings.request_access_enabled,
        share_with_group_lock: settings.share_with_group_lock,
        parent: parent_id.map(NamespaceId::new),
    };
    let view = caller.write(move |command| group::create(command, request)).await?;
    Ok(Created(view.into()))
}

pub(super) async fn edit(Call { caller, params }: Call<EditParams>) -> Result<Json<GroupDetailDto>, ApiError> {
    let id = Reference::parse(caller.path("id"));
    let EditParams { name, path, settings, avatar } = params;
    let request = EditGroup {
        name,
        path,
        description: settings.description,
        visibility: settings.visibility,
        lfs_enabled: settings.lfs_enabled,
        request_access_enabled: settings.request_access_enabled,
        share_with_group_lock: settings.share_with_group_lock,
        avatar: Patch::Absent,
    };
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
