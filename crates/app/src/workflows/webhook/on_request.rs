//! Calls of hooks that a user asks for and waits for: tests, and events that are sent again.

use serde_json::{Value, json};
use tenon_domain::hook::{Health, Hook, Outcome, Trigger};
use tenon_domain::id::{HookDeliveryId, HookId, ProjectId, UserId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::project::setting::WIKI;
use tenon_domain::refusal::{HookRefusal, Refusal};
use tenon_git::{BranchName, RepositoryKind};
use tenon_storage::hook::{self, Target};

use super::attempt::{attempt, record, record_health};
use super::render::rendered;
use super::request::{Message, send};
use crate::core::app::{App, Command, Query};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::hook::HookSource;
use crate::policy::reference::Reference;
use crate::shared::hook_event::record::{self as hook_event, Captured, uuid_of};
use crate::shared::hook_event::{
    award_event, commit_note_event, deployment_event, feature_flag_event, milestone_event, pipeline_event,
    release_event,
};
use crate::wiki::sample_page;

/// The outcome of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestOutcome {
    /// True if the receiver answered with success.
    pub accepted: bool,
    /// The answer of the receiver, or the reason why there is none.
    pub answer: String,
}

/// Sends an event again, with the hook's present address and token. Returns the status of the response; none if there
/// was none.
pub async fn resend(
    app: &App,
    identity: &Identity,
    source: HookSource,
    hook: HookId,
    delivery: HookDeliveryId,
) -> Result<Option<i64>, AppError> {
    let (target, delivery) = app
        .read(identity, move |query| {
            let target = target_of(query, &source, hook)?;
            let found = hook::find_delivery(&mut query.tx, delivery)?.filter(|found| found.hook == hook);
            Ok((target, found.ok_or(AppError::NotFound(Missing::Record))?))
        })
        .await?;
    let _permit = app.permit_call().await?;
    let (outcome, attempt) = attempt(app, &target, &delivery).await?;
    let status = attempt.response_status;
    app.write(identity, move |command| record(command, &delivery, outcome, &attempt, None).map(drop)).await?;
    Ok(status)
}

fn target_of(query: &mut Query<'_>, source: &HookSource, id: HookId) -> Result<Target, AppError> {
    let project = source.find(query)?;
    let target =
        hook::target(&mut query.tx, id)?.filter(|target| target.hook.project == project && target.service.is_none());
    target.ok_or(source.missing())
}

/// Sends an example of an event to a hook of the whole server: that a project was created. Yields the example too.
pub async fn test_system(app: &App, identity: &Identity, hook: HookId) -> Result<(TestOutcome, Value), AppError> {
    let target = app.read(identity, move |query| target_of(query, &HookSource::Server, hook)).await?;
    let _permit = app.permit_call().await?;
    let example = json!({
        "event_name": "project_create",
        "created_at": app.now(),
        "updated_at": app.now(),
        "name": "Ruby",
        "path": "ruby",
        "path_with_namespace": "root/ruby",
        "project_id": 1,
        "owner_name": "Someone",
        "owner_email": "someone@example.com",
        "project_visibility": "private",
    });
    let outcome = call_once(app, identity, &target, Trigger::System, &example.to_string()).await?;
    Ok((outcome, example))
}

/// Records that the receiver of a hook has accepted a test: a hook that was disabled is called again.
async fn recovered(app: &App, identity: &Identity, hook: HookId) -> Result<(), AppError> {
    let recover = move |command: &mut Command<'_>| match hook::target(&mut command.tx, hook)? {
        Some(target) => record_health(command, &target, Outcome::Accepted),
        None => Ok(()),
    };
    app.write(identity, recover).await
}

/// Calls a hook with what no event has brought.
async fn call_once(
    app: &App,
    identity: &Identity,
    target: &Target,
    trigger: Trigger,
    body: &str,
) -> Result<TestOutcome, AppError> {
    let mut bytes = [0_u8; 16];
    app.entropy().fill(&mut bytes);
    let uuid = uuid_of(bytes);
    let message = Message { event: &uuid, delivery: &uuid, trigger, body };
    let (outcome, attempt) = send(app, target, &message).await?;
    if outcome == Outcome::Accepted && target.hook.health != Health::default() {
        recovered(app, identity, target.hook.id).await?;
    }
    let answer = match attempt.response_status {
        Some(_) => attempt.response_body,
        None => attempt.error.unwrap_or_default(),
    };
    Ok(TestOutcome { accepted: outcome == Outcome::Accepted, answer })
}

/// Sends an event of this kind that is made of what the project has: of its newest commit, issue, merge request or comment.
/// Fails with a text that says what is missing.
pub async fn test(
    app: &App,
    identity: &Identity,
    project: Reference,
    hook: HookId,
    trigger: Trigger,
) -> Result<TestOutcome, AppError> {
    let (target, actor, sample) = app
        .read(identity, move |query| {
            let target = target_of(query, &HookSource::Project(project), hook)?;
            let of = target.hook.project.ok_or(AppError::NotFound(Missing::Record))?;
            let (actor, sample) = (query.user()?.id, sample(query, of, trigger)?);
            Ok((target, actor, (of, sample)))
        })
        .await?;
    let _permit = app.permit_call().await?;
    let body = body_of(app, trigger, actor, sample).await?;
    call_once(app, identity, &target, trigger, &body).await
}

/// Those of these kinds of events for which the project has something of which a test can be made.
pub fn testable(query: &mut Query<'_>, hook: &Hook, triggers: &[Trigger]) -> Result<Vec<Trigger>, AppError> {
    let project = hook.project.ok_or(AppError::NotFound(Missing::Record))?;
    let mut found = Vec::with_capacity(triggers.len());
    for trigger in triggers {
        match sample(query, project, *trigger) {
            Ok(_) => found.push(*trigger),
            Err(AppError::Refused(Refusal::Hook(_))) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// Of what a test is made.
enum Sample {
    /// The tip of the default branch.
    Branch(String),
    Captured(Box<Captured>),
    /// The first page of the wiki.
    WikiPage,
}

fn sample(query: &mut Query<'_>, project: ProjectId, trigger: Trigger) -> Result<Sample, AppError> {
    let found = match trigger {
        Trigger::Push | Trigger::TagPush => {
            let found = tenon_storage::project::find(&mut query.tx, project)?;
            found.and_then(|project| project.default_branch).map(Sample::Branch)
        }
        Trigger::WikiPage => {
            let found = tenon_storage::project::find(&mut query.tx, project)?;
            let repository = query.app.repositories().store.find(project, RepositoryKind::Wiki);
            found.filter(|project| project.has(&WIKI) && repository.exists()).map(|_| Sample::WikiPage)
        }
        trigger => captured_sample(query, project, trigger)?.map(|captured| Sample::Captured(Box::new(captured))),
    };
    found.ok_or_else(|| HookRefusal::NoSample(trigger).into())
}

/// The newest object of the project of which this event can be made.
fn captured_sample(query: &mut Query<'_>, of: ProjectId, trigger: Trigger) -> Result<Option<Captured>, AppError> {
    let confidential = matches!(trigger, Trigger::ConfidentialIssue | Trigger::ConfidentialNote);
    match trigger {
        Trigger::Issue | Trigger::ConfidentialIssue => hook_event::sample(query, of, IssuableKind::Issue, confidential),
        Trigger::MergeRequest => hook_event::sample(query, of, IssuableKind::MergeRequest, false),
        Trigger::Note | Trigger::ConfidentialNote => match hook_event::sample_note(query, of, confidential)? {
            None if !confidential => commit_note_event::sample_commit_note(query, of),
            found => Ok(found),
        },
        Trigger::Job => pipeline_event::sample_job(query, of),
        Trigger::Pipeline => pipeline_event::sample_pipeline(query, of),
        Trigger::Emoji => award_event::sample_award(query, of),
        Trigger::Milestone => milestone_event::sample_milestone(query, of),
        Trigger::Release => release_event::sample_release(query, of),
        Trigger::FeatureFlag => feature_flag_event::sample_feature_flag(query, of),
        Trigger::Deployment => deployment_event::sample_deployment(query, of),
        Trigger::Push
        | Trigger::TagPush
        | Trigger::WikiPage
        | Trigger::ResourceAccessToken
        | Trigger::RepositoryUpdate
        | Trigger::System => Ok(None),
    }
}

async fn body_of(
    app: &App,
    trigger: Trigger,
    actor: UserId,
    (project, sample): (ProjectId, Sample),
) -> Result<String, AppError> {
    let inner = app.clone();
    let made = app
        .read_git(move || {
            let captured = match sample {
                Sample::Captured(captured) => *captured,
                Sample::WikiPage => sample_page(&inner, project)?.ok_or(HookRefusal::NoSample(trigger))?,
                Sample::Branch(branch) => {
                    let repository = inner.repositories().store.repository(project);
                    let name = BranchName::parse(&branch).map_err(AppError::internal)?.full();
                    let tip = repository.ref_target(&name)?;
                    let prefix = if trigger == Trigger::TagPush { "refs/tags" } else { "refs/heads" };
                    let name = format!("{prefix}/{branch}");
                    Captured::Push { name, before: None, after: tip.map(|tip| tip.to_string()) }
                }
            };
            rendered(&inner, Some(project), trigger, Some(actor), captured)
        })
        .await?;
    made.map(|made| made.body).ok_or(AppError::NotFound(Missing::Record))
}
