//! From events to jobs.

use tenon_domain::event::{Event, EventKind};
use tenon_storage::event;

use super::work::{Work, enqueue};
use crate::app::App;
use crate::error::AppError;
use crate::repository::{PushData, PushedCommits};

/// Events looked at in one transaction.
const BATCH: i64 = 100;

/// Turns the oldest events into the jobs that they ask for, in order; yields how many events there were. Event and jobs
/// change in one transaction, so none is lost and none is made twice.
pub(super) fn run(app: &App) -> Result<usize, AppError> {
    app.command(|command| {
        let events = event::unrelayed(&mut command.tx, BATCH)?;
        for (id, happened) in &events {
            if !event::mark_relayed(&mut command.tx, *id)? {
                continue;
            }
            let Some(happened) = happened else {
                tracing::warn!(event.id = %id, "an event of an unknown kind is passed over");
                continue;
            };
            for work in follow_ups(happened) {
                enqueue(command, &work)?;
            }
        }
        Ok(events.len())
    })
}

/// All work that an event asks for, what somebody waits for first.
fn follow_ups(event: &Event) -> impl Iterator<Item = Work> {
    messages(event).into_iter().chain(follow_up(event))
}

/// The reading of what pushed commits say; nothing where the server itself found that a branch has moved, for then nobody is
/// known with whose rights it could be done.
fn messages(event: &Event) -> Option<Work> {
    if event.kind != EventKind::RefPushed {
        return None;
    }
    let push: PushData = serde_json::from_str(event.detail.as_deref()?).ok()?;
    PushedCommits::of(event.project?, event.actor?, push).map(Work::ReadMessages)
}

/// The other work that an event asks for.
fn follow_up(event: &Event) -> Option<Work> {
    match event.kind {
        EventKind::ProjectDeletionRequested => Some(Work::DeleteProject { project: event.project?.get() }),
        EventKind::GroupDeletionRequested => Some(Work::DeleteGroup { group: event.namespace?.get() }),
        EventKind::UserDeletionRequested => {
            let hard = event.detail.as_deref() == Some(crate::user::HARD);
            Some(Work::DeleteUser { user: event.user?.get(), hard })
        }
        EventKind::RefPushed => Some(Work::RefreshRepository { project: event.project?.get() }),
        EventKind::UserCreated
        | EventKind::UserBlocked
        | EventKind::UserUnblocked
        | EventKind::GroupCreated
        | EventKind::GroupUpdated
        | EventKind::ProjectCreated
        | EventKind::ProjectUpdated
        | EventKind::ProjectTransferred
        | EventKind::ProjectArchived
        | EventKind::ProjectUnarchived
        | EventKind::MemberAdded
        | EventKind::MemberUpdated
        | EventKind::MemberRemoved
        | EventKind::IssueOpened
        | EventKind::IssueUpdated
        | EventKind::IssueClosed
        | EventKind::IssueReopened
        | EventKind::IssueMoved
        | EventKind::IssueDeleted
        | EventKind::MergeRequestOpened
        | EventKind::MergeRequestUpdated
        | EventKind::MergeRequestClosed
        | EventKind::MergeRequestReopened
        | EventKind::MergeRequestMerged
        | EventKind::MergeRequestDeleted
        | EventKind::NoteCreated
        | EventKind::NoteUpdated
        | EventKind::NoteDeleted
        | EventKind::AwardAdded
        | EventKind::AwardRemoved
        | EventKind::MilestoneCreated
        | EventKind::MilestoneUpdated
        | EventKind::MilestoneClosed
        | EventKind::MilestoneActivated
        | EventKind::MilestoneDeleted
        | EventKind::LabelCreated
        | EventKind::LabelUpdated
        | EventKind::LabelDeleted
        | EventKind::TokenCreated
        | EventKind::TokenRevoked => None,
    }
}
