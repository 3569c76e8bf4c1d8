//! What may be done with the refs of a repository (reference: repository-git-webhooks, sections 1.1, 4 and 8).

mod license;
mod protection;
mod push;

pub use license::License;
pub use protection::{PROTECTION_LEVELS, ProtectedRef, ProtectionKind, Protections};
pub use push::{PushFacts, PushRefusal, RefChange, RefKind, judge};
