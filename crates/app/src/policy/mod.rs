//! Who may do what: from the names in a request to a project, group, account, issue or merge request that the caller
//! may use.

pub(crate) mod account;
pub(crate) mod authorization;
pub(crate) mod collaboration;
pub(crate) mod container;
pub(crate) mod issuable;
pub mod place;
pub(crate) mod precondition;
pub(crate) mod protection;
pub(crate) mod quota;
pub(crate) mod reference;
pub(crate) mod snippet;
