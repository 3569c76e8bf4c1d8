//! The one list of all kinds of jobs, of what follows from events, and of what is done each hour.

use tenon_domain::event::{Event, EventKind};
use tenon_domain::id::UserId;

use crate::core::app::{App, Command, Handler, Parts, Reaction, Registry};
use crate::core::error::AppError;
use crate::jobs::{FollowDownloads, Hourly, enqueue};
use crate::merge_request::DeleteMergeRequestRefs;
use crate::oauth::PurgeGrants;
use crate::project::DeleteProject;
use crate::repository::archive::SweepArchives;
use crate::repository::import::{ImportProject, PopulateFork};
use crate::repository::maintenance::maintain::{MaintainRepository, ReconcileRepository};
use crate::repository::maintenance::reconcile::ReconcileRefs;
use crate::repository::mirror::UpdateMirror;
use crate::repository::pack::PackRepository;
use crate::repository::refresh::RefreshRepository;
use crate::repository::refs::branch_update::BranchUpdate;
use crate::repository::refs::push_events::{ProcessCommitMessages, PushData};
use crate::shared::access::account_removal::HARD;
use crate::shared::access::email_confirmation::SendConfirmation;
use crate::shared::access::invitation::SendInvitation;
use crate::shared::access::revocation::{PurgeInaccessible, RevokeAccess};
use crate::shared::files::object_deletion::DeleteObject;
use crate::shared::files::upload::CopyUploads;
use crate::shared::hook_event::record::RenderHookEvents;
use crate::shared::issuable::merge_when_ready::MergeWhenReady;
use crate::user::{CleanUpAccounts, SendPasswordReset};
use crate::workflows::account_deletion::DeleteUser;
use crate::workflows::account_demand;
use crate::workflows::expired_access::PurgeExpiredAccess;
use crate::workflows::group_deletion::DeleteGroup;
use crate::workflows::integration::SendServiceMail;
use crate::workflows::lfs::collect::CollectLfsObjects;
use crate::workflows::maintenance_scan::MaintenanceScan;
use crate::workflows::notification::{
    self, AnnounceWaitingAccounts, NotifyMembers, NotifyOfEvent, RemindOfDueIssues, SendAccessRequestMail,
    SendAccountMail, SendDownloadAlert, SendNotification, SendWaitingAccounts,
};
use crate::workflows::webhook::{
    AnnounceFailingHook, DeliverToHook, PurgeHookEvents, ResumeDeliveries, RetryDelivery, SendFailingHook,
};

/// See the module.
pub(crate) static REGISTRY: Registry = Registry {
    handlers: &[
        Handler::of_async::<DeleteProject>(),
        Handler::of_async::<DeleteGroup>(),
        Handler::of_async::<DeleteUser>(),
        Handler::of_async::<RefreshRepository>(),
        Handler::of_async::<ProcessCommitMessages>(),
        Handler::of_async::<BranchUpdate>(),
        Handler::of_async::<MergeWhenReady>(),
        Handler::of_async::<CopyUploads>(),
        Handler::of_async::<ImportProject>(),
        Handler::of_async::<PopulateFork>(),
        Handler::of_async::<UpdateMirror>(),
        Handler::of_async::<ReconcileRefs>(),
        Handler::of_async::<ReconcileRepository>(),
        Handler::of_async::<MaintenanceScan>(),
        Handler::of_async::<MaintainRepository>(),
        Handler::of_async::<PackRepository>(),
        Handler::of_async::<SweepArchives>(),
        Handler::of_async::<CollectLfsObjects>(),
        Handler::of_rows::<Hourly>(),
        Handler::of_async::<DeleteMergeRequestRefs>(),
        Handler::of_rows::<PurgeInaccessible>(),
        Handler::of_rows::<RevokeAccess>(),
        Handler::of_async::<DeleteObject>(),
        Handler::of_rows::<PurgeGrants>(),
        Handler::of_async::<RenderHookEvents>(),
        Handler::of_async::<DeliverToHook>(),
        Handler::of_async::<RetryDelivery>(),
        Handler::of_rows::<PurgeHookEvents>(),
        Handler::of_rows::<PurgeExpiredAccess>(),
        Handler::of_rows::<CleanUpAccounts>(),
        Handler::of_rows::<FollowDownloads>(),
        Handler::of_rows::<ResumeDeliveries>(),
        Handler::of_rows::<AnnounceFailingHook>(),
        Handler::of_async::<SendFailingHook>(),
        Handler::of_async::<SendConfirmation>(),
        Handler::of_async::<NotifyOfEvent>(),
        Handler::of_async::<SendNotification>(),
        Handler::of_rows::<RemindOfDueIssues>(),
        Handler::of_async::<NotifyMembers>(),
        Handler::of_async::<SendAccountMail>(),
        Handler::of_async::<SendServiceMail>(),
        Handler::of_rows::<AnnounceWaitingAccounts>(),
        Handler::of_async::<SendWaitingAccounts>(),
        Handler::of_async::<SendDownloadAlert>(),
        Handler::of_async::<SendPasswordReset>(),
        Handler::of_async::<SendInvitation>(),
        Handler::of_async::<SendAccessRequestMail>(),
    ],
    reaction,
    mail_reaction: notification::reaction,
    hourly,
    demanded_first: account_demand::account_demand,
    refs_updated: App::sync_at_once,
};

/// The kinds of all jobs, by the names under which they are stored.
pub fn job_kinds() -> impl Iterator<Item = &'static str> {
    REGISTRY.handlers.iter().map(|handler| handler.kind)
}

impl App {
    /// Puts an application together. The database must have been migrated.
    pub fn new(parts: Parts) -> Result<Self, std::io::Error> {
        Self::assemble(parts, &REGISTRY)
    }
}

fn hourly(command: &mut Command<'_>) -> Result<(), AppError> {
    enqueue(command, &MaintenanceScan { after: 0 })?;
    enqueue(command, &SweepArchives {})?;
    enqueue(command, &CollectLfsObjects {})?;
    enqueue(command, &PurgeGrants {})?;
    enqueue(command, &PurgeHookEvents {})?;
    enqueue(command, &PurgeExpiredAccess {})?;
    enqueue(command, &CleanUpAccounts {})?;
    if command.app.sends_mail() {
        enqueue(command, &RemindOfDueIssues::default())?;
    }
    enqueue(command, &ResumeDeliveries {})
}

/// The reaction to a kind of events.
fn reaction(kind: EventKind) -> Option<Reaction> {
    match kind {
        EventKind::ProjectDeletionRequested => Some(delete_project),
        EventKind::GroupDeletionRequested => Some(delete_group),
        EventKind::UserDeletionRequested => Some(delete_user),
        EventKind::RefPushed => Some(follow_push),
        EventKind::UserCreated
        | EventKind::UserBlocked
        | EventKind::UserUnblocked
        | EventKind::UserDeactivated
        | EventKind::UserActivated
        | EventKind::UserBanned
        | EventKind::UserUnbanned
        | EventKind::UserApproved
        | EventKind::GroupCreated
        | EventKind::GroupUpdated
        | EventKind::ProjectCreated
        | EventKind::ProjectUpdated
        | EventKind::ProjectTransferred
        | EventKind::ProjectArchived
        | EventKind::ProjectUnarchived
        | EventKind::MemberAdded
        | EventKind::MemberUpdated
        | EventKind::AccessRequested
        | EventKind::AccessDenied
        | EventKind::MemberRemoved
        | EventKind::IssueOpened
        | EventKind::IssueUpdated
        | EventKind::IssueClosed
        | EventKind::IssueReopened
        | EventKind::IssueMoved
        | EventKind::IssueDeleted
        | EventKind::MergeRequestOpened
        | EventKind::MergeRequestUpdated
        | EventKind::MergeRequestClosed
        | EventKind::MergeRequestReopened
        | EventKind::MergeRequestMerged
        | EventKind::MergeRequestApproved
        | EventKind::MergeRequestUnapproved
        | EventKind::MergeRequestChangesRequested
        | EventKind::MergeRequestDeleted
        | EventKind::NoteCreated
        | EventKind::NoteUpdated
        | EventKind::NoteDeleted
        | EventKind::AwardAdded
        | EventKind::AwardRemoved
        | EventKind::MilestoneCreated
        | EventKind::MilestoneUpdated
        | EventKind::MilestoneClosed
        | EventKind::MilestoneActivated
        | EventKind::MilestoneDeleted
        | EventKind::PipelineFailed
        | EventKind::PipelineSucceeded
        | EventKind::LabelCreated
        | EventKind::LabelUpdated
        | EventKind::LabelDeleted
        | EventKind::VariableCreated
        | EventKind::VariableUpdated
        | EventKind::VariableDeleted
        | EventKind::SettingsChanged
        | EventKind::ServerTaskEnded
        | EventKind::ApplicationCreated
        | EventKind::ApplicationUpdated
        | EventKind::ApplicationSecretRenewed
        | EventKind::ApplicationDeleted
        | EventKind::UserImpersonated
        | EventKind::UserSignedInElsewhere
        | EventKind::UserDownloadedMany
        | EventKind::PasswordChanged
        | EventKind::TwoFactorEnabled
        | EventKind::TwoFactorDisabled
        | EventKind::IdentityLinked
        | EventKind::IdentityUnlinked
        | EventKind::PasskeyAdded
        | EventKind::PasskeyRemoved
        | EventKind::RecoveryCodesRenewed
        | EventKind::TermsAccepted
        | EventKind::TokenCreated
        | EventKind::TokenRevoked
        | EventKind::SshKeyCreated
        | EventKind::SshKeyDeleted
        | EventKind::DeployKeyEnabled
        | EventKind::DeployKeyUpdated
        | EventKind::DeployKeyDisabled
        | EventKind::DeployTokenCreated
        | EventKind::DeployTokenDeleted
        | EventKind::GpgKeyCreated
        | EventKind::GpgKeyDeleted
        | EventKind::EmailCreated
        | EventKind::EmailConfirmed
        | EventKind::EmailDeleted => None,
    }
}

fn delete_project(command: &mut Command<'_>, event: &Event) -> Result<(), AppError> {
    let Some(project) = event.project else { return Ok(()) };
    enqueue(command, &DeleteProject { project: project.get() })
}

fn delete_group(command: &mut Command<'_>, event: &Event) -> Result<(), AppError> {
    let Some(group) = event.namespace else { return Ok(()) };
    enqueue(command, &DeleteGroup { group: group.get(), requested_by: event.actor.map(UserId::get) })
}

fn delete_user(command: &mut Command<'_>, event: &Event) -> Result<(), AppError> {
    let Some(user) = event.user else { return Ok(()) };
    let hard = event.detail.as_deref() == Some(HARD);
    enqueue(command, &DeleteUser { user: user.get(), hard, requested_by: event.actor.map(UserId::get) })
}

/// The reading of what pushed commits say, and then of what lists show of the repository. There is nothing to read if
/// the server itself found that a branch has moved: there is no user with whose rights it could be done.
fn follow_push(command: &mut Command<'_>, event: &Event) -> Result<(), AppError> {
    let Some(project) = event.project else { return Ok(()) };
    let push = event.detail.as_deref().and_then(|detail| serde_json::from_str::<PushData>(detail).ok());
    if let Some((pusher, push)) = event.actor.zip(push)
        && let Some(messages) = ProcessCommitMessages::of(project, pusher, push)
    {
        enqueue(command, &messages)?;
    }
    enqueue(command, &RefreshRepository { project: project.get() })
}
