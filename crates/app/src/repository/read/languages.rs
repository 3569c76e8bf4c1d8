//! The languages of a project.

use tenon_domain::project::ProjectAction;
use tenon_storage::repository::facts;

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::reference::Reference;

/// Languages and their shares in percent, the largest first; none while nothing was pushed, and for those who may not read
/// the code.
pub fn languages(query: &mut Query<'_>, project: &Reference) -> Result<Vec<(String, f64)>, AppError> {
    let found = query.project(project, ProjectAction::Read)?;
    if !found.may(ProjectAction::ReadCode) {
        return Ok(Vec::new());
    }
    let id = found.project.id;
    let known = facts(&mut query.tx, &[id])?.remove(&id).unwrap_or_default();
    let percent = |share: i64| f64::from(i32::try_from(share).unwrap_or_default()) / 100.0;
    Ok(known.languages.into_iter().map(|(name, share)| (name, percent(share))).collect())
}
