//! Creating, moving and deleting issues.

use chrono::{DateTime, NaiveDate, Utc};
use tenon_app::Reference;
use tenon_app::issue::{self, CreateIssue, FollowUpOf};
use tenon_domain::id::{Iid, MilestoneId};
use tenon_domain::issuable::IssueType;
use tenon_domain::patch::Patch;
use tenon_domain::quick_action::extract;
use tenon_edge::error::ApiError;

use super::{IssueParams, project};
use crate::dto::issue::IssueDto;
use crate::endpoint::{Call, Created, Json, NoContent};
use crate::issuable::{assignees, label_names, sender};
use crate::params::params;

params! {
    /// A new issue.
    pub(crate) struct CreateParams {
        /// The title.
        title: String,
        /// Markdown; lines that are quick actions are executed.
        description: Option<String>,
        /// True if the issue is confidential.
        confidential: Option<bool>,
        /// The assignees.
        assignee_ids: Option<Vec<i64>>,
        /// The assignee; deprecated, takes precedence over `assignee_ids`.
        assignee_id: Patch<i64>,
        /// The milestone.
        milestone_id: Option<i64>,
        /// The names of its labels.
        labels: Option<Vec<String>>,
        /// The due date.
        due_date: Option<NaiveDate>,
        /// The weight, from 0 on.
        weight: Option<i64>,
        /// The type; `issue` by default.
        issue_type: Option<IssueType>,
        /// Its iid, for owners and administrators.
        iid: Option<i64>,
        /// The date of creation, for owners and administrators.
        created_at: Option<DateTime<Utc>>,
        /// The iid of a merge request of the project, whose unresolved discussions the issue continues. They are
        /// resolved. An empty title or description is taken from them.
        merge_request_to_resolve_discussions_of: Option<i64>,
        /// The id of one discussion of that merge request, instead of all.
        discussion_to_resolve: Option<String>,
    }
}

params! {
    /// The target of a move.
    pub(crate) struct MoveParams {
        issue: IssueParams,
        /// The id of the target project.
        to_project_id: i64,
    }
}

pub(super) async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<IssueDto>, ApiError> {
    let project = project(&caller);
    let discussion = params.discussion_to_resolve.filter(|id| !id.is_empty());
    let request = CreateIssue {
        iid: params.iid,
        title: params.title,
        description: params.description.as_deref().map(extract),
        confidential: params.confidential.unwrap_or(false),
        assignees: assignees(params.assignee_ids, params.assignee_id),
        milestone: params.milestone_id.map(MilestoneId::new),
        labels: params.labels.map(label_names),
        created_at: params.created_at,
        due_date: params.due_date,
        weight: params.weight,
        issue_type: params.issue_type,
        follow_up: params
            .merge_request_to_resolve_discussions_of
            .map(|iid| FollowUpOf { merge_request: Iid::new(iid), discussion }),
        sender: sender(&caller),
    };
    let texts = request.texts();
    let view = caller.write_text(texts, move |command| issue::create(command, &project, request)).await?;
    Ok(Created(IssueDto::single(view)))
}

pub(super) async fn delete(Call { caller, params }: Call<IssueParams>) -> Result<NoContent, ApiError> {
    let (project, since) = (project(&caller), caller.head().unmodified_since);
    caller.write(move |command| issue::delete(command, &project, params.iid(), since)).await?;
    Ok(NoContent)
}

pub(super) async fn move_to(Call { caller, params }: Call<MoveParams>) -> Result<Json<IssueDto>, ApiError> {
    let (project, target) = (project(&caller), Reference::Id(params.to_project_id));
    let view = issue::move_to(caller.app(), caller.identity(), project, params.issue.iid(), target).await?;
    Ok(Json(IssueDto::single(view)))
}
