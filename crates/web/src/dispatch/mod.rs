//! Finds the page of a path.

mod group;
mod namespace_path;
pub(crate) mod pages;
