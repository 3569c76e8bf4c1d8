//! The rules for changes of the refs of a repository.

mod license;
mod protection;
mod push;

pub use license::License;
pub(crate) use protection::matches_pattern;
pub use protection::{
    AccessEntry, Grantee, NO_ONE, PROTECTION_LEVELS, ProtectedAction, ProtectedRef, ProtectionKind, Protections, RefRules,
};
pub use push::{KeyPushFacts, PushFacts, PushRefusal, RefChange, RefKind, check_ref_change, check_ref_change_by_key};

/// The name of the place in which all repositories are.
pub const STORAGE: &str = "default";
