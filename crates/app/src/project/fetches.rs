//! How often a project was fetched.

use tenon_domain::project::ProjectAction;
use tenon_domain::time::Date;
use tenon_storage::project;

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::core::usage::first_day;
use crate::policy::reference::Reference;

/// The clones and fetches of the last 30 days, newest day first; days without any are left out. For reporters and above. The
/// newest ones of a few seconds may be missing.
pub fn fetches(query: &mut Query<'_>, reference: &Reference) -> Result<Vec<(Date, i64)>, AppError> {
    let found = query.project(reference, ProjectAction::ReadStatistics)?;
    let first = first_day(query.today());
    Ok(project::fetches_since(&mut query.tx, found.project.id, first)?)
}
