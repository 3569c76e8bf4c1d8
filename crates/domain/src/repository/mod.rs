//! The rules for changes of the refs of a repository.

pub mod code_owners;
mod license;
mod protection;
mod push;

pub use license::License;
pub(crate) use protection::matches_pattern;
pub use protection::{PROTECTION_LEVELS, ProtectedRef, ProtectionKind, Protections};
pub use push::{PushFacts, PushRefusal, RefChange, RefKind, check_ref_change};
