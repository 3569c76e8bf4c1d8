//! Sharing groups with groups.

use chrono::NaiveDate;
use tenon_app::{Reference, group};
use tenon_domain::access::AccessLevel;
use tenon_domain::id::NamespaceId;
use tenon_edge::error::ApiError;

use crate::dto::group::GroupDetailDto;
use crate::endpoint::{Call, Created, NoContent};
use crate::params::params;

params! {
    /// A group to share with.
    pub(crate) struct ShareParams {
        /// The group.
        group_id: i64,
        /// The highest level that its members get.
        group_access: AccessLevel,
        /// The day on which the share expires.
        expires_at: Option<NaiveDate>,
    }
}

pub(super) async fn share(Call { caller, params }: Call<ShareParams>) -> Result<Created<GroupDetailDto>, ApiError> {
    let id = Reference::parse(caller.path("id"));
    let ShareParams { group_id, group_access, expires_at } = params;
    let with = NamespaceId::new(group_id);
    let view = caller.write(move |command| group::share(command, &id, with, group_access, expires_at)).await?;
    Ok(Created(view.into()))
}

pub(super) async fn unshare(call: Call<()>) -> Result<NoContent, ApiError> {
    let id = Reference::parse(call.path("id"));
    let with = NamespaceId::new(call.path_i64("group_id")?);
    call.write(move |command| group::unshare(command, &id, with)).await?;
    Ok(NoContent)
}
