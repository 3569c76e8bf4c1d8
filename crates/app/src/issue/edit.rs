//! Editing issues.

use tenon_domain::access::AccessLevel;
use tenon_domain::id::Iid;
use tenon_domain::issuable::IssuableAction;
use tenon_domain::issuable::{State, StateEvent};
use tenon_domain::quick_action::Extracted;
use tenon_domain::time::Timestamp;
use tenon_storage::issuable;

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::issuable::AuthorizedIssuable;
use crate::policy::precondition::check_text;
use crate::policy::reference::Reference;
use crate::shared::issuable::aggregate::{change_state, full_text, joined, save_changes};
use crate::shared::issuable::quick_actions::{apply_actions, move_as_asked};
use crate::shared::issuable::triage::{Triage, triage};
use crate::shared::issuable::view::{IssuableView, one};
use crate::shared::issuable_aggregate::IssuableAggregate;

/// A request to change an issue.
#[derive(Debug, Clone, Default)]
pub struct EditIssue {
    /// Another title.
    pub title: Option<String>,
    /// Another description, and the quick actions that stood in it.
    pub description: Option<Extracted>,
    /// True if it is hidden from the public.
    pub confidential: Option<bool>,
    /// Assignees, milestone, labels, day, lock: for reporters.
    pub triage: Triage,
    /// Close it, or open it again.
    pub state_event: Option<StateEvent>,
    /// When it changed, if owners say so.
    pub updated_at: Option<Timestamp>,
    /// The version of title and description that the caller has read ([`IssuableView::text_version`]): if another has
    /// changed them since, the change is refused.
    pub text_seen: Option<String>,
}

impl EditIssue {
    /// The texts that are stored, as far as they are known before the issue is, for [`App::write_text`](crate::App::write_text).
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        let both = self.title.as_deref().zip(self.description.as_ref());
        both.map(|(title, description)| joined(title.trim(), &description.text)).into_iter().collect()
    }
}

/// Changes an issue: its state first, then everything else. Fields that the caller may not set are ignored.
pub fn edit(
    command: &mut Command<'_>,
    project: &Reference,
    iid: Iid,
    request: EditIssue,
) -> Result<IssuableView, AppError> {
    let found = command.query().issue(project, iid, IssuableAction::Edit)?;
    check_text(&found.issuable, request.text_seen.as_deref(), request.title.as_deref(), request.description.as_ref())?;
    let before = IssuableAggregate::load(command, &found.issuable)?;
    let mut after = before.clone();
    let user = command.user()?.id;
    // While only members may comment, only they may open it again.
    let stays_closed = request.state_event == Some(StateEvent::Reopen)
        && found.issuable.discussion_locked == Some(true)
        && !found.may(IssuableAction::Triage);
    if let Some(event) = request.state_event.filter(|_| !stays_closed) {
        change_state(&mut after, event, user, command.now);
    }
    let mut actions = Vec::new();
    let is_text_given = request.title.is_some() || request.description.is_some();
    if let Some(title) = &request.title {
        title.trim().clone_into(&mut after.issuable.title);
    }
    if let Some(description) = request.description {
        after.issuable.description = Some(description.text);
        actions = description.actions;
    }
    if is_text_given {
        // Before anything is written: the command begins anew if it does not know that.
        command.names(&full_text(&after.issuable))?;
    }
    after.issuable.confidential = request.confidential.unwrap_or(after.issuable.confidential);
    let updated_at = request.updated_at.filter(|_| found.home.standing.at_least(AccessLevel::Owner));
    if found.may(IssuableAction::Triage) {
        triage(command, &found, &mut after, request.triage)?;
    }
    let as_edited = AuthorizedIssuable { issuable: after.issuable.clone(), ..found.clone() };
    let target = apply_actions(command, &as_edited, &mut after, actions)?;
    let aggregate = save_changes(command, &found, &before, after, updated_at)?;
    let found = AuthorizedIssuable { issuable: aggregate.issuable.clone(), ..found };
    move_as_asked(command, &found, &aggregate, target)?;
    if before.issuable.state == State::Opened || aggregate.issuable.state == State::Opened {
        let now = command.now;
        issuable::touch_project(&mut command.tx, aggregate.issuable.project, now)?;
    }
    one(&mut command.query(), aggregate.issuable)
}
