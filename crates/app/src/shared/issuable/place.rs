//! The places of lists of issues and merge requests.

use tenon_domain::group::GroupAction;
use tenon_domain::issuable::IssuableKind;
use tenon_storage::issuable::{IssuableSet, VisibleIssuables};

use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::authorization::AuthorizedProject;
use crate::policy::issuable::visible_issuables;
use crate::policy::reference::Reference;

/// The place of a list of issues or merge requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IssuablePlace {
    /// Everywhere.
    Everywhere,
    /// A group and what is below it.
    OfGroup(Reference),
    /// A project.
    OfProject(Reference),
}

/// The issues or merge requests of a place that the caller may see. `home` finds a project, and yields `None` if the project
/// shows none of them.
pub(crate) fn reach(
    query: &mut Query<'_>,
    kind: IssuableKind,
    place: &IssuablePlace,
    home: impl FnOnce(&mut Query<'_>, &Reference) -> Result<Option<AuthorizedProject>, AppError>,
) -> Result<Option<VisibleIssuables>, AppError> {
    let set = match place {
        IssuablePlace::Everywhere => IssuableSet::All,
        IssuablePlace::OfGroup(group) => IssuableSet::Below(query.group(group, GroupAction::Read)?.group.id()),
        IssuablePlace::OfProject(project) => {
            return Ok(home(query, project)?.map(|home| visible_issuables(kind, &home)));
        }
    };
    let (viewer, today) = (query.viewer(), query.today());
    Ok(Some(VisibleIssuables::resolve(&mut query.tx, kind, viewer, set, today)?))
}
