//! The rules for changes of the refs of a repository.

mod license;
mod protection;
mod push;
mod trailer;

pub use license::License;
pub(crate) use protection::matches_pattern;
pub use protection::{PROTECTION_LEVELS, ProtectedRef, ProtectionKind, Protections};
pub use push::{PushFacts, PushRefusal, RefChange, RefKind, check_ref_change};
pub use trailer::trailers;
