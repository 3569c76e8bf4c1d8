//! Merging when the pipeline succeeds.

use tenon_domain::id::{IssuableId, ProjectId};
use tenon_domain::issuable::{IssuableAction, State};
use tenon_domain::merge_request::{CancelRefusal, cancel as may_cancel};
use tenon_domain::pipeline::JobStatus;
use tenon_domain::refusal::Refusal;
use tenon_storage::{issuable, merge_request};

use super::accept::{AcceptRequest, reference_to};
use super::found::may_merge;
use super::show::one;
use super::view::MergeRequestView;
use crate::core::app::{App, Command};
use crate::core::caller::Rights;
use crate::core::error::AppError;
use crate::jobs::AsyncJob;
use crate::policy::issuable::IssuableReference;
use crate::shared::issuable::aggregate::save_changes;
use crate::shared::issuable::merge_when_ready::MergeWhenReady;
use crate::shared::issuable::system_notes;
use crate::shared::issuable_aggregate::IssuableAggregate;
use crate::shared::views::head_pipeline;

/// Gives a waiting merge up.
pub fn cancel(command: &mut Command<'_>, of: &IssuableReference) -> Result<MergeRequestView, AppError> {
    let user = command.user()?.id;
    let mut query = command.query();
    let found = query.merge_request_or(of, CancelRefusal::Unauthorized.into())?;
    if found.home.project.archived {
        return Err(AppError::Forbidden);
    }
    let permitted = found.issuable.author == user || may_merge(&mut query, &found.home, &found.request.target_branch)?;
    may_cancel(permitted, found.issuable.state, found.request.auto_merge.is_some())?;
    let before = IssuableAggregate::load(command, &found.issuable)?;
    let mut after = before.clone();
    if let Some(request) = &mut after.request {
        request.auto_merge = None;
        request.should_remove_source_branch = None;
    }
    save_changes(command, &found, &before, after, None)?;
    system_notes::write(command, found.request.id, user, "canceled the automatic merge".to_owned(), None)?;
    let mut query = command.query();
    let found = query.merge_request(of, IssuableAction::Read)?;
    one(&mut query, &found)
}

impl AsyncJob for MergeWhenReady {
    async fn run(self, app: &App) -> Result<(), AppError> {
        merge_when_ready(app, ProjectId::new(self.project), self.branch, self.sha).await
    }
}

/// Merges what waits for the pipeline of a commit and branch, if that has succeeded. Idempotent: what is merged waits
/// no more.
async fn merge_when_ready(app: &App, project: ProjectId, branch: String, sha: String) -> Result<(), AppError> {
    let this = app.clone();
    app.on_git(move || {
        let waiting = this
            .parts()
            .database
            .read(|tx| merge_request::waiting_for(tx, project, &branch, &sha).map_err(AppError::from))?;
        for id in waiting {
            this.merge_waiting(id)?;
        }
        Ok(())
    })
    .await
}

impl App {
    fn merge_waiting(&self, id: IssuableId) -> Result<(), AppError> {
        let ready = self.query(|query| {
            let Some(of) = issuable::by_ids(&mut query.tx, &[id])?.pop() else { return Ok(None) };
            let request = merge_request::find(&mut query.tx, id)?;
            let Some(request) = request.filter(|_| of.state == State::Opened) else { return Ok(None) };
            let status = head_pipeline::status_of_head(query, &request)?;
            let waiting = request.auto_merge.clone().filter(|_| status == Some(JobStatus::Success));
            Ok(waiting.map(|waiting| (of, request, waiting)))
        })?;
        let Some((of, request, waiting)) = ready else { return Ok(()) };
        let asked = AcceptRequest {
            message: waiting.message,
            squash_message: waiting.squash_message,
            squash: Some(request.squash).filter(|squash| *squash),
            remove_source_branch: request.should_remove_source_branch,
            when_pipeline_succeeds: false,
            sha: request.head().map(ToOwned::to_owned),
        };
        match self.accept_now(id, (waiting.by, Rights::OfAccount), &reference_to(&of), &asked) {
            // It waits on: for a draft to become ready, for rights to come back, for room in the repository.
            Ok(())
            | Err(
                AppError::Refused(Refusal::Accept(_))
                | AppError::NotFound(_)
                | AppError::Forbidden
                | AppError::QuotaExceeded(_),
            ) => Ok(()),
            Err(other) => Err(other),
        }
    }
}
