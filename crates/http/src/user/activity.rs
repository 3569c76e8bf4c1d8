//! The last activity of users.

use chrono::NaiveDate;
use tenon_app::user;
use tenon_edge::error::ApiError;

use crate::dto::user::ActivityDto;
use crate::endpoint::{Call, Paged};
use crate::params::{Paging, params};

params! {
    /// Filters of activities.
    pub(crate) struct ActivityParams {
        /// From this day on; six months ago by default.
        from: Option<NaiveDate>,
        paging: Paging,
    }
}

pub(super) async fn list(Call { caller, params }: Call<ActivityParams>) -> Result<Paged<ActivityDto>, ApiError> {
    let page = caller.read(move |query| user::activities(query, params.from, params.paging.into())).await?;
    Ok(Paged(page.map(|(username, day)| ActivityDto { username, last_activity_on: day, last_activity_at: day })))
}
