//! The entry points: the API, OAuth, Git over HTTP, large files and files.

pub(crate) mod api;
pub(crate) mod docs;
pub(crate) mod files;
pub(crate) mod git;
pub(crate) mod lfs;
mod moved;
pub(crate) mod oauth;
pub(crate) mod routing;
pub(crate) mod state;
