//! Changes of labels, milestone and state, one by one.

use std::collections::HashMap;

use tenon_domain::id::{IssuableId, LabelId, MilestoneId, ResourceEventId};
use tenon_domain::issuable::{IssuableAction, IssuableKind};
use tenon_domain::label::Label;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;
use tenon_storage::resource_event::{self, Change, ChangeKind, ResourceEvent};
use tenon_storage::{label, milestone};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::issuable::IssuableReference;
use crate::shared::issuable::milestones::MilestoneView;
use crate::shared::views::user_ref::UserRef;

/// The kind of change.
#[derive(Debug, Clone)]
pub enum ChangeView {
    /// A label; nothing is known of one that is gone.
    Label {
        /// The label.
        label: Option<Label>,
        /// True if it was added.
        added: bool,
    },
    /// A milestone.
    Milestone {
        /// The milestone.
        milestone: Option<Box<MilestoneView>>,
        /// True if it was set.
        added: bool,
    },
    /// The state, and what it became.
    State(String),
}

/// A recorded change.
#[derive(Debug, Clone)]
pub struct ResourceEventView {
    /// Its id.
    pub id: ResourceEventId,
    /// The user who made it.
    pub user: Option<UserRef>,
    /// The issue or merge request that was changed.
    pub issuable: IssuableId,
    /// Of an issue, or of a merge request.
    pub kind: IssuableKind,
    /// The change.
    pub change: ChangeView,
    /// When it was made.
    pub created_at: Timestamp,
}

/// The most changes of labels that one page of a conversation shows.
const MOST_ON_PAGE: i64 = 500;

/// The labels that one user has added and removed at one moment.
#[derive(Debug, Clone)]
pub struct LabelChanges {
    /// Who.
    pub by: Option<UserRef>,
    /// When.
    pub at: Timestamp,
    /// The added ones; without those that are gone.
    pub added: Vec<Label>,
    /// The removed ones; without those that are gone.
    pub removed: Vec<Label>,
}

/// The changes of labels between two moments, oldest first, for the page of a conversation. Changes of labels that are
/// gone are left out.
pub fn label_changes(
    query: &mut Query<'_>,
    of: &IssuableReference,
    between: (Option<Timestamp>, Option<Timestamp>),
) -> Result<Vec<LabelChanges>, AppError> {
    let found = query.issuable(of, IssuableAction::Read)?;
    let id = found.issuable.id;
    let events = resource_event::between(&mut query.tx, id, ChangeKind::Label, between, MOST_ON_PAGE)?;
    let mut all: Vec<LabelChanges> = Vec::new();
    for event in views(query, found.issuable.kind, events)? {
        let ChangeView::Label { label: Some(label), added } = event.change else { continue };
        let (by, at) = (event.user, event.created_at);
        let is_same = |last: &&mut LabelChanges| {
            last.at == at && last.by.as_ref().map(|user| user.id) == by.as_ref().map(|user| user.id)
        };
        let mut new = LabelChanges { by: by.clone(), at, added: Vec::new(), removed: Vec::new() };
        let known = all.last_mut().filter(is_same);
        let is_known = known.is_some();
        let changes = known.unwrap_or(&mut new);
        if added {
            changes.added.push(label);
        } else {
            changes.removed.push(label);
        }
        if !is_known {
            all.push(new);
        }
    }
    Ok(all)
}

/// The changes of one kind, oldest first.
pub fn resource_events(
    query: &mut Query<'_>,
    of: &IssuableReference,
    kind: ChangeKind,
    page: PageRequest,
) -> Result<Page<ResourceEventView>, AppError> {
    let found = query.issuable(of, IssuableAction::Read)?;
    let events = resource_event::list(&mut query.tx, found.issuable.id, kind, page)?;
    Ok(Page { items: views(query, found.issuable.kind, events.items)?, total: events.total, request: events.request })
}

/// One change.
pub fn resource_event(
    query: &mut Query<'_>,
    of: &IssuableReference,
    kind: ChangeKind,
    id: ResourceEventId,
) -> Result<ResourceEventView, AppError> {
    let found = query.issuable(of, IssuableAction::Read)?;
    let event = resource_event::find(&mut query.tx, found.issuable.id, kind, id)?;
    let events = event.into_iter().collect();
    views(query, found.issuable.kind, events)?.pop().ok_or(AppError::NotFound(Missing::Record))
}

fn views(
    query: &mut Query<'_>,
    kind: IssuableKind,
    events: Vec<ResourceEvent>,
) -> Result<Vec<ResourceEventView>, AppError> {
    let people = UserRef::of(query, events.iter().filter_map(|event| event.user).collect())?;
    let labels: Vec<LabelId> = events
        .iter()
        .filter_map(|event| match event.change {
            Change::Label { label, .. } => label,
            Change::Milestone { .. } | Change::State(_) => None,
        })
        .collect();
    let milestones: Vec<MilestoneId> = events
        .iter()
        .filter_map(|event| match event.change {
            Change::Milestone { milestone, .. } => milestone,
            Change::Label { .. } | Change::State(_) => None,
        })
        .collect();
    let labels = label::by_ids(&mut query.tx, &labels)?;
    let milestones = milestone::by_ids(&mut query.tx, &milestones)?.into_values().collect();
    let milestones: HashMap<MilestoneId, MilestoneView> =
        crate::shared::issuable::milestones::views(query, milestones)?
            .into_iter()
            .map(|view| (view.milestone.id, view))
            .collect();
    Ok(events
        .into_iter()
        .map(|event| ResourceEventView {
            id: event.id,
            user: event.user.and_then(|user| people.get(&user).cloned()),
            issuable: event.issuable,
            kind,
            change: match event.change {
                Change::Label { label, added } => {
                    ChangeView::Label { label: label.and_then(|id| labels.get(&id).cloned()), added }
                }
                Change::Milestone { milestone, added } => ChangeView::Milestone {
                    milestone: milestone.and_then(|id| milestones.get(&id).cloned()).map(Box::new),
                    added,
                },
                Change::State(state) => ChangeView::State(state),
            },
            created_at: event.created_at,
        })
        .collect())
}
