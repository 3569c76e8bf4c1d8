//! Deployments of projects.

use chrono::{DateTime, Utc};
use tenon_app::deployment::{self, DeploymentOrder, ListDeployments, NewDeployment};
use tenon_app::identity::Guard;
use tenon_app::{Reference, merge_request};
use tenon_domain::deployment::DeploymentStatus;
use tenon_domain::id::DeploymentId;
use tenon_edge::error::ApiError;

use crate::dto::environment::DeploymentDto;
use crate::dto::merge_request::MergeRequestDto;
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::params::sort::Sort;
use crate::params::{Paging, choice, params};

pub(crate) fn routes(api: &mut Routes) {
    const ALL: &str = "/projects/{id}/deployments";
    const ONE: &str = "/projects/{id}/deployments/{deployment_id:int}";
    api.tag("Deployments")
        .get(ALL, Guard::SignedIn, list, "The deployments of a project.")
        .post(
            ALL,
            Guard::SignedIn,
            create,
            "Records a deployment. Its environment is made if there is none of the name.",
        )
        .get(ONE, Guard::SignedIn, show, "A deployment.")
        .put(ONE, Guard::SignedIn, update, "Brings a deployment into another state.")
        .delete(ONE, Guard::SignedIn, delete, "Removes a deployment that has ended and is not the current one.")
        .get(
            "/projects/{id}/deployments/{deployment_id:int}/merge_requests",
            Guard::SignedIn,
            merge_requests,
            "The merge requests that it was the first to bring to its environment.",
        );
}

choice! {
    /// The state of a deployment; some of these never occur here.
    pub(crate) enum StatusFilter {
        /// Created.
        Created = "created",
        /// Under way.
        Running = "running",
        /// Successful.
        Success = "success",
        /// Failed.
        Failed = "failed",
        /// Given up.
        Canceled = "canceled",
        /// Left out.
        Skipped = "skipped",
        /// Waiting for an approval.
        Blocked = "blocked",
    }
}

choice! {
    /// The state of a deployment.
    pub(crate) enum StatusParam {
        /// Under way.
        Running = "running",
        /// Successful.
        Success = "success",
        /// Failed.
        Failed = "failed",
        /// Given up.
        Canceled = "canceled",
    }
}

impl From<StatusParam> for DeploymentStatus {
    fn from(status: StatusParam) -> Self {
        match status {
            StatusParam::Running => Self::Running,
            StatusParam::Success => Self::Success,
            StatusParam::Failed => Self::Failed,
            StatusParam::Canceled => Self::Canceled,
        }
    }
}

choice! {
    /// The orders of a list of deployments.
    pub(crate) enum OrderBy {
        /// Id.
        Id = "id",
        /// The number within the project.
        Iid = "iid",
        /// The moment of the report.
        CreatedAt = "created_at",
        /// The moment of the last change.
        UpdatedAt = "updated_at",
        /// The moment of the end.
        FinishedAt = "finished_at",
        /// The branch or tag.
        Ref = "ref",
    }
}

params! {
    /// Filters of deployments.
    pub(crate) struct ListParams {
        /// Those of the environment of this name.
        environment: Option<String>,
        /// Those in this state.
        status: Option<StatusFilter>,
        /// Changed from this moment on; needs `order_by=updated_at`.
        updated_after: Option<DateTime<Utc>>,
        /// Changed up to this moment; needs `order_by=updated_at`.
        updated_before: Option<DateTime<Utc>>,
        /// Ended from this moment on.
        finished_after: Option<DateTime<Utc>>,
        /// Ended up to this moment.
        finished_before: Option<DateTime<Utc>>,
        /// Sort key; the id by default.
        order_by: Option<OrderBy>,
        /// Direction; rising by default.
        sort: Option<Sort>,
        paging: Paging,
    }
}

params! {
    /// A deployment.
    pub(crate) struct CreateParams {
        /// The name of the environment.
        environment: String,
        /// A name of the commit.
        sha: String,
        /// The branch or tag.
        r#ref: String,
        /// True if that is a tag.
        tag: bool,
        /// The state.
        status: StatusParam,
    }
}

params! {
    /// Another state of a deployment.
    pub(crate) struct UpdateParams {
        /// The state.
        status: StatusParam,
    }
}

fn project(caller: &Caller) -> Reference {
    Reference::parse(caller.path("id"))
}

fn id(caller: &Caller) -> Result<DeploymentId, ApiError> {
    caller.path_i64("deployment_id").map(DeploymentId::new)
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<DeploymentDto>, ApiError> {
    let project = project(&caller);
    let request = ListDeployments {
        environment: params.environment.filter(|name| !name.is_empty()),
        status: params.status.map(|status| match status {
            StatusFilter::Running => Some(DeploymentStatus::Running),
            StatusFilter::Success => Some(DeploymentStatus::Success),
            StatusFilter::Failed => Some(DeploymentStatus::Failed),
            StatusFilter::Canceled => Some(DeploymentStatus::Canceled),
            StatusFilter::Created | StatusFilter::Skipped | StatusFilter::Blocked => None,
        }),
        updated_after: params.updated_after,
        updated_before: params.updated_before,
        finished_after: params.finished_after,
        finished_before: params.finished_before,
        order_by: match params.order_by {
            None | Some(OrderBy::Id) => DeploymentOrder::Id,
            Some(OrderBy::Iid) => DeploymentOrder::Iid,
            Some(OrderBy::CreatedAt) => DeploymentOrder::CreatedAt,
            Some(OrderBy::UpdatedAt) => DeploymentOrder::UpdatedAt,
            Some(OrderBy::FinishedAt) => DeploymentOrder::FinishedAt,
            Some(OrderBy::Ref) => DeploymentOrder::Ref,
        },
        descending: params.sort == Some(Sort::Desc),
        page: params.paging.into(),
    };
    let page = caller.read(move |query| deployment::list(query, &project, request)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>) -> Result<Json<DeploymentDto>, ApiError> {
    let (project, id) = (project(&call), id(&call)?);
    Ok(Json(call.read(move |query| deployment::show(query, &project, id)).await?.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<DeploymentDto>, ApiError> {
    let request = NewDeployment {
        environment: params.environment,
        sha: params.sha,
        ref_name: params.r#ref,
        tag: params.tag,
        status: params.status.into(),
    };
    let made = deployment::create(caller.app(), caller.identity(), project(&caller), request).await?;
    Ok(Created(made.into()))
}

async fn update(Call { caller, params }: Call<UpdateParams>) -> Result<Json<DeploymentDto>, ApiError> {
    let (project, id, status) = (project(&caller), id(&caller)?, params.status.into());
    Ok(Json(caller.write(move |command| deployment::update(command, &project, id, status)).await?.into()))
}

async fn delete(call: Call<()>) -> Result<NoContent, ApiError> {
    let (project, id, since) = (project(&call), id(&call)?, call.head().unmodified_since);
    call.write(move |command| deployment::delete(command, &project, id, since)).await?;
    Ok(NoContent)
}

async fn merge_requests(Call { caller, params }: Call<Paging>) -> Result<Paged<MergeRequestDto>, ApiError> {
    let (project, id) = (project(&caller), id(&caller)?);
    let page = caller.read(move |query| merge_request::of_deployment(query, &project, id, params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}
