//! Statuses of commits and the pipelines that they make up (reference: issues-merge-requests-projects, sections 10.6 and
//! 10.7).

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::Reference;
use tenon_app::identity::Guard;
use tenon_app::pipeline::{
    self, ListPipelines, ListStatuses, PipelineOrder, PipelineScope, PipelineView, PostStatus, StatusView,
};
use tenon_domain::id::PipelineId;
use tenon_domain::pipeline::JobStatus;
use utoipa::ToSchema;

use crate::call::{Call, Caller};
use crate::error::ApiError;
use crate::params::{Paging, choice, params};
use crate::reply::{Created, Json, Paged};
use crate::routes::Routes;
use crate::sort::Sort;
use crate::user::UserRefDto;

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

/// A job, as external CI tells of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CommitStatusDto)]
pub(crate) struct StatusDto {
    id: i64,
    sha: String,
    #[serde(rename = "ref")]
    ref_name: String,
    status: &'static str,
    name: String,
    target_url: Option<String>,
    description: Option<String>,
    #[serde(serialize_with = "crate::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::json_time::optional")]
    started_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "crate::json_time::optional")]
    finished_at: Option<DateTime<Utc>>,
    allow_failure: bool,
    coverage: Option<f64>,
    author: Option<UserRefDto>,
    pipeline_id: i64,
}

impl From<StatusView> for StatusDto {
    fn from(view: StatusView) -> Self {
        let status = view.status;
        Self {
            id: status.id.get(),
            sha: view.sha,
            ref_name: view.ref_name,
            status: status.status.as_str(),
            name: status.name,
            target_url: status.target_url,
            description: status.description,
            created_at: status.created_at,
            started_at: status.started_at,
            finished_at: status.finished_at,
            allow_failure: false,
            coverage: status.coverage.and_then(|text| text.parse().ok()),
            author: view.author.map(Into::into),
            pipeline_id: status.pipeline.get(),
        }
    }
}

/// A pipeline in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PipelineDto {
    id: i64,
    project_id: i64,
    sha: String,
    #[serde(rename = "ref")]
    ref_name: String,
    status: &'static str,
    source: &'static str,
    #[serde(serialize_with = "crate::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::json_time::moment")]
    updated_at: DateTime<Utc>,
    web_url: String,
}

/// A pipeline by itself.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PipelineDetailDto {
    #[serde(flatten)]
    pipeline: PipelineDto,
    before_sha: &'static str,
    tag: bool,
    yaml_errors: Option<String>,
    user: Option<UserRefDto>,
    #[serde(serialize_with = "crate::json_time::optional")]
    started_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "crate::json_time::optional")]
    finished_at: Option<DateTime<Utc>>,
    committed_at: Option<String>,
    /// Seconds.
    duration: Option<i64>,
    coverage: Option<f64>,
}

/// What stands for no commit.
const NO_COMMIT: &str = "0000000000000000000000000000000000000000";

impl From<PipelineView> for PipelineDto {
    fn from(view: PipelineView) -> Self {
        let pipeline = view.pipeline;
        Self {
            id: pipeline.id.get(),
            project_id: pipeline.project.get(),
            sha: pipeline.sha,
            ref_name: pipeline.ref_name,
            status: pipeline.status.as_str(),
            source: "external",
            created_at: pipeline.created_at,
            updated_at: pipeline.updated_at,
            web_url: view.web_url,
        }
    }
}

impl From<PipelineView> for PipelineDetailDto {
    fn from(mut view: PipelineView) -> Self {
        Self {
            before_sha: NO_COMMIT,
            tag: view.pipeline.tag,
            yaml_errors: None,
            user: view.user.take().map(Into::into),
            started_at: view.pipeline.started_at,
            finished_at: view.pipeline.finished_at,
            committed_at: None,
            duration: view.duration,
            coverage: None,
            pipeline: view.into(),
        }
    }
}

fn project(caller: &Caller) -> Reference {
    Reference::parse(caller.path("id"))
}

async fn post(Call { caller, params }: Call<PostParams>) -> Result<Created<StatusDto>, ApiError> {
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

async fn statuses(Call { caller, params }: Call<StatusesParams>) -> Result<Paged<StatusDto>, ApiError> {
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
