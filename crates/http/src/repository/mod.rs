//! Repositories: branches, tags, their protection, commits, directories and files.

mod archive;
mod blob;
mod branch;
mod comment;
mod commit;
mod compare;
mod content;
mod contributor;
mod file;
mod protected_branch;
mod protected_tag;
mod tag;
mod tree;
mod write_commit;
mod write_file;

pub(crate) use archive::archive;

use chrono::{DateTime, Utc};
use tenon_app::Reference;
use tenon_app::error::AppError;
use tenon_edge::error::ApiError;

use crate::endpoint::{Caller, Routes};

/// The largest body of a request with files, which is held in memory.
const BODY_LIMIT: usize = 32 * 1024 * 1024;

pub(crate) fn routes(api: &mut Routes) {
    branch::routes(api);
    protected_branch::routes(api);
    protected_tag::routes(api);
    tag::routes(api);
    commit::routes(api);
    comment::routes(api);
    write_commit::routes(api);
    tree::routes(api);
    blob::routes(api);
    file::routes(api);
    write_file::routes(api);
    archive::routes(api);
    compare::routes(api);
    contributor::routes(api);
}

fn project(caller: &Caller) -> Reference {
    Reference::parse(caller.path("id"))
}

/// The text, unless it is empty.
fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// 412 for a change after the time that the caller named.
fn unmodified(since: Option<DateTime<Utc>>, changed: DateTime<Utc>) -> Result<(), ApiError> {
    match since {
        Some(since) if changed > since => Err(AppError::Stale.into()),
        Some(_) | None => Ok(()),
    }
}
