//! When users were last active.

use chrono::NaiveDate;
use serde::Serialize;
use tenon_app::user;
use utoipa::ToSchema;

use crate::call::Call;
use crate::error::ApiError;
use crate::params::{Paging, params};
use crate::reply::Paged;

params! {
    /// Which activities are wanted.
    pub(crate) struct ActivityParams {
        /// From this day on; six months ago where absent.
        from: Option<NaiveDate>,
        paging: Paging,
    }
}

/// The day on which a user was last active.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ActivityDto {
    username: String,
    last_activity_on: NaiveDate,
    /// The same day under the name that older clients read.
    last_activity_at: NaiveDate,
}

pub(super) async fn list(Call { caller, params }: Call<ActivityParams>) -> Result<Paged<ActivityDto>, ApiError> {
    let page = caller.read(move |query| user::activities(query, params.from, params.paging.into())).await?;
    Ok(Paged(page.map(|(username, day)| ActivityDto { username, last_activity_on: day, last_activity_at: day })))
}
