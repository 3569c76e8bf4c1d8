//! Commit statuses and the pipelines that they form.

use tenon_app::Reference;
use tenon_app::identity::Guard;
use tenon_app::pipeline::{self, ListPipelines, ListStatuses, PipelineOrder, PipelineScope, PostStatus};
use tenon_domain::id::PipelineId;
use tenon_domain::pipeline::JobStatus;
use tenon_edge::error::ApiError;

use crate::dto::pipeline::{CommitStatusDto, PipelineDetailDto, PipelineDto};
use crate::endpoint::{Call, Caller, Created, Json, Paged, Routes};
use crate::params::sort::Sort;
use crate::params::{Paging, choice, params};

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Pipelines")
        .post("/projects/{id}/statuses/{sha}", Guard::SignedIn, post, "Sets the status of a job for a commit.")
        .get("/projects/{id}/repository/commits/{sha}/statuses", Guard::SignedIn, statuses, "The statuses of a commit.")
        .get("/projects/{id}/pipelines", Guard::SignedIn, list, "The pipelines of a project.")
        .get("/projects/{id}/pipelines/{pipeline_id:int}", Guard::SignedIn, show, "One pipeline.")
        .post("/projects/{id}/pipelines/{pipeline_id:int}/retry", Guard::SignedIn, retry, "Retries a pipeline.")
        .post("/projects/{id}/pipelines/{pipeline_id:int}/cancel", Guard::SignedIn, cancel, "Cancels a pipeline.");
}

choice! {
    /// The status of a job.
    pub(crate) enum State {
        /// Pending.
        Pending = "pending",
        /// Running.
        Running = "running",
        /// Successful.
        Success = "success",
        /// Failed.
        Failed = "failed",
        /// Canceled.
        Canceled = "canceled",
    }
}

choice! {
    /// The status of a pipeline; some of these never occur here.
    pub(crate) enum PipelineStatus {
        /// Created.
        Created = "created",
        /// Waiting for a resource.
        WaitingForResource = "waiting_for_resource",
        /// Preparing.
        Preparing = "preparing",
        /// Pending.
        Pending = "pending",
        /// Running.
        Running = "running",
        /// Successful.
        Success = "success",
        /// Failed.
        Failed = "failed",
        /// Canceled.
        Canceled = "canceled",
        /// Skipped.
        Skipped = "skipped",
        /// Waiting for a manual action.
        Manual = "manual",
        /// Scheduled.
        Scheduled = "scheduled",
    }
}

choice! {
    /// A group of pipelines.
    pub(crate) enum Scope {
        /// Running.
        Running = "running",
        /// Pending.
        Pending = "pending",
        /// Finished.
        Finished = "finished",
        /// Of branches.
        Branches = "branches",
        /// Of tags.
        Tags = "tags",
    }
}

choice! {
    /// The orders of a list of pipelines.
    pub(crate) enum PipelineSort {
        /// Id.
        Id = "id",
        /// Status.
        Status = "status",
        /// Branch or tag.
        Ref = "ref",
        /// The user who triggered it.
        UserId = "user_id",
    }
}

params! {
    /// The status of a job.
    pub(crate) struct PostParams {
        /// The status.
        state: State,
        /// The branch or tag; by default the first branch that contains the commit.
        r#ref: Option<String>,
        /// The name of the job; `default` by default.
        name | context: Option<String>,
        /// A URL with details.
        target_url: Option<String>,
        /// A short description.
        description: Option<String>,
        /// The coverage in percent.
        coverage: Option<f64>,
    }
}

params! {
    /// Filters of statuses.
    pub(crate) struct StatusesParams {
        /// Of this branch or tag.
        r#ref: Option<String>,
        /// Of this stage; all statuses are of the stage `external`.
        stage: Option<String>,
        /// Of this job.
        name: Option<String>,
        /// With retried jobs.
        all: Option<bool>,
        paging: Paging,
    }
}

params! {
    /// Filters of pipelines.
    pub(crate) struct ListParams {
        /// The group of pipelines.
        scope: Option<Scope>,
        /// With this status.
        status: Option<PipelineStatus>,
        /// Of this branch or tag.
        r#ref: Option<String>,
        /// Of this commit.
        sha: Option<String>,
        /// Triggered by the user of this name.
        username: Option<String>,
        /// Sort key.
        order_by: Option<PipelineSort>,
        /// Sort direction; descending by default.
        sort: Option<Sort>,
        paging: Paging,
    }
}

fn project(caller: &Caller) -> Reference {
    Reference::parse(caller.path("id"))
}

async fn post(Call { caller, params }: Call<PostParams>) -> Result<Created<CommitStatusDto>, ApiError> {
    let request = PostStatus {
        state: match params.state {
            State::Pending => JobStatus::Pending,
            State::Running => JobStatus::Running,
            State::Success => JobStatus::Success,
            State::Failed => JobStatus::Failed,
            State::Canceled => JobStatus::Canceled,
        },
        ref_name: params.r#ref,
        name: params.name.filter(|name| !name.is_empty()).unwrap_or_else(|| "default".to_owned()),
        target_url: params.target_url,
        description: params.description,
        coverage: params.coverage.map(|percent| percent.to_string()),
    };
    let sha = caller.path("sha").to_owned();
    let view = pipeline::post(caller.app(), caller.identity(), project(&caller), sha, request).await?;
    Ok(Created(view.into()))
}

async fn statuses(Call { caller, params }: Call<StatusesParams>) -> Result<Paged<CommitStatusDto>, ApiError> {
    let request = ListStatuses {
        ref_name: params.r#ref,
        stage: params.stage.filter(|stage| !stage.is_empty()),
        name: params.name,
        all: params.all == Some(true),
        page: params.paging.into(),
    };
    let sha = caller.path("sha").to_owned();
    let page = pipeline::statuses(caller.app(), caller.identity(), project(&caller), sha, request).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<PipelineDto>, ApiError> {
    let id = project(&caller);
    let sha = match params.sha.filter(|sha| !sha.is_empty()) {
        Some(sha) => Some(pipeline::commit_id(caller.app(), caller.identity(), id.clone(), sha).await?),
        None => None,
    };
    let request = ListPipelines {
        scope: params.scope.map(|scope| match scope {
            Scope::Running => PipelineScope::Running,
            Scope::Pending => PipelineScope::Pending,
            Scope::Finished => PipelineScope::Finished,
            Scope::Branches => PipelineScope::Branches,
            Scope::Tags => PipelineScope::Tags,
        }),
        status: params.status.map(|status| match status {
            PipelineStatus::Pending => Some(JobStatus::Pending),
            PipelineStatus::Running => Some(JobStatus::Running),
            PipelineStatus::Success => Some(JobStatus::Success),
            PipelineStatus::Failed => Some(JobStatus::Failed),
            PipelineStatus::Canceled => Some(JobStatus::Canceled),
            PipelineStatus::Skipped => Some(JobStatus::Skipped),
            PipelineStatus::Created
            | PipelineStatus::WaitingForResource
            | PipelineStatus::Preparing
            | PipelineStatus::Manual
            | PipelineStatus::Scheduled => None,
        }),
        ref_name: params.r#ref,
        sha,
        username: params.username,
        order_by: match params.order_by {
            None | Some(PipelineSort::Id) => PipelineOrder::Id,
            Some(PipelineSort::Status) => PipelineOrder::Status,
            Some(PipelineSort::Ref) => PipelineOrder::Ref,
            Some(PipelineSort::UserId) => PipelineOrder::User,
        },
        ascending: params.sort == Some(Sort::Asc),
        page: params.paging.into(),
    };
    let page = caller.read(move |query| pipeline::list(query, &id, request)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>) -> Result<Json<PipelineDetailDto>, ApiError> {
    let (id, pipeline) = (project(&call), PipelineId::new(call.path_i64("pipeline_id")?));
    let view = call.read(move |query| pipeline::show(query, &id, pipeline)).await?;
    Ok(Json(view.into()))
}

async fn retry(call: Call<()>) -> Result<Created<PipelineDetailDto>, ApiError> {
    let (id, pipeline) = (project(&call), PipelineId::new(call.path_i64("pipeline_id")?));
    let view = call.write(move |command| pipeline::retry(command, &id, pipeline)).await?;
    Ok(Created(view.into()))
}

async fn cancel(call: Call<()>) -> Result<Json<PipelineDetailDto>, ApiError> {
    let (id, pipeline) = (project(&call), PipelineId::new(call.path_i64("pipeline_id")?));
    let view = call.write(move |command| pipeline::cancel(command, &id, pipeline)).await?;
    Ok(Json(view.into()))
}
