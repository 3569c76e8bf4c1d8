//! Moving groups below other groups, and projects into groups.

use tenon_app::{Reference, group};
use tenon_domain::id::NamespaceId;
use tenon_edge::error::ApiError;

use crate::dto::group::GroupDetailDto;
use crate::endpoint::{Call, Created};
use crate::params::params;

params! {
    /// The target of a transfer.
    pub(crate) struct TransferParams {
        /// The id of the new parent group; the top level by default.
        group_id: Option<i64>,
    }
}

pub(super) async fn group(Call { caller, params }: Call<TransferParams>) -> Result<Created<GroupDetailDto>, ApiError> {
    let id = Reference::parse(caller.path("id"));
    let target = params.group_id.map(NamespaceId::new);
    let view = caller.write(move |command| group::transfer(command, &id, target)).await?;
    Ok(Created(view.into()))
}

pub(super) async fn project(call: Call<()>) -> Result<Created<GroupDetailDto>, ApiError> {
    let (group, project) = (Reference::parse(call.path("id")), Reference::parse(call.path("project_id")));
    let view = call.write(move |command| group::transfer_project(command, &group, &project)).await?;
    Ok(Created(view.into()))
}
