//! Who may read what, as SQL: the one form of the abilities to read for lists, totals, counts, events and searches.
//!
//! Access is resolved first, to lists of namespaces and projects that are kept in memory ([`projects`]); from these come
//! conditions on projects and groups ([`filter`]) and on issues and merge requests ([`issuables`]). Tests hold each of
//! them to the rules of `tenon_domain` (`tests/storage/{access,issues,closing,events}.rs`).

pub(crate) mod feature;
pub(crate) mod filter;
pub(crate) mod issuables;
pub(crate) mod projects;
