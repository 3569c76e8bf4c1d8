//! Notification settings as JSON.

use serde::Serialize;
use tenon_app::notification_setting::NotificationView;
use tenon_domain::notification_setting::{NotificationEvent as E, NotificationEvents};
use utoipa::ToSchema;

/// The events of which a user is notified by mail.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NotificationSettingDto {
    level: &'static str,
    /// Only in the global setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    notification_email: Option<String>,
    /// Only at the level `custom`.
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<NotificationEventsDto>,
}

/// The events of the level `custom`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NotificationEventsDto {
    new_note: bool,
    new_issue: bool,
    reopen_issue: bool,
    close_issue: bool,
    reassign_issue: bool,
    issue_due: bool,
    new_merge_request: bool,
    push_to_merge_request: bool,
    reopen_merge_request: bool,
    close_merge_request: bool,
    reassign_merge_request: bool,
    change_reviewer_merge_request: bool,
    merge_merge_request: bool,
    merge_when_pipeline_succeeds: bool,
    failed_pipeline: bool,
    fixed_pipeline: bool,
    success_pipeline: bool,
    moved_project: bool,
    new_release: bool,
}

impl From<NotificationEvents> for NotificationEventsDto {
    fn from(events: NotificationEvents) -> Self {
        Self {
            new_note: events.contains(E::NewNote),
            new_issue: events.contains(E::NewIssue),
            reopen_issue: events.contains(E::ReopenIssue),
            close_issue: events.contains(E::CloseIssue),
            reassign_issue: events.contains(E::ReassignIssue),
            issue_due: events.contains(E::IssueDue),
            new_merge_request: events.contains(E::NewMergeRequest),
            push_to_merge_request: events.contains(E::PushToMergeRequest),
            reopen_merge_request: events.contains(E::ReopenMergeRequest),
            close_merge_request: events.contains(E::CloseMergeRequest),
            reassign_merge_request: events.contains(E::ReassignMergeRequest),
            change_reviewer_merge_request: events.contains(E::ChangeReviewerMergeRequest),
            merge_merge_request: events.contains(E::MergeMergeRequest),
            merge_when_pipeline_succeeds: events.contains(E::MergeWhenPipelineSucceeds),
            failed_pipeline: events.contains(E::FailedPipeline),
            fixed_pipeline: events.contains(E::FixedPipeline),
            success_pipeline: events.contains(E::SuccessPipeline),
            moved_project: events.contains(E::MovedProject),
            new_release: events.contains(E::NewRelease),
        }
    }
}

impl From<NotificationView> for NotificationSettingDto {
    fn from(view: NotificationView) -> Self {
        Self { level: view.level.as_str(), notification_email: view.email, events: view.events.map(Into::into) }
    }
}
