//! The recipients of an event. Their permission to read its subject is checked when their mails are sent.

use std::collections::HashSet;

use tenon_domain::group::setting as of_group;
use tenon_domain::id::{LabelId, UserId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::notification_setting::{NotificationLevel, level_in_force};
use tenon_domain::project::setting::EMAILS_ENABLED;
use tenon_storage::{group, issuable, label, merge_request, notification_setting, project, user};

use super::Happened;
use super::occasion::{Audience, Occasion};
use crate::core::app::Query;
use crate::core::error::AppError;

/// Why a user hears of something, if that is said.
const ASSIGNED: &str = "assigned";
const MENTIONED: &str = "mentioned";

/// The users who are to get a mail, each once, with the reason that it names.
pub(super) fn of(query: &mut Query<'_>, happened: &Happened) -> Result<Vec<(UserId, Option<&'static str>)>, AppError> {
    let Some(occasion) = happened.occasion() else { return Ok(Vec::new()) };
    let most = query.app.limits().mail.recipients;
    let tx = &mut query.tx;
    let Some(found) = issuable::find_by_id(tx, happened.issuable())? else { return Ok(Vec::new()) };
    let Some(placed) = project::find_placed(tx, found.project)? else { return Ok(Vec::new()) };
    let is_silent = group::inherited_settings(tx, placed.home.id)?.is_off(&of_group::EMAILS_ENABLED);
    if is_silent || !placed.project.settings.is_on(&EMAILS_ENABLED) {
        return Ok(Vec::new());
    }
    let edit = happened.edit();
    let (audience, id) = (occasion.audience(&edit), found.id);
    if occasion == Occasion::Due && placed.project.archived {
        return Ok(Vec::new());
    }
    let named_by_edit = || -> HashSet<UserId> { edit.mentioned.iter().copied().map(UserId::new).collect() };
    let (labels, mentioned): (Vec<LabelId>, HashSet<UserId>) = match occasion {
        Occasion::New => {
            let names = issuable::label_names(tx, &[id])?.remove(&id).unwrap_or_default();
            (names.into_iter().map(|(label, _)| label).collect(), issuable::mentioned(tx, id, None)?)
        }
        Occasion::Updated => (edit.labels.iter().copied().map(LabelId::new).collect(), named_by_edit()),
        Occasion::Note => (Vec::new(), issuable::mentioned(tx, id, happened.note())?),
        Occasion::NoteUpdated => (Vec::new(), named_by_edit()),
        Occasion::Closed
        | Occasion::Reopened
        | Occasion::Merged
        | Occasion::Approved
        | Occasion::Unapproved
        | Occasion::ChangesRequested
        | Occasion::Due => (Vec::new(), HashSet::new()),
    };
    let by_label = if labels.is_empty() { HashSet::new() } else { label::followers(tx, &labels)? };
    let mut assigned: HashSet<UserId> =
        issuable::assignees(tx, &[id])?.remove(&id).unwrap_or_default().into_iter().collect();
    if found.kind == IssuableKind::MergeRequest {
        assigned.extend(merge_request::reviewers(tx, &[id])?.remove(&id).unwrap_or_default());
    }
    let (participants, listeners) = match audience {
        Audience::Named => (HashSet::new(), Vec::new()),
        Audience::Participants | Audience::Everyone => {
            let mut participants: HashSet<UserId> = issuable::participants(tx, &found)?.into_iter().collect();
            let gone = edit.assignees.removed.iter().chain(&edit.reviewers.removed);
            participants.extend(assigned.iter().copied().chain(gone.copied().map(UserId::new)));
            let bound = i64::try_from(most).unwrap_or(i64::MAX);
            (participants, notification_setting::listeners(tx, found.project, placed.home.id, bound)?)
        }
    };
    let said = issuable::subscriptions(tx, id)?;
    let subscribed = said.iter().filter(|(_, subscribed)| **subscribed && audience != Audience::Named);
    let mut candidates: Vec<UserId> = participants.iter().chain(&mentioned).chain(&by_label).copied().collect();
    candidates.extend(listeners.into_iter().chain(subscribed.map(|(user, _)| *user)));
    candidates.sort_unstable();
    candidates.dedup();
    candidates.retain(|user| Some(*user) != happened.actor());
    let settings = notification_setting::in_order(tx, &candidates, found.project, placed.home.id)?;
    let accounts = user::by_ids(tx, &candidates)?;
    let chosen = occasion.events(found.kind, &edit);
    let wants = |user: &UserId| {
        let (level, events) = level_in_force(settings.get(user).map(Vec::as_slice).unwrap_or_default());
        let role = Role {
            said: said.get(user).copied(),
            by_label: by_label.contains(user),
            takes_part: participants.contains(user),
            is_mentioned: mentioned.contains(user),
            has_chosen: chosen.iter().any(|event| events.contains(*event)),
            audience,
        };
        role.wants(level)
    };
    let reason = |user: &UserId| {
        if assigned.contains(user) {
            Some(ASSIGNED)
        } else if mentioned.contains(user) {
            Some(MENTIONED)
        } else {
            None
        }
    };
    let reads = |user: &UserId| accounts.get(user).is_some_and(|user| user.may_act() && !user.bot);
    let wanted = candidates.iter().filter(|user| reads(user) && wants(user));
    Ok(wanted.take(most).map(|user| (*user, reason(user))).collect())
}

/// The roles of a user in an event.
#[derive(Debug, Clone, Copy)]
struct Role {
    /// True if the user has said that they want to hear of the issue or merge request, or that they do not.
    said: Option<bool>,
    /// True if the user follows a label that it has got.
    by_label: bool,
    takes_part: bool,
    /// True if this very text names the user.
    is_mentioned: bool,
    /// True if the user has chosen such events for the level `custom`.
    has_chosen: bool,
    /// Who hears of it at all.
    audience: Audience,
}

impl Role {
    fn wants(self, level: NotificationLevel) -> bool {
        use NotificationLevel as L;
        let by_mention = self.is_mentioned
            && match level {
                L::Mention | L::Participating | L::Watch | L::Custom | L::Global => true,
                L::Disabled => false,
            };
        if by_mention {
            return true;
        }
        match self.said {
            Some(false) => return false,
            Some(true) if self.audience != Audience::Named => return true,
            Some(true) | None => {}
        }
        if self.by_label {
            return true;
        }
        match level {
            L::Participating | L::Global => self.takes_part,
            L::Watch => self.takes_part || self.audience == Audience::Everyone,
            L::Custom => self.takes_part || (self.has_chosen && self.audience != Audience::Named),
            L::Mention | L::Disabled => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use tenon_domain::notification_setting::NotificationSetting;

    use super::*;

    const NONE: Role = Role {
        said: None,
        by_label: false,
        takes_part: false,
        is_mentioned: false,
        has_chosen: false,
        audience: Audience::Everyone,
    };

    #[test]
    fn the_level_says_who_hears_of_what() {
        use NotificationLevel::{Custom, Disabled, Mention, Participating, Watch};
        let takes_part = Role { takes_part: true, ..NONE };
        let mentioned = Role { is_mentioned: true, takes_part: true, ..NONE };
        let subscribed = Role { said: Some(true), ..NONE };
        let ended = Role { said: Some(false), takes_part: true, ..NONE };
        let ended_and_mentioned = Role { is_mentioned: true, ..ended };
        let by_label = Role { by_label: true, ..NONE };
        let chosen = Role { has_chosen: true, ..NONE };
        let of_participants = |role: Role| Role { audience: Audience::Participants, ..role };
        let of_named = |role: Role| Role { audience: Audience::Named, ..role };
        for (role, name, want) in [
            (NONE, "none", [false, false, false, true, false]),
            (takes_part, "takes part", [false, false, true, true, true]),
            (mentioned, "mentioned", [false, true, true, true, true]),
            (subscribed, "subscribed", [true; 5]),
            (ended, "ended", [false; 5]),
            (ended_and_mentioned, "ended and mentioned", [false, true, true, true, true]),
            (by_label, "by label", [true; 5]),
            (chosen, "chosen", [false, false, false, true, true]),
            (of_participants(NONE), "none, for participants", [false; 5]),
            (of_participants(takes_part), "takes part, for participants", [false, false, true, true, true]),
            (of_participants(subscribed), "subscribed, for participants", [true; 5]),
            (of_participants(chosen), "chosen, for participants", [false, false, false, false, true]),
            (of_named(subscribed), "subscribed, for the named", [false; 5]),
            (of_named(chosen), "chosen, for the named", [false; 5]),
            (of_named(by_label), "by label, for the named", [true; 5]),
        ] {
            let found = [Disabled, Mention, Participating, Watch, Custom].map(|level| role.wants(level));
            assert_eq!(found, want, "{name}");
        }
    }

    #[test]
    fn nothing_said_means_to_take_part() {
        let settings: [NotificationSetting; 0] = [];
        assert_eq!(level_in_force(&settings).0, NotificationLevel::Participating);
    }
}
