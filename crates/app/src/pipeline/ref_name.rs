//! The names of branches and tags as pipelines have them.

use tenon_domain::refusal::PipelineRefusal;
use tenon_git::{BranchName, RefName};

use crate::core::error::AppError;

/// The name of a branch or tag as pipelines have it, which may be sent in full. 400 for what can be no such name.
pub(super) fn short_name(text: &str) -> Result<String, AppError> {
    let full = RefName::parse(text).ok();
    let full = full.and_then(|name| {
        let tag = || name.tag().map(|tag| tag.as_str().to_owned());
        name.branch().map(|branch| branch.as_str().to_owned()).or_else(tag)
    });
    let short = || BranchName::parse(text).is_ok().then(|| text.to_owned());
    full.or_else(short).ok_or_else(|| PipelineRefusal::InvalidRef.into())
}
