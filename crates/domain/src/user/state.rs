//! Whether an account may be used.

use crate::transition::Transition;

/// The life of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UserState {
    /// May sign in and use tokens.
    Active,
    /// May not; keeps memberships and projects.
    Blocked,
}

/// What an administrator asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UserEvent {
    /// Shut the account out.
    Block,
    /// Let it in again.
    Unblock,
}

impl UserState {
    /// The state after `event`.
    #[must_use]
    pub const fn apply(self, event: UserEvent) -> Transition<Self> {
        match (self, event) {
            (Self::Active, UserEvent::Block) => Transition::Moved(Self::Blocked),
            (Self::Blocked, UserEvent::Unblock) => Transition::Moved(Self::Active),
            (Self::Blocked, UserEvent::Block) | (Self::Active, UserEvent::Unblock) => Transition::Stayed(self),
        }
    }

    /// The word in the API and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Blocked => "blocked",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Active, Self::Blocked].into_iter().find(|state| state.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_for_the_present_state_changes_nothing() {
        use UserEvent::{Block, Unblock};
        use UserState::{Active, Blocked};
        for (from, event, want) in [
            (Active, Block, Transition::Moved(Blocked)),
            (Active, Unblock, Transition::Stayed(Active)),
            (Blocked, Block, Transition::Stayed(Blocked)),
            (Blocked, Unblock, Transition::Moved(Active)),
        ] {
            assert_eq!(from.apply(event), want);
        }
    }
}
