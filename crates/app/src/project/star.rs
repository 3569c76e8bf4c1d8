//! Stars.

use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::search::Search;
use tenon_domain::time::Timestamp;
use tenon_domain::transition::Transition;
use tenon_storage::project;

use super::show::one;
use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::reference::Reference;
use crate::shared::views::project_view::{Detail, ProjectView};
use crate::shared::views::user_ref::UserRef;

/// Stars a project; `Stayed` if the caller has starred it already.
pub fn star(command: &mut Command<'_>, reference: &Reference) -> Result<Transition<ProjectView>, AppError> {
    let found = command.query().project(reference, ProjectAction::Star)?;
    let (user, now) = (command.user()?.id, command.now);
    let changed = project::add_star(&mut command.tx, found.project.id, user, now)?;
    outcome(command, found.project.id, changed)
}

/// Those who have starred a project, and when, the newest star first. Accounts that cannot be used and private profiles are
/// left out.
pub fn starrers(
    query: &mut Query<'_>,
    reference: &Reference,
    search: Option<&str>,
    page: PageRequest,
) -> Result<Page<(UserRef, Timestamp)>, AppError> {
    let found = query.project(reference, ProjectAction::Read)?;
    let search = search.and_then(Search::parse);
    let listed = project::starrers(&mut query.tx, found.project.id, search.as_ref(), page)?;
    let people = UserRef::of(query, listed.items.iter().map(|(user, _)| *user).collect())?;
    let items = listed.items.into_iter().filter_map(|(user, at)| Some((people.get(&user)?.clone(), at)));
    Ok(Page { items: items.collect(), total: listed.total, request: listed.request })
}

/// Takes the caller's star back; `Stayed` if there is none.
pub fn unstar(command: &mut Command<'_>, reference: &Reference) -> Result<Transition<ProjectView>, AppError> {
    let found = command.query().project(reference, ProjectAction::Star)?;
    let user = command.user()?.id;
    let changed = project::remove_star(&mut command.tx, found.project.id, user)?;
    outcome(command, found.project.id, changed)
}

fn outcome(
    command: &mut Command<'_>,
    id: tenon_domain::id::ProjectId,
    changed: bool,
) -> Result<Transition<ProjectView>, AppError> {
    let mut query = command.query();
    let placed = project::find_placed(&mut query.tx, id)?.ok_or(AppError::NotFound(Missing::Project))?;
    let view = one(&mut query, placed, Detail::default())?;
    Ok(if changed { Transition::Moved(view) } else { Transition::Stayed(view) })
}
