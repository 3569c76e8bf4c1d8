//! When users were last active.

use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Date;
use tenon_storage::user;

use crate::core::app::Query;
use crate::core::error::AppError;

/// User names with the day of their last Git or sign-in activity, oldest first; from six months ago if `from` is
/// absent. Administrators only, which is the route's guard.
pub fn activities(
    query: &mut Query<'_>,
    from: Option<Date>,
    page: PageRequest,
) -> Result<Page<(String, Date)>, AppError> {
    let half_a_year_ago = || query.today().checked_sub_months(chrono::Months::new(6)).unwrap_or(Date::MIN);
    let from = from.unwrap_or_else(half_a_year_ago);
    Ok(user::activities(&mut query.tx, from, page)?)
}
