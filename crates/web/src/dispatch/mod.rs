//! From a path to its page.

mod group;
mod namespace_path;
pub(crate) mod pages;
