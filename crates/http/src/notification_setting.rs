//! The events about which users want mail.

use tenon_app::identity::Guard;
use tenon_app::notification_setting::{self, NotificationChange, NotificationSubject};
use tenon_app::{ContainerReference, Reference};
use tenon_domain::notification_setting::NotificationEvent;
use tenon_edge::error::ApiError;

use crate::dto::notification_setting::NotificationSettingDto;
use crate::endpoint::{Call, Caller, Json, Routes};
use crate::params::params;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Notification settings");
    family(
        api,
        "/notification_settings",
        |_| None,
        ["About what the caller wants mail.", "Changes about what the caller wants mail."],
    );
    family(
        api,
        "/groups/{id}/notification_settings",
        |caller| Some(ContainerReference::Group(Reference::parse(caller.path("id")))),
        ["About what in a group the caller wants mail.", "Changes about what in a group the caller wants mail."],
    );
    family(
        api,
        "/projects/{id}/notification_settings",
        |caller| Some(ContainerReference::Project(Reference::parse(caller.path("id")))),
        ["About what in a project the caller wants mail.", "Changes about what in a project the caller wants mail."],
    );
}

/// The subject of a request, from its path.
type Subject = fn(&Caller) -> NotificationSubject;

fn family(api: &mut Routes, path: &'static str, of: Subject, [read, write]: [&'static str; 2]) {
    api.get(path, Guard::SignedIn, move |call| show(call, of), read).put(
        path,
        Guard::SignedIn,
        move |call| change(call, of),
        write,
    );
}

params! {
    /// Events, which count at the level `custom`.
    pub(crate) struct EventParams {
        /// Comments.
        new_note: Option<bool>,
        /// New issues.
        new_issue: Option<bool>,
        /// Issues that are opened again.
        reopen_issue: Option<bool>,
        /// Issues that are closed.
        close_issue: Option<bool>,
        /// Issues that are assigned to others.
        reassign_issue: Option<bool>,
        /// Issues that are due.
        issue_due: Option<bool>,
        /// New merge requests.
        new_merge_request: Option<bool>,
        /// Commits that come into merge requests.
        push_to_merge_request: Option<bool>,
        /// Merge requests that are opened again.
        reopen_merge_request: Option<bool>,
        /// Merge requests that are closed.
        close_merge_request: Option<bool>,
        /// Merge requests that are assigned to others.
        reassign_merge_request: Option<bool>,
        /// Merge requests whose reviewers change.
        change_reviewer_merge_request: Option<bool>,
        /// Merge requests that are merged.
        merge_merge_request: Option<bool>,
        /// Merge requests that are to be merged when their pipelines have succeeded.
        merge_when_pipeline_succeeds: Option<bool>,
        /// Pipelines that have failed; true by default.
        failed_pipeline: Option<bool>,
        /// Pipelines that succeed again.
        fixed_pipeline: Option<bool>,
        /// Pipelines that have succeeded.
        success_pipeline: Option<bool>,
        /// Projects that have moved.
        moved_project: Option<bool>,
        /// New releases.
        new_release: Option<bool>,
    }
}

params! {
    /// The changes of a setting.
    pub(crate) struct ChangeParams {
        /// `disabled`, `participating`, `watch`, `global`, `mention` or `custom`.
        level: Option<String>,
        /// The address of mail: one of the caller's confirmed addresses. Without effect for a group or project.
        notification_email: Option<String>,
        events: EventParams,
    }
}

impl From<EventParams> for Vec<(NotificationEvent, bool)> {
    fn from(params: EventParams) -> Self {
        use NotificationEvent as E;
        let sent = [
            (E::NewNote, params.new_note),
            (E::NewIssue, params.new_issue),
            (E::ReopenIssue, params.reopen_issue),
            (E::CloseIssue, params.close_issue),
            (E::ReassignIssue, params.reassign_issue),
            (E::IssueDue, params.issue_due),
            (E::NewMergeRequest, params.new_merge_request),
            (E::PushToMergeRequest, params.push_to_merge_request),
            (E::ReopenMergeRequest, params.reopen_merge_request),
            (E::CloseMergeRequest, params.close_merge_request),
            (E::ReassignMergeRequest, params.reassign_merge_request),
            (E::ChangeReviewerMergeRequest, params.change_reviewer_merge_request),
            (E::MergeMergeRequest, params.merge_merge_request),
            (E::MergeWhenPipelineSucceeds, params.merge_when_pipeline_succeeds),
            (E::FailedPipeline, params.failed_pipeline),
            (E::FixedPipeline, params.fixed_pipeline),
            (E::SuccessPipeline, params.success_pipeline),
            (E::MovedProject, params.moved_project),
            (E::NewRelease, params.new_release),
        ];
        sent.into_iter().filter_map(|(event, chosen)| Some((event, chosen?))).collect()
    }
}

impl From<ChangeParams> for NotificationChange {
    fn from(params: ChangeParams) -> Self {
        Self { level: params.level, email: params.notification_email, events: params.events.into() }
    }
}

async fn show(call: Call<()>, of: Subject) -> Result<Json<NotificationSettingDto>, ApiError> {
    let of = of(&call);
    let found = call.read(move |query| notification_setting::show(query, &of)).await?;
    Ok(Json(found.into()))
}

async fn change(
    Call { caller, params }: Call<ChangeParams>,
    of: Subject,
) -> Result<Json<NotificationSettingDto>, ApiError> {
    let of = of(&caller);
    let stored = caller.write(move |command| notification_setting::change(command, &of, &params.into())).await?;
    Ok(Json(stored.into()))
}
