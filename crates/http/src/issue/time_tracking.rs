//! Estimates and time spent (reference: issues-merge-requests-projects, section 4).

use tenon_app::issue;

use super::dto::TimeStatsDto;
use super::{IssueParams, project};
use crate::call::Call;
use crate::error::ApiError;
use crate::params::params;
use crate::reply::Json;

params! {
    /// How long something takes.
    pub(crate) struct DurationParams {
        issue: IssueParams,
        /// Such as `3h30m`; working time, of which a day has eight hours.
        duration: String,
    }
}

type Answer = Result<Json<TimeStatsDto>, ApiError>;

pub(super) async fn show(Call { caller, params }: Call<IssueParams>) -> Answer {
    let project = project(&caller);
    let stats = caller.read(move |query| issue::time_stats(query, &project, params.iid())).await?;
    Ok(Json(stats.into()))
}

pub(super) async fn estimate(Call { caller, params }: Call<DurationParams>) -> Answer {
    let (project, iid) = (project(&caller), params.issue.iid());
    let stats = caller.write(move |command| issue::set_time_estimate(command, &project, iid, &params.duration)).await?;
    Ok(Json(stats.into()))
}

pub(super) async fn reset_estimate(Call { caller, params }: Call<IssueParams>) -> Answer {
    let project = project(&caller);
    let stats = caller.write(move |command| issue::reset_time_estimate(command, &project, params.iid())).await?;
    Ok(Json(stats.into()))
}

pub(super) async fn spend(Call { caller, params }: Call<DurationParams>) -> Answer {
    let (project, iid) = (project(&caller), params.issue.iid());
    let stats = caller.write(move |command| issue::add_spent_time(command, &project, iid, &params.duration)).await?;
    Ok(Json(stats.into()))
}

pub(super) async fn reset_spent(Call { caller, params }: Call<IssueParams>) -> Answer {
    let project = project(&caller);
    let stats = caller.write(move |command| issue::reset_spent_time(command, &project, params.iid())).await?;
    Ok(Json(stats.into()))
}
