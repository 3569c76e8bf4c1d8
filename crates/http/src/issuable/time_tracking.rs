//! Estimates and time spent.

use tenon_app::identity::Guard;
use tenon_app::issuable;
use tenon_edge::error::ApiError;

use super::{both, reference};
use crate::dto::issuable::TimeStatsDto;
use crate::endpoint::{Call, Json, Routes};
use crate::params::params;

params! {
    /// A duration.
    pub(crate) struct DurationParams {
        /// The duration, such as `3h30m`, in working time: a day has eight hours.
        duration: String,
    }
}

type Answer = Result<Json<TimeStatsDto>, ApiError>;

pub(super) fn routes(api: &mut Routes) {
    api.tag("Time tracking");
    for path in both!("/time_stats") {
        api.get(path, Guard::SignedIn, show, "The estimate, and the time spent.");
    }
    for path in both!("/time_estimate") {
        api.post(path, Guard::SignedIn, estimate, "Sets the estimate.");
    }
    for path in both!("/reset_time_estimate") {
        api.post(path, Guard::SignedIn, reset_estimate, "Takes the estimate away.");
    }
    for path in both!("/add_spent_time") {
        api.post(path, Guard::SignedIn, spend, "Adds time that was spent.");
    }
    for path in both!("/reset_spent_time") {
        api.post(path, Guard::SignedIn, reset_spent, "Takes the time spent back.");
    }
}

async fn show(caller: Call<()>) -> Answer {
    let of = reference(&caller)?;
    Ok(Json(caller.read(move |query| issuable::time_stats(query, &of)).await?.into()))
}

async fn estimate(Call { caller, params }: Call<DurationParams>) -> Answer {
    let of = reference(&caller)?;
    let stats = caller.write(move |command| issuable::set_time_estimate(command, &of, &params.duration)).await?;
    Ok(Json(stats.into()))
}

async fn reset_estimate(caller: Call<()>) -> Answer {
    let of = reference(&caller)?;
    Ok(Json(caller.write(move |command| issuable::reset_time_estimate(command, &of)).await?.into()))
}

async fn spend(Call { caller, params }: Call<DurationParams>) -> Answer {
    let of = reference(&caller)?;
    let stats = caller.write(move |command| issuable::add_spent_time(command, &of, &params.duration)).await?;
    Ok(Json(stats.into()))
}

async fn reset_spent(caller: Call<()>) -> Answer {
    let of = reference(&caller)?;
    Ok(Json(caller.write(move |command| issuable::reset_spent_time(command, &of)).await?.into()))
}
