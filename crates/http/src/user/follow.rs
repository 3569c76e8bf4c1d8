//! Users who follow each other.

use tenon_app::user::{self, UserRef};
use tenon_domain::id::UserId;
use tenon_domain::transition::Transition;

use crate::dto::user::{UserDto, UserRefDto};
use crate::endpoint::{Call, Changed, Created, Paged};
use crate::params::{Paging, params};
use tenon_edge::error::ApiError;

params! {
    /// A page of users.
    pub(crate) struct PeopleParams {
        paging: Paging,
    }
}

pub(super) async fn follow(call: Call<()>) -> Result<Changed<Created<UserRefDto>>, ApiError> {
    let id = UserId::new(call.path_i64("id")?);
    Ok(changed(call.write(move |command| user::follow(command, id)).await?))
}

pub(super) async fn unfollow(call: Call<()>) -> Result<Changed<Created<UserRefDto>>, ApiError> {
    let id = UserId::new(call.path_i64("id")?);
    Ok(changed(call.write(move |command| user::unfollow(command, id)).await?))
}

fn changed(outcome: Transition<UserRef>) -> Changed<Created<UserRefDto>> {
    match outcome {
        Transition::Moved(user) => Changed::Yes(Created(user.into())),
        Transition::Stayed(_) => Changed::No,
    }
}

pub(super) async fn followers(Call { caller, params }: Call<PeopleParams>) -> Result<Paged<UserDto>, ApiError> {
    let id = UserId::new(caller.path_i64("id")?);
    let page = caller.read(move |query| user::followers(query, id, params.paging.into())).await?;
    Ok(Paged(page.map(UserDto::listed)))
}

pub(super) async fn followed(Call { caller, params }: Call<PeopleParams>) -> Result<Paged<UserDto>, ApiError> {
    let id = UserId::new(caller.path_i64("id")?);
    let page = caller.read(move |query| user::followed(query, id, params.paging.into())).await?;
    Ok(Paged(page.map(UserDto::listed)))
}
