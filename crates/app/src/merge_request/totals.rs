//! How many lines a merge request adds and removes.

use std::time::Duration;

use tenon_git::GitError;

use super::mergeability::oid;
use super::page::MergeRequestPage;
use crate::core::app::App;
use crate::core::error::AppError;
use crate::repository::read::context::Code;

/// How long Git may count them.
const TIME: Duration = Duration::from_secs(2);

/// The numbers of lines that the newest version of a merge request adds and removes. `None` if it has no version, or if Git needs too
/// long. They are remembered.
pub async fn changed_lines(app: &App, code: &Code, page: &MergeRequestPage) -> Result<Option<(u64, u64)>, AppError> {
    let Some(diff) = &page.view.request.diff else { return Ok(None) };
    let (base, head, Code(code)) = (oid(&diff.base)?, oid(&diff.head)?, code.clone());
    let repository = code.repository.clone();
    let work = move || {
        let are_there = repository.commit(base)?.is_some() && repository.commit(head)?.is_some();
        Ok((are_there, repository.known_totals(base, head).filter(|_| are_there)))
    };
    let stats = match app.read_git(work).await? {
        (_, Some(known)) => known,
        (false, None) => return Ok(None),
        (true, None) => {
            let count = move || match code.repository.totals(base, head, TIME) {
                Err(GitError::Timeout(_)) => Ok(None),
                counted => Ok(Some(counted?)),
            };
            let Some(counted) = app.on_git_long(count).await? else { return Ok(None) };
            counted
        }
    };
    Ok(Some((stats.additions, stats.deletions)))
}
