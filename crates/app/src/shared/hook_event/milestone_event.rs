//! The bodies for hooks about milestones of projects.

use serde_json::json;
use tenon_domain::container::Container;
use tenon_domain::hook::Trigger;
use tenon_domain::id::ProjectId;
use tenon_domain::milestone::Milestone;
use tenon_domain::page::PageRequest;
use tenon_domain::time::Date;
use tenon_storage::milestone::{self, MilestoneFilter};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::shared::hook_event::captured::{Captured, fields, moment};
use crate::shared::hook_event::record::record;

/// Records that a milestone was made, closed or opened again (`create`, `close`, `reopen`). The milestones of groups have no hook.
pub(crate) fn record_milestone(
    command: &mut Command<'_>,
    milestone: &Milestone,
    action: &'static str,
) -> Result<(), AppError> {
    let Container::Project(project) = milestone.container else { return Ok(()) };
    let actor = command.actor();
    record(command, Some(project), Trigger::Milestone, actor, |_command| Ok(captured(project, milestone, action)))
}

/// The newest milestone of a project, as an event has it, for a test of a hook.
pub(crate) fn sample_milestone(query: &mut Query<'_>, project: ProjectId) -> Result<Option<Captured>, AppError> {
    let filter = MilestoneFilter::of(Container::Project(project));
    let newest = milestone::list(&mut query.tx, &filter, PageRequest::new(Some(1), Some(1)))?.items.pop();
    Ok(newest.map(|milestone| captured(project, &milestone, "create")))
}

fn captured(project: ProjectId, milestone: &Milestone, action: &str) -> Captured {
    let day = |day: Option<Date>| day.map(|day| day.format("%Y-%m-%d").to_string());
    let attributes = json!({
        "id": milestone.id.get(),
        "iid": milestone.iid.get(),
        "title": milestone.title,
        "description": milestone.description,
        "state": milestone.state.as_str(),
        "created_at": moment(milestone.created_at),
        "updated_at": moment(milestone.updated_at),
        "due_date": day(milestone.due_date),
        "start_date": day(milestone.start_date),
        "project_id": project.get(),
    });
    Captured::Milestone { attributes: fields(attributes), action: action.to_owned() }
}
