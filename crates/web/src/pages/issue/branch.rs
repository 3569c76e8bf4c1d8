//! Makes a branch, or a merge request, for an issue.

use tenon_app::issue_branch::{self, Started};

use crate::context::project::ProjectContext;
use crate::kit::address::in_path;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::parts::issuable::reference::reference;

/// Makes what the pressed button says, and leads there.
pub(super) async fn start(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked)?;
    let form = context.request.form();
    let (name, with_merge_request) = (form.filled("", "branch"), form.text("", "action") == "merge_request");
    let (app, identity) = (context.request.app(), context.request.identity());
    let started = issue_branch::start(app, identity, (of.project, of.iid), name, with_merge_request).await?;
    Ok(context.done(&match started {
        Started::Branch(name) => format!("/tree/{}", in_path(&name)),
        Started::MergeRequest(iid) => format!("/merge_requests/{iid}"),
    }))
}
