//! The states of accounts: who may use them, and who not for now.

use super::User;
use crate::time::{TimeDelta, Timestamp};
use crate::transition::Transition;

/// The life of an account. Whatever its state, it keeps memberships and projects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UserState {
    /// May sign in and use tokens.
    Active,
    /// An administrator has shut it out.
    Blocked,
    /// Was not used for long, and is not until its user signs in on a page.
    Deactivated,
    /// Shut out for what was done with it.
    Banned,
    /// Was made by its user, and waits for an administrator's approval.
    Pending,
}

/// The changes that an administrator can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UserEvent {
    /// Shut the account out.
    Block,
    /// Let it in again.
    Unblock,
    /// Put an account that is not used out of use. See [`User::deactivate`].
    Deactivate,
    /// Put it into use again; signing in does the same.
    Activate,
    /// Shut an active account out for good.
    Ban,
    /// Let a banned account in again.
    Unban,
    /// Let an account in that its user has made.
    Approve,
}

impl UserEvent {
    /// The account after it, in a word.
    #[must_use]
    pub const fn done(self) -> &'static str {
        match self {
            Self::Block => "blocked",
            Self::Unblock => "unblocked",
            Self::Deactivate => "deactivated",
            Self::Activate => "activated",
            Self::Ban => "banned",
            Self::Unban => "unbanned",
            Self::Approve => "approved",
        }
    }
}

/// Why the state of an account does not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StateRefusal {
    /// A deactivated account is not unblocked, but activated.
    #[error("the account is deactivated and not blocked")]
    UnblockDeactivated,
    /// An account that waits for approval is approved or rejected; unblocking it would else approve it.
    #[error("the account waits for approval and cannot be blocked")]
    BlockPending,
    /// A blocked account has to be unblocked before, a banned one unbanned.
    #[error("the account is shut out and cannot be activated")]
    ActivateExcluded,
    /// The account is blocked or banned already.
    #[error("the account is shut out and cannot be deactivated")]
    DeactivateExcluded,
    /// The account belongs to the server.
    #[error("the account is internal and cannot be deactivated")]
    DeactivateInternal,
    /// The account was used in the last [`INACTIVE_DAYS`] days.
    #[error("the account is in use and cannot be deactivated")]
    DeactivateUsed,
    /// Only active accounts are banned.
    #[error("the account is not active and cannot be banned")]
    BanInactive,
    /// The account is not banned.
    #[error("the account is not banned")]
    UnbanOther,
    /// The account does not wait for approval, and is not approved.
    #[error("the account does not wait for approval")]
    ApproveOther,
    /// The account does not wait for approval, and is not rejected.
    #[error("the account does not wait for approval and cannot be rejected")]
    RejectOther,
}

/// Days in which an account must not have been used for it to be deactivated.
pub const INACTIVE_DAYS: i64 = 90;

impl UserState {
    /// The state after `event`.
    ///
    /// # Errors
    /// Fails if the event is none of this state.
    pub const fn apply(self, event: UserEvent) -> Result<Transition<Self>, StateRefusal> {
        use UserEvent as Event;
        Ok(match (self, event) {
            (Self::Active | Self::Deactivated, Event::Block) => Transition::Moved(Self::Blocked),
            (Self::Active, Event::Deactivate) => Transition::Moved(Self::Deactivated),
            (Self::Active, Event::Ban) => Transition::Moved(Self::Banned),
            (Self::Blocked, Event::Unblock)
            | (Self::Deactivated, Event::Activate)
            | (Self::Banned, Event::Unban)
            | (Self::Pending, Event::Approve) => Transition::Moved(Self::Active),
            // One who is banned remains so, and one who waits waits on: that is ended in its own way.
            (Self::Blocked | Self::Banned, Event::Block)
            | (Self::Active | Self::Banned | Self::Pending, Event::Unblock)
            | (Self::Deactivated, Event::Deactivate)
            | (Self::Active, Event::Activate) => Transition::Stayed(self),
            (Self::Pending, Event::Block) => return Err(StateRefusal::BlockPending),
            (Self::Deactivated, Event::Unblock) => return Err(StateRefusal::UnblockDeactivated),
            (Self::Blocked | Self::Banned | Self::Pending, Event::Deactivate) => {
                return Err(StateRefusal::DeactivateExcluded);
            }
            (Self::Blocked | Self::Banned | Self::Pending, Event::Activate) => {
                return Err(StateRefusal::ActivateExcluded);
            }
            (Self::Blocked | Self::Deactivated | Self::Banned | Self::Pending, Event::Ban) => {
                return Err(StateRefusal::BanInactive);
            }
            (Self::Active | Self::Blocked | Self::Deactivated | Self::Pending, Event::Unban) => {
                return Err(StateRefusal::UnbanOther);
            }
            (Self::Active | Self::Blocked | Self::Deactivated | Self::Banned, Event::Approve) => {
                return Err(StateRefusal::ApproveOther);
            }
        })
    }

    /// The word in the API and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Blocked => "blocked",
            Self::Deactivated => "deactivated",
            Self::Banned => "banned",
            Self::Pending => "blocked_pending_approval",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let all = [Self::Active, Self::Blocked, Self::Deactivated, Self::Banned, Self::Pending];
        all.into_iter().find(|state| state.as_str() == text)
    }
}

impl User {
    /// The state after [`UserEvent::Deactivate`].
    ///
    /// # Errors
    /// Fails if the account is shut out already, is internal, or was used lately.
    pub fn deactivate(&self, now: Timestamp) -> Result<Transition<UserState>, StateRefusal> {
        let outcome = self.state.apply(UserEvent::Deactivate)?;
        match outcome {
            Transition::Moved(_) if !self.is_person() => Err(StateRefusal::DeactivateInternal),
            Transition::Moved(_) if self.was_used_since(now - TimeDelta::days(INACTIVE_DAYS)) => {
                Err(StateRefusal::DeactivateUsed)
            }
            Transition::Moved(_) | Transition::Stayed(_) => Ok(outcome),
        }
    }

    /// Of the last activity only the day is known: it counts from the beginning of that day.
    fn was_used_since(&self, moment: Timestamp) -> bool {
        self.last_activity_on.is_some_and(|day| day > moment.date_naive())
            || self.current_sign_in_at.is_some_and(|at| at > moment)
    }
}

#[cfg(test)]
mod tests {
    use super::UserEvent::{Activate, Approve, Ban, Block, Deactivate, Unban, Unblock};
    use super::UserState::{Active, Banned, Blocked, Deactivated, Pending};
    use super::*;
    use crate::user::tests::user;

    #[test]
    fn every_event_in_every_state() {
        use StateRefusal as Refusal;
        use Transition::{Moved, Stayed};
        for (from, event, want) in [
            (Active, Block, Ok(Moved(Blocked))),
            (Blocked, Block, Ok(Stayed(Blocked))),
            (Deactivated, Block, Ok(Moved(Blocked))),
            (Banned, Block, Ok(Stayed(Banned))),
            (Active, Unblock, Ok(Stayed(Active))),
            (Blocked, Unblock, Ok(Moved(Active))),
            (Deactivated, Unblock, Err(Refusal::UnblockDeactivated)),
            (Banned, Unblock, Ok(Stayed(Banned))),
            (Active, Deactivate, Ok(Moved(Deactivated))),
            (Blocked, Deactivate, Err(Refusal::DeactivateExcluded)),
            (Deactivated, Deactivate, Ok(Stayed(Deactivated))),
            (Banned, Deactivate, Err(Refusal::DeactivateExcluded)),
            (Active, Activate, Ok(Stayed(Active))),
            (Blocked, Activate, Err(Refusal::ActivateExcluded)),
            (Deactivated, Activate, Ok(Moved(Active))),
            (Banned, Activate, Err(Refusal::ActivateExcluded)),
            (Active, Ban, Ok(Moved(Banned))),
            (Blocked, Ban, Err(Refusal::BanInactive)),
            (Deactivated, Ban, Err(Refusal::BanInactive)),
            (Banned, Ban, Err(Refusal::BanInactive)),
            (Active, Unban, Err(Refusal::UnbanOther)),
            (Blocked, Unban, Err(Refusal::UnbanOther)),
            (Deactivated, Unban, Err(Refusal::UnbanOther)),
            (Banned, Unban, Ok(Moved(Active))),
            (Active, Approve, Err(Refusal::ApproveOther)),
            (Blocked, Approve, Err(Refusal::ApproveOther)),
            (Deactivated, Approve, Err(Refusal::ApproveOther)),
            (Banned, Approve, Err(Refusal::ApproveOther)),
            (Pending, Approve, Ok(Moved(Active))),
            (Pending, Block, Err(Refusal::BlockPending)),
            (Pending, Unblock, Ok(Stayed(Pending))),
            (Pending, Deactivate, Err(Refusal::DeactivateExcluded)),
            (Pending, Activate, Err(Refusal::ActivateExcluded)),
            (Pending, Ban, Err(Refusal::BanInactive)),
            (Pending, Unban, Err(Refusal::UnbanOther)),
        ] {
            assert_eq!(from.apply(event), want, "{event:?} of {from:?}");
        }
    }

    #[test]
    fn states_have_names() {
        for state in [Active, Blocked, Deactivated, Banned, Pending] {
            assert_eq!(UserState::parse(state.as_str()), Some(state));
        }
        assert_eq!(UserState::parse("Active"), None);
    }

    #[test]
    fn only_an_account_that_was_not_used_lately_is_deactivated() {
        let moment = |text: &str| Some(text.parse::<Timestamp>().unwrap());
        let now = moment("2026-11-23T12:00:00Z").unwrap();
        let day = |text: &str| Some(text.parse().unwrap());
        for (last_activity_on, current_sign_in_at, is_used) in [
            (None, None, false),
            (day("2026-08-25"), None, false),
            (day("2026-08-26"), None, true),
            (day("2026-11-23"), None, true),
            (None, moment("2026-08-25T12:00:00Z"), false),
            (None, moment("2026-08-25T12:00:01Z"), true),
            (day("2026-01-01"), moment("2026-11-01T00:00:00Z"), true),
        ] {
            let user = User { current_sign_in_at, last_activity_on, ..user(Active) };
            let want = if is_used { Err(StateRefusal::DeactivateUsed) } else { Ok(Transition::Moved(Deactivated)) };
            assert_eq!(user.deactivate(now), want, "{last_activity_on:?} {current_sign_in_at:?}");
        }
    }

    #[test]
    fn who_is_shut_out_or_deactivated_already_is_not_asked_for_their_activity() {
        let now = "2026-11-23T12:00:00Z".parse::<Timestamp>().unwrap();
        let seen = |state, ghost| User { current_sign_in_at: Some(now), ghost, ..user(state) }.deactivate(now);
        assert_eq!(seen(Active, false), Err(StateRefusal::DeactivateUsed));
        assert_eq!(seen(Active, true), Err(StateRefusal::DeactivateInternal));
        assert_eq!(seen(Blocked, false), Err(StateRefusal::DeactivateExcluded));
        assert_eq!(seen(Deactivated, false), Ok(Transition::Stayed(Deactivated)));
    }
}
