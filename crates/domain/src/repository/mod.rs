//! The rules for changes of the refs of a repository.

pub mod code_owners;
mod grantee;
mod license;
mod protection;
mod push;
mod trailer;

pub use grantee::{Grantee, Grantees, NO_ONE};
pub use license::License;
pub(crate) use protection::matches_pattern;
pub use protection::{
    AccessEntry, PROTECTION_LEVELS, ProtectedAction, ProtectedRef, ProtectionKind, Protections, RefRules,
};
pub use push::{KeyPushFacts, PushFacts, PushRefusal, RefChange, RefKind, check_ref_change, check_ref_change_by_key};
pub use trailer::trailers;

/// The name of the place in which all repositories are.
pub const STORAGE: &str = "default";
