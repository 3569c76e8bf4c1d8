//! Hooks: of projects, and of the whole server.

mod branch_filter;
mod delivery;
mod flag;
mod health;
mod named_value;
mod system;
mod trigger;

pub use branch_filter::{BranchFilter, BranchFilterStrategy, InvalidBranchFilter};
pub use delivery::{DeliveryState, Outcome, fails_for_long, next_attempt};
pub use flag::{FLAGS, Flag, FlagChanges, Holder, HookEvents, Initial};
pub use health::{AlertStatus, Health};
pub use named_value::{MAX_NAMED, NamedValue, address_of, is_key, is_reserved_header, is_value};
pub use system::SystemEvent;
pub use trigger::Trigger;

use crate::id::{HookId, ProjectId};
use crate::time::Timestamp;

/// An address to which the server sends events. The secret token is stored apart and never shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// The hook's id.
    pub id: HookId,
    /// The project whose events it receives; `None` for those of the whole server.
    pub project: Option<ProjectId>,
    /// The address that gets the deliveries, in which `{key}` stands for a variable.
    pub url: String,
    /// The variables of the address.
    pub url_variables: Vec<NamedValue>,
    /// The headers that are sent with each delivery.
    pub custom_headers: Vec<NamedValue>,
    /// JSON with placeholders that is sent in place of the body of each event; `None` for that body.
    pub custom_webhook_template: Option<String>,
    /// Its name for people.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The events that it receives.
    pub events: HookEvents,
    /// Branches that pushes are limited to; `None` for all.
    pub push_events_branch_filter: Option<String>,
    /// How that filter is read.
    pub branch_filter_strategy: BranchFilterStrategy,
    /// True if the receiver's certificate is checked.
    pub enable_ssl_verification: bool,
    /// How its receiver is doing.
    pub health: Health,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Hook {
    /// True if it receives the events of a trigger. For a push to a branch, the caller asks its branch filter too
    /// ([`BranchFilter::matches`]).
    #[must_use]
    pub fn receives(&self, trigger: Trigger) -> bool {
        (!trigger.is_of_server() || self.project.is_none())
            && (trigger == Trigger::System || self.events.wants(trigger))
    }

    /// The text of its branch filter; empty for all branches.
    #[must_use]
    pub fn branch_filter(&self) -> &str {
        self.push_events_branch_filter.as_deref().unwrap_or_default()
    }
}

/// True if a hook's secret token can stand in an HTTP header.
#[must_use]
pub fn is_header_safe(token: &str) -> bool {
    token.chars().all(|c| !c.is_control())
}
