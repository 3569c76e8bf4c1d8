//! From events to jobs.

use std::collections::HashSet;

use tenon_domain::event::{Event, EventKind};
use tenon_domain::id::EventId;
use tenon_storage::event;

use super::work::{Work, enqueue};
use crate::context::Command;
use crate::error::AppError;
use crate::repository::{PushData, PushedCommits};

/// Events that are relayed in one transaction.
const BATCH: i64 = 100;

/// Turns the oldest events into the jobs that they ask for, in order; returns how many events there were. Events and jobs
/// change in one transaction, so none is lost and none is made twice.
pub(super) fn run(command: &mut Command<'_>) -> Result<usize, AppError> {
    let events = event::unrelayed(&mut command.tx, BATCH)?;
    if events.is_empty() {
        return Ok(0);
    }
    let ids: Vec<EventId> = events.iter().map(|(id, _)| *id).collect();
    let own: HashSet<EventId> = event::mark_relayed(&mut command.tx, &ids)?.into_iter().collect();
    for (id, happened) in events.iter().filter(|(id, _)| own.contains(id)) {
        let Some(happened) = happened else {
            tracing::warn!(event.id = %id, "an event of an unknown kind is passed over");
            continue;
        };
        for work in follow_ups(happened) {
            enqueue(command, &work)?;
        }
    }
    Ok(events.len())
}

/// Whether work follows from events of this kind: the relay need not see others.
pub(crate) fn asks_for_work(kind: EventKind) -> bool {
    Reaction::to(kind).is_some()
}

/// All work that an event asks for, what is most urgent first.
fn follow_ups(event: &Event) -> impl Iterator<Item = Work> {
    let (first, second) = match Reaction::to(event.kind) {
        None => (None, None),
        Some(Reaction::DeleteProject) => {
            (event.project.map(|project| Work::DeleteProject { project: project.get() }), None)
        }
        Some(Reaction::DeleteGroup) => (event.namespace.map(|group| Work::DeleteGroup { group: group.get() }), None),
        Some(Reaction::DeleteUser) => {
            let hard = event.detail.as_deref() == Some(crate::user::HARD);
            (event.user.map(|user| Work::DeleteUser { user: user.get(), hard }), None)
        }
        Some(Reaction::FollowPush) => {
            let refresh = event.project.map(|project| Work::RefreshRepository { project: project.get() });
            (messages(event), refresh)
        }
    };
    first.into_iter().chain(second)
}

/// The reading of what pushed commits say; nothing where the server itself found that a branch has moved, for then there is
/// no user with whose rights it could be done.
fn messages(event: &Event) -> Option<Work> {
    let push: PushData = serde_json::from_str(event.detail.as_deref()?).ok()?;
    PushedCommits::of(event.project?, event.actor?, push).map(Work::ReadMessages)
}

/// What follows from a kind of events.
enum Reaction {
    DeleteProject,
    DeleteGroup,
    DeleteUser,
    FollowPush,
}

impl Reaction {
    const fn to(kind: EventKind) -> Option<Self> {
        match kind {
            EventKind::ProjectDeletionRequested => Some(Self::DeleteProject),
            EventKind::GroupDeletionRequested => Some(Self::DeleteGroup),
            EventKind::UserDeletionRequested => Some(Self::DeleteUser),
            EventKind::RefPushed => Some(Self::FollowPush),
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
}
