//! Reading SSH keys of users.

use tenon_app::{Reference, ssh_key};
use tenon_domain::id::UserId;
use tenon_edge::error::ApiError;

use super::KeyParams;
use crate::dto::ssh_key::SshKeyDto;
use crate::endpoint::{Call, Json, Paged};
use crate::params::Paging;

pub(super) async fn list(Call { caller, params }: Call<Paging>) -> Result<Paged<SshKeyDto>, ApiError> {
    let page = caller.read(move |query| ssh_key::list(query, params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

pub(super) async fn list_of(Call { caller, params }: Call<Paging>) -> Result<Paged<SshKeyDto>, ApiError> {
    let user = Reference::parse(caller.path("id_or_username"));
    let page = caller.read(move |query| ssh_key::list_of(query, &user, params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

pub(super) async fn show(Call { caller, params }: Call<KeyParams>) -> Result<Json<SshKeyDto>, ApiError> {
    let key = caller.read(move |query| ssh_key::show(query, params.id())).await?;
    Ok(Json(key.into()))
}

pub(super) async fn show_of(Call { caller, params }: Call<KeyParams>) -> Result<Json<SshKeyDto>, ApiError> {
    let user = UserId::new(caller.path_i64("id")?);
    let key = caller.read(move |query| ssh_key::show_of(query, user, params.id())).await?;
    Ok(Json(key.into()))
}
