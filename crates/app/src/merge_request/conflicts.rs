//! The files that prevent a merge.

use std::time::Duration;

use tenon_domain::issuable::{IssuableAction, State};
use tenon_domain::project::ProjectAction;

use super::mergeability::oid;
use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::policy::issuable::IssuableReference;

/// How long Git may take to find them. A page then does without.
const TIME: Duration = Duration::from_secs(5);

/// The files in which the branches of an open merge request are in conflict. Empty if they are not, or have no common
/// commit. 403 if the caller may not read the code.
pub async fn conflicts(app: &App, identity: &Identity, of: IssuableReference) -> Result<Vec<String>, AppError> {
    let found = app.read(identity, move |query| query.merge_request(&of, IssuableAction::Read)).await?;
    if !found.home.may(ProjectAction::ReadCode) {
        return Err(AppError::Forbidden);
    }
    let Some(head) = found.request.head().filter(|_| found.issuable.state == State::Opened) else {
        return Ok(Vec::new());
    };
    let (this, head) = (app.clone(), oid(head)?);
    app.on_git_long(move || {
        let repositories = this.merge_repositories(&found.home.project, &found.request);
        let Some(target) = repositories.target_tip(&found.request)? else { return Ok(Vec::new()) };
        Ok(repositories.target.conflicts(target, head, TIME)?)
    })
    .await
}
