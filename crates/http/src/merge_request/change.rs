//! Creating, changing and deleting merge requests.

use serde_json::Value;
use tenon_app::Reference;
use tenon_app::issuable::{PeopleChange, Triage};
use tenon_app::merge_request::{self, CreateMergeRequest, EditMergeRequest};
use tenon_domain::id::ProjectId;
use tenon_domain::issuable::StateEvent;
use tenon_domain::patch::Patch;
use tenon_domain::quick_action::extract;
use tenon_edge::error::ApiError;
use utoipa::openapi::Schema;

use crate::dto::merge_request::MergeRequestDto;
use crate::endpoint::{Call, Created, Json, NoContent};
use crate::issuable::{assignees, label_change, milestone, reference, sender, users};
use crate::params::{Filled, Reading, Scalar, params};

params! {
    /// A new merge request.
    pub(crate) struct CreateParams {
        /// The title.
        title: String,
        /// The source branch.
        source_branch: String,
        /// The target branch.
        target_branch: String,
        /// The id of the target project; the source project by default.
        target_project_id: Option<i64>,
        /// Markdown; lines that are quick actions are executed.
        description: Option<String>,
        /// The assignee; takes precedence over `assignee_ids`.
        assignee_id: Patch<i64>,
        /// The assignees.
        assignee_ids: Option<Vec<i64>>,
        /// The reviewers.
        reviewer_ids: Option<Vec<i64>>,
        /// The names of its labels.
        labels: Option<Vec<String>>,
        /// The milestone.
        milestone_id: Option<i64>,
        /// True to delete the source branch after the merge.
        remove_source_branch: Option<bool>,
        /// True if users who can merge may also push to the source branch.
        allow_collaboration | allow_maintainer_to_push: Option<bool>,
        /// True to squash all commits into one.
        squash: Option<bool>,
        /// The number of approvals by any user that the merge requires, 0 to 100. The number of the project counts if it is larger.
        approvals_before_merge: Option<i64>,
    }
}

/// A text that cannot be cleared: an empty one and null are refused, not ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotEmpty(String);

impl Scalar for NotEmpty {
    const COMPLAINT: &'static str = Filled::COMPLAINT;
    const JUDGES_NULL: bool = true;

    fn scalar(value: &Value) -> Reading<Self> {
        match Filled::scalar(value) {
            Reading::Is(Filled(text)) => Reading::Is(Self(text)),
            Reading::Empty | Reading::Wrong => Reading::Wrong,
        }
    }

    fn schema() -> Schema {
        Filled::schema()
    }
}

params! {
    /// Changes to a merge request.
    pub(crate) struct EditParams {
        /// The target branch.
        target_branch: Option<NotEmpty>,
        /// The title.
        title: Option<NotEmpty>,
        /// The assignee; empty or 0 for none; takes precedence over `assignee_ids`.
        assignee_id: Patch<i64>,
        /// The assignees; empty or 0 for none.
        assignee_ids: Option<Vec<i64>>,
        /// The reviewers; empty or 0 for none.
        reviewer_ids: Option<Vec<i64>>,
        /// The milestone; empty or 0 for none.
        milestone_id: Patch<i64>,
        /// The names of its labels; empty for none.
        labels: Option<Vec<String>>,
        /// The names of labels to add.
        add_labels: Option<Vec<String>>,
        /// The names of labels to remove.
        remove_labels: Option<Vec<String>>,
        /// Markdown; lines that are quick actions are executed.
        description: Option<String>,
        /// `close` or `reopen`.
        state_event: Option<StateEvent>,
        /// True to delete the source branch after the merge.
        remove_source_branch: Option<bool>,
        /// True to squash all commits into one.
        squash: Option<bool>,
        /// True if only members may comment.
        discussion_locked: Option<bool>,
        /// True if users who can merge may also push to the source branch.
        allow_collaboration | allow_maintainer_to_push: Option<bool>,
        /// The number of approvals by any user that the merge requires, 0 to 100. The number of the project counts if it is larger; null leaves it
        /// to the project.
        approvals_before_merge: Patch<i64>,
    }
    rules(reader) {
        // The message lists the older parameters only; the newer ones are accepted too.
        let later =
            ["assignee_ids", "reviewer_ids", "add_labels", "remove_labels", "allow_collaboration", "allow_maintainer_to_push", "approvals_before_merge"];
        if !later.iter().any(|name| reader.is_given(name)) {
            reader.at_least_one_of(&[
                "assignee_id", "description", "labels", "milestone_id", "remove_source_branch", "state_event",
                "target_branch", "title", "discussion_locked", "squash",
            ]);
        }
    }
}

pub(super) async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<MergeRequestDto>, ApiError> {
    let source = Reference::parse(caller.path("id"));
    let request = CreateMergeRequest {
        source_branch: params.source_branch,
        target_branch: params.target_branch,
        target_project: params.target_project_id.map(ProjectId::new),
        title: params.title,
        description: params.description.as_deref().map(extract),
        triage: Triage {
            assignees: assignees(params.assignee_ids, params.assignee_id).map(PeopleChange::All),
            milestone: milestone(params.milestone_id.map_or(Patch::Absent, Patch::Set)),
            labels: label_change(params.labels, None, None),
            ..Triage::default()
        },
        reviewers: users(params.reviewer_ids.unwrap_or_default()),
        remove_source_branch: params.remove_source_branch.unwrap_or(false),
        allow_collaboration: params.allow_collaboration.unwrap_or(false),
        squash: params.squash,
        approvals_before_merge: params.approvals_before_merge,
        sender: sender(&caller),
    };
    let view = merge_request::create(caller.app(), caller.identity(), source, request).await?;
    Ok(Created(view.into()))
}

pub(super) async fn edit(Call { caller, params }: Call<EditParams>) -> Result<Json<MergeRequestDto>, ApiError> {
    let of = reference(&caller)?;
    let request = EditMergeRequest {
        title: params.title.map(|NotEmpty(title)| title),
        description: params.description.as_deref().map(extract),
        target_branch: params.target_branch.map(|NotEmpty(branch)| branch),
        triage: Triage {
            assignees: assignees(params.assignee_ids, params.assignee_id).map(PeopleChange::All),
            milestone: milestone(params.milestone_id),
            labels: label_change(params.labels, params.add_labels, params.remove_labels),
            discussion_locked: params.discussion_locked,
            ..Triage::default()
        },
        reviewers: params.reviewer_ids.map(users).map(PeopleChange::All),
        state_event: params.state_event,
        remove_source_branch: params.remove_source_branch,
        squash: params.squash,
        allow_collaboration: params.allow_collaboration,
        approvals_before_merge: params.approvals_before_merge,
        text_seen: None,
    };
    let view = merge_request::edit(caller.app(), caller.identity(), of, request).await?;
    Ok(Json(view.into()))
}

pub(super) async fn delete(caller: Call<()>) -> Result<NoContent, ApiError> {
    let (of, since) = (reference(&caller)?, caller.head().unmodified_since);
    caller.write(move |command| merge_request::delete(command, &of, since)).await?;
    Ok(NoContent)
}
