//! Labels of projects and groups (reference: issues-merge-requests-projects, section 10.1).

mod change;
mod follow;
mod view;

pub use change::{CreateLabel, EditLabel, create, delete, edit, promote};
pub use follow::{subscribe, unsubscribe};
pub(crate) use view::description_html;
pub use view::{LabelView, ListLabels, list, show};

use tenon_domain::group::GroupAction;
use tenon_domain::id::LabelId;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::label::{Label, Owner};
use tenon_domain::project::ProjectAction;
use tenon_storage::issuable::{IssuableReach, IssuableSet};
use tenon_storage::label::{self, LabelSet};

use crate::access::{FoundGroup, FoundProject, Reference};
use crate::context::Query;
use crate::error::{AppError, Missing};

/// The project or group whose labels or milestones are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Of {
    /// A project.
    Project(Reference),
    /// A group.
    Group(Reference),
}

/// A label as a request names it: by number, or by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelReference(pub String);

/// A project or group that the caller may use in the asked way.
pub(crate) enum Home {
    Project(Box<FoundProject>),
    Group(Box<FoundGroup>),
}

impl Home {
    pub(crate) fn find(
        query: &mut Query<'_>,
        of: &Of,
        in_project: ProjectAction,
        in_group: GroupAction,
    ) -> Result<Self, AppError> {
        Ok(match of {
            Of::Project(reference) => Self::Project(Box::new(query.project(reference, in_project)?)),
            Of::Group(reference) => Self::Group(Box::new(query.group(reference, in_group)?)),
        })
    }

    /// Whose labels and milestones these are.
    pub(crate) fn owner(&self) -> Owner {
        match self {
            Self::Project(found) => Owner::Project(found.project.id),
            Self::Group(found) => Owner::Group(found.group.id()),
        }
    }

    /// The issues or merge requests in it that the caller may see.
    fn reach(&self, query: &mut Query<'_>, kind: IssuableKind) -> Result<IssuableReach, AppError> {
        let (viewer, today) = (query.viewer(), query.today());
        Ok(match self {
            Self::Project(found) => crate::issuable::reach_of(kind, found),
            Self::Group(found) => {
                let set = IssuableSet::Below(found.group.id());
                IssuableReach::resolve(&mut query.tx, kind, viewer, set, today)?
            }
        })
    }
}

/// Finds the label that a request names, among those of `set`: a number is an id first, and a name otherwise.
fn find(query: &mut Query<'_>, set: LabelSet, reference: &LabelReference) -> Result<Label, AppError> {
    let by_id = match reference.0.parse::<i64>() {
        Ok(id) => label::find(&mut query.tx, set, LabelId::new(id))?,
        Err(_) => None,
    };
    let found = match by_id {
        Some(label) => Some(label),
        None => label::named(&mut query.tx, set, std::slice::from_ref(&reference.0))?.into_iter().next(),
    };
    found.ok_or(AppError::NotFound(Missing::Named("Label")))
}
