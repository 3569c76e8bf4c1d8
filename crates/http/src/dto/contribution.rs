//! Contributions as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::contribution::ContributionView;
use tenon_app::repository::PushData;
use tenon_domain::contribution::ContributionTarget;
use tenon_domain::id::ProjectId;
use tenon_domain::issuable::IssuableKind;
use utoipa::ToSchema;

use super::note::NoteDto;
use super::user::UserRefDto;

/// An action of a user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ContributionDto {
    id: i64,
    /// Always null.
    title: Option<String>,
    project_id: Option<i64>,
    action_name: &'static str,
    target_id: Option<i64>,
    /// The iid of the target, or its id if it has none.
    target_iid: Option<i64>,
    target_type: Option<&'static str>,
    author_id: Option<i64>,
    /// For comments, the title of the commented issue, merge request or commit.
    target_title: Option<String>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    /// The comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<NoteDto>,
    /// The changes of a push.
    #[serde(skip_serializing_if = "Option::is_none")]
    push_data: Option<PushDataDto>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<UserRefDto>,
    author_username: Option<String>,
}

/// The changes of a branch or tag by a push.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PushDataDto {
    /// The number of pushed commits; 0 for several refs.
    commit_count: i64,
    /// `created`, `pushed` or `removed`.
    action: String,
    /// `branch` or `tag`.
    ref_type: String,
    /// The commit before the push; null for a new ref, and for several.
    commit_from: Option<String>,
    /// The commit after the push; null for a deleted ref, and for several.
    commit_to: Option<String>,
    /// The short name of the ref; null for several.
    r#ref: Option<String>,
    /// The first line of the newest commit.
    commit_title: Option<String>,
    /// The number of refs, if the push did the same to more than `push_event_activities_limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_count: Option<i64>,
}

impl From<PushData> for PushDataDto {
    fn from(push: PushData) -> Self {
        Self {
            commit_count: push.commit_count,
            action: push.action,
            ref_type: push.ref_type,
            commit_from: push.commit_from,
            commit_to: push.commit_to,
            r#ref: push.ref_name,
            commit_title: push.commit_title,
            ref_count: push.ref_count,
        }
    }
}

impl From<ContributionView> for ContributionDto {
    fn from(view: ContributionView) -> Self {
        Self {
            id: view.id.get(),
            title: None,
            project_id: view.project.map(ProjectId::get),
            action_name: action_name(&view),
            target_id: view.target.map(|(id, _)| id),
            target_iid: view.target.map(|(_, iid)| iid),
            target_type: target_type(&view),
            author_id: view.author.as_ref().map(|author| author.id.get()),
            target_title: view.target_title,
            created_at: view.created_at,
            note: view.note.map(Into::into),
            push_data: view.push.map(Into::into),
            author_username: view.author.as_ref().map(|author| author.username.clone()),
            author: view.author.map(Into::into),
        }
    }
}

/// The name of the action. For a push it depends on whether the ref was created, moved or deleted.
fn action_name(view: &ContributionView) -> &'static str {
    match view.push.as_ref().map(|push| push.action.as_str()) {
        Some("created") => "pushed new",
        Some("removed") => "deleted",
        _ => view.contribution.action_name,
    }
}

/// The type of the target; projects and members have none.
fn target_type(view: &ContributionView) -> Option<&'static str> {
    match view.contribution.target {
        Some(ContributionTarget::Issue) => Some(IssuableKind::Issue.type_name()),
        Some(ContributionTarget::MergeRequest) => Some(IssuableKind::MergeRequest.type_name()),
        Some(ContributionTarget::Milestone) => Some("Milestone"),
        Some(ContributionTarget::Note) => {
            Some(view.note.as_ref().and_then(|note| note.note.kind.type_name()).unwrap_or("Note"))
        }
        Some(ContributionTarget::Project | ContributionTarget::Snippet | ContributionTarget::User) | None => None,
    }
}
