//! The lines that discussions are about, for a page that does not show the whole difference.

use std::time::Duration;

use tenon_domain::file_path::FilePath;
use tenon_domain::issuable::IssuableAction;
use tenon_domain::note::DiffPosition;
use tenon_domain::page::PageRequest;
use tenon_domain::project::ProjectAction;
use tenon_git::diff::LineOf;
use tenon_storage::merge_request;

use super::mergeability::oid;
use super::outdated::KNOWN_VERSIONS;
use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::policy::issuable::IssuableReference;

pub use tenon_git::diff::Excerpt;

/// How long Git may take to find them. A page then does without.
const TIME: Duration = Duration::from_secs(5);

/// The lines at these positions, in their order, each with a few lines before it. `None` for one that is not found. Positions may
/// name any commit: only versions that the merge request knows are read. One process of Git at most answers for all. 403 if the
/// caller may not read the code.
pub async fn excerpts(
    app: &App,
    identity: &Identity,
    of: IssuableReference,
    positions: Vec<DiffPosition>,
) -> Result<Vec<Option<Excerpt>>, AppError> {
    let read = app.read(identity, move |query| {
        let found = query.merge_request(&of, IssuableAction::Read)?;
        let request = PageRequest::new(None, Some(KNOWN_VERSIONS));
        let versions = merge_request::versions(&mut query.tx, found.request.id, request)?.items;
        Ok((found, versions))
    });
    let (found, versions) = read.await?;
    if !found.home.may(ProjectAction::ReadCode) {
        return Err(AppError::Forbidden);
    }
    let none = vec![None; positions.len()];
    let Some(now) = found.request.diff.as_ref().filter(|_| !positions.is_empty()) else { return Ok(none) };
    let now = (oid(&now.base)?, oid(&now.head)?);
    let is_known = |position: &DiffPosition| {
        versions.iter().any(|version| version.diff.head == position.head && version.diff.base == position.base)
    };
    let line = |position: &DiffPosition| -> Result<Option<LineOf>, AppError> {
        if !is_known(position) {
            return Ok(None);
        }
        Ok(Some(LineOf {
            from: oid(&position.base)?,
            to: oid(&position.head)?,
            old_path: FilePath::from_stored(&position.old_path),
            new_path: FilePath::from_stored(&position.new_path),
            old: position.old_line,
            new: position.new_line,
        }))
    };
    let lines = positions.iter().map(line).collect::<Result<Vec<Option<LineOf>>, AppError>>()?;
    let repository = app.repositories().store.repository(found.home.project.id);
    app.on_git_long(move || {
        let mut commits: Vec<_> = lines.iter().flatten().map(|line| line.to).chain([now.1]).collect();
        commits.sort_unstable();
        commits.dedup();
        let mut there = Vec::new();
        for commit in commits {
            if repository.commit(commit)?.is_some() {
                there.push(commit);
            }
        }
        if !there.contains(&now.1) {
            return Ok(none);
        }
        let wanted: Vec<LineOf> = lines.iter().flatten().filter(|line| there.contains(&line.to)).cloned().collect();
        let mut found = repository.excerpts(&wanted, now, TIME)?.into_iter();
        let place =
            |line: Option<LineOf>| line.filter(|line| there.contains(&line.to)).and_then(|_| found.next().flatten());
        Ok(lines.into_iter().map(place).collect())
    })
    .await
}
