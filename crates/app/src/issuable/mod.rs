//! What issues and merge requests have in common: who takes part, what texts name, what the server notes down.

pub(crate) mod labels;
pub(crate) mod people;
pub(crate) mod system_note;
pub(crate) mod texts;
pub(crate) mod transfer;

pub use people::UserRefs;
