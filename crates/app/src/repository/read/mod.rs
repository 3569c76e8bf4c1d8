//! Reading branches, tags, commits and files.

pub(crate) mod branch;
pub(crate) mod browse;
pub(crate) mod code_owners;
pub(crate) mod commit;
pub(crate) mod context;
pub(crate) mod counted;
pub(crate) mod difference;
pub(crate) mod file;
pub(crate) mod graph;
pub(crate) mod history;
pub(crate) mod lanes;
pub(crate) mod languages;
pub(crate) mod lfs_object;
pub(crate) mod sidebar;
pub(crate) mod sides;
pub(crate) mod signature;
pub(crate) mod study;
pub(crate) mod tag;
pub(crate) mod tree;
