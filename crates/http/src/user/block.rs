//! Shutting users out and letting them in again. Clients compare these bodies.

use tenon_app::user;
use tenon_domain::id::UserId;
use tenon_domain::transition::Transition;
use tenon_domain::user::UserState;
use tenon_edge::error::ApiError;

use crate::dto::user::{ExcludedDto, OutcomeDto};
use crate::endpoint::{Call, Created, Json};

pub(super) async fn block(call: Call<()>) -> Result<Created<ExcludedDto>, ApiError> {
    let id = UserId::new(call.path_i64("id")?);
    Ok(excluded(call.write(move |command| user::block(command, id)).await?))
}

/// `true`, or `false` if the user was not blocked.
pub(super) async fn unblock(call: Call<()>) -> Result<Created<bool>, ApiError> {
    let id = UserId::new(call.path_i64("id")?);
    let outcome = call.write(move |command| user::unblock(command, id)).await?;
    Ok(Created(matches!(outcome, Transition::Moved(_))))
}

pub(super) async fn deactivate(call: Call<()>) -> Result<Created<ExcludedDto>, ApiError> {
    let id = UserId::new(call.path_i64("id")?);
    Ok(excluded(call.write(move |command| user::deactivate(command, id)).await?))
}

/// `true`, also if the user was active before.
pub(super) async fn activate(call: Call<()>) -> Result<Created<bool>, ApiError> {
    let id = UserId::new(call.path_i64("id")?);
    call.write(move |command| user::activate(command, id)).await?;
    Ok(Created(true))
}

pub(super) async fn ban(call: Call<()>) -> Result<Created<bool>, ApiError> {
    let id = UserId::new(call.path_i64("id")?);
    call.write(move |command| user::ban(command, id)).await?;
    Ok(Created(true))
}

pub(super) async fn unban(call: Call<()>) -> Result<Created<bool>, ApiError> {
    let id = UserId::new(call.path_i64("id")?);
    call.write(move |command| user::unban(command, id)).await?;
    Ok(Created(true))
}

pub(super) async fn approve(call: Call<()>) -> Result<Created<OutcomeDto>, ApiError> {
    let id = UserId::new(call.path_i64("id")?);
    call.write(move |command| user::approve(command, id)).await?;
    Ok(Created(OutcomeDto::SUCCESS))
}

pub(super) async fn reject(call: Call<()>) -> Result<Json<OutcomeDto>, ApiError> {
    let id = UserId::new(call.path_i64("id")?);
    call.write(move |command| user::reject(command, id)).await?;
    Ok(Json(OutcomeDto::SUCCESS))
}

fn excluded(outcome: Transition<UserState>) -> Created<ExcludedDto> {
    Created(ExcludedDto(match outcome {
        Transition::Moved(_) => Some(true),
        Transition::Stayed(_) => None,
    }))
}
