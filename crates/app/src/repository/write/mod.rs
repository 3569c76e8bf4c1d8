//! Commits, branches and tags that are made over the API.

pub(crate) mod change_refs;
pub(crate) mod commit_files;
pub(crate) mod first_commit;
pub(crate) mod replay;
pub(crate) mod upload_files;
