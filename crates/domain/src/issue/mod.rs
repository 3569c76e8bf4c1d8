//! Issues. The part that they share with merge requests is in [`crate::issuable`].

mod ability;
mod branch_name;

pub use ability::{decide, decide_tracker};
pub use branch_name::branch_names;

use crate::words::words;

words! {
    /// How two issues hang together.
    pub enum LinkKind {
        /// They have to do with each other.
        RelatesTo = "relates_to",
        /// The first one must be done before the second.
        Blocks = "blocks",
        /// The second one must be done before the first.
        IsBlockedBy = "is_blocked_by",
    }
}
