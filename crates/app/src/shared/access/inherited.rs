//! The labels and milestones of a project that moves: those of groups that it leaves stay behind, and their place is
//! taken by others of the same name.

use tenon_domain::container::Container;
use tenon_domain::id::{LabelId, MilestoneId, ProjectId};
use tenon_domain::label::Label;
use tenon_domain::milestone::Milestone;
use tenon_storage::iid::{self, Counted};
use tenon_storage::label::{self, LabelSet};
use tenon_storage::milestone::{self, MilestoneFilter};

use crate::core::app::Command;
use crate::core::error::AppError;

/// Replaces what a project's issues carry of groups that no longer stand above it: by what can be used there under the
/// same name, else by a copy of the project's own.
pub(crate) fn replace_left_behind(command: &mut Command<'_>, project: ProjectId) -> Result<(), AppError> {
    let container = Container::Project(project);
    for old in label::left_behind(&mut command.tx, project)? {
        let named = label::named(&mut command.tx, LabelSet::usable_in(project), std::slice::from_ref(&old.name))?;
        let new = if let Some(label) = named.first() {
            label.id
        } else {
            let now = command.now;
            label::insert(&mut command.tx, &Label { id: LabelId::new(0), container, ..old.clone() }, now)?
        };
        label::replace_in(&mut command.tx, project, old.id, new)?;
    }
    for old in milestone::left_behind(&mut command.tx, project)? {
        let filter = MilestoneFilter { title: Some(old.title.clone()), ..MilestoneFilter::usable_in(project) };
        let new = if let Some(milestone) = milestone::all(&mut command.tx, &filter)?.first() {
            milestone.id
        } else {
            let iid = iid::next(&mut command.tx, container, Counted::Milestone)?;
            let copy = Milestone { id: MilestoneId::new(0), iid, container, ..old.clone() };
            milestone::insert(&mut command.tx, &copy)?
        };
        milestone::replace_in(&mut command.tx, project, old.id, new)?;
    }
    Ok(())
}
