//! Access tokens: kinds, scopes and state.

mod scope;

pub use scope::{Scope, ScopeRule, Scopes};

use crate::id::{TokenId, UserId};
use crate::time::{Date, Timestamp, is_unexpired};

/// The purpose of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// Made by or for a user, listed under the user's own tokens.
    Personal,
    /// Made by an administrator to act as the user; never shown to the user.
    Impersonation,
    /// Issued to an application.
    OAuth,
    /// Of a project or group: the user is its bot.
    Bot,
}

impl TokenKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Personal, Self::Impersonation, Self::OAuth, Self::Bot];

    /// The word in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Personal => "personal",
            Self::Impersonation => "impersonation",
            Self::OAuth => "oauth",
            Self::Bot => "bot",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Unique among tokens of all kinds.
    pub id: TokenId,
    /// Whom it stands for.
    pub user: UserId,
    /// Its purpose.
    pub kind: TokenKind,
    /// Its maker's name for it; need not be unique.
    pub name: String,
    /// Its maker's text about it.
    pub description: Option<String>,
    /// The uses that it allows.
    pub scopes: Scopes,
    /// True if it was withdrawn.
    pub revoked: bool,
    /// Dead from 00:00 UTC of this date on.
    pub expires_at: Option<Date>,
    /// Dead from this moment on: tokens of applications end within hours.
    pub ends_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last identified a request, to within ten minutes.
    pub last_used_at: Option<Timestamp>,
}

/// The validity of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenState {
    /// It works.
    Active,
    /// Its date has come, whether or not it was revoked as well.
    Expired,
    /// It was withdrawn.
    Revoked,
}

impl Token {
    /// The state at `now`. An expired token stays expired when it is revoked as well.
    #[must_use]
    pub fn state(&self, now: Timestamp) -> TokenState {
        if !is_unexpired(self.expires_at, now) || self.ends_at.is_some_and(|end| end <= now) {
            TokenState::Expired
        } else if self.revoked {
            TokenState::Revoked
        } else {
            TokenState::Active
        }
    }

    /// True if the token works at `now`.
    #[must_use]
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.state(now) == TokenState::Active
    }
}
