//! Statuses of commits and the pipelines that they make up.

use tenon_app::Reference;
use tenon_app::identity::Guard;
use tenon_app::pipeline::{self, ListPipelines, ListStatuses, PipelineOrder, PipelineScope, PostStatus};
use tenon_domain::id::PipelineId;
use tenon_domain::pipeline::JobStatus;

use crate::dto::pipeline::{CommitStatusDto, PipelineDetailDto, PipelineDto};
use crate::endpoint::{Call, Caller, Created, Json, Paged, Routes};
use crate::params::sort::Sort;
use crate::params::{Paging, choice, params};
use crate::wire::error::ApiError;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Pipelines")
        .post("/projects/{id}/statuses/{sha}", Guard::SignedIn, post, "Tells where a job for a commit is.")
        .get(
            "/projects/{id}/repository/commits/{sha}/statuses",
            Guard::SignedIn,
            statuses,
            "Where the jobs for a commit are.",
        )
        .get("/projects/{id}/pipelines", Guard::SignedIn, list, "The pipelines of a project.")
        .get("/projects/{id}/pipelines/{pipeline_id:int}", Guard::SignedIn, show, "One pipeline.")
        .post("/projects/{id}/pipelines/{pipeline_id:int}/retry", Guard::SignedIn, retry, "Asks for another try.")
        .post("/projects/{id}/pipelines/{pipeline_id:int}/cancel", Guard::SignedIn, cancel, "Gives open jobs up.");
}

choice! {
    /// Where a job is.
    pub(crate) enum State {
        /// Waiting.
        Pending = "pending",
        /// Under way.
        Running = "running",
        /// Done, and well.
        Success = "success",
        /// Done, and not well.
        Failed = "failed",
        /// Given up.
        Canceled = "canceled",
    }
}

choice! {
    /// Where a pipeline is; ours are never in some of these states.
    pub(crate) enum PipelineStatus {
        /// Made.
        Created = "created",
        /// Waiting for something.
        WaitingForResource = "waiting_for_resource",
        /// Being prepared.
        Preparing = "preparing",
        /// Waiting.
        Pending = "pending",
        /// Under way.
        Running = "running",
        /// Done, and well.
        Success = "success",
        /// Done, and not well.
        Failed = "failed",
        /// Given up.
        Canceled = "canceled",
        /// Left out.
        Skipped = "skipped",
        /// Waiting for somebody.
        Manual = "manual",
        /// Waiting for a time.
        Scheduled = "scheduled",
    }
}

choice! {
    /// Which pipelines.
    pub(crate) enum Scope {
        /// Under way.
        Running = "running",
        /// Waiting.
        Pending = "pending",
        /// Done.
        Finished = "finished",
        /// Of branches.
        Branches = "branches",
        /// Of tags.
        Tags = "tags",
    }
}

choice! {
    /// What a list of pipelines is sorted by.
    pub(crate) enum PipelineSort {
        /// Id.
        Id = "id",
        /// Status.
        Status = "status",
        /// Branch or tag.
        Ref = "ref",
        /// Who set it going.
        UserId = "user_id",
    }
}

params! {
    /// Where a job is.
    pub(crate) struct PostParams {
        /// Where it is.
        state: State,
        /// The branch or tag; the first branch that has the commit where absent.
        r#ref: Option<String>,
        /// The job's name; `default` where absent.
        name | context: Option<String>,
        /// Where to read more.
        target_url: Option<String>,
        /// In a few words.
        description: Option<String>,
        /// Percent.
        coverage: Option<f64>,
    }
}

params! {
    /// Which statuses are wanted.
    pub(crate) struct StatusesParams {
        /// Of this branch or tag.
        r#ref: Option<String>,
        /// Of this job.
        name: Option<String>,
        /// With those whose place others have taken.
        all: Option<bool>,
        paging: Paging,
    }
}

params! {
    /// Which pipelines are wanted.
    pub(crate) struct ListParams {
        /// Which.
        scope: Option<Scope>,
        /// In this state.
        status: Option<PipelineStatus>,
        /// Of this branch or tag.
        r#ref: Option<String>,
        /// Of this commit.
        sha: Option<String>,
        /// Set going by the user of this name.
        username: Option<String>,
        /// What the list is sorted by.
        order_by: Option<PipelineSort>,
        /// Which way; falling where absent.
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
        sha: params.sha,
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
