//! Refs that have changed.

use tenon_git::Oid;

/// A ref that has moved. Zeros stand for a ref that was not there, or is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefUpdate {
    /// Its full name.
    pub(crate) name: String,
    /// The object before.
    pub(crate) old: Oid,
    /// The object afterwards.
    pub(crate) new: Oid,
}
