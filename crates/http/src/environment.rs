//! Environments of projects.

use chrono::{DateTime, Utc};
use tenon_app::Reference;
use tenon_app::environment::{self, Cleanup, EnvironmentChange, ListEnvironments};
use tenon_app::identity::Guard;
use tenon_domain::environment::{AutoStop, EnvironmentState, Tier};
use tenon_domain::id::EnvironmentId;
use tenon_domain::patch::Patch;
use tenon_edge::error::ApiError;

use crate::dto::environment::{CleanupDto, EnvironmentDetailDto, EnvironmentDto};
use crate::dto::hook::MessageDto;
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::params::{Paging, Reader, choice, params};

pub(crate) fn routes(api: &mut Routes) {
    const ALL: &str = "/projects/{id}/environments";
    const ONE: &str = "/projects/{id}/environments/{environment_id:int}";
    api.tag("Environments")
        .get(ALL, Guard::SignedIn, list, "The environments of a project, the oldest first.")
        .post(ALL, Guard::SignedIn, create, "Makes an environment.")
        .get(ONE, Guard::SignedIn, show, "An environment with its newest deployment.")
        .put(ONE, Guard::SignedIn, edit, "Changes an environment.")
        .delete(ONE, Guard::SignedIn, delete, "Removes an environment with its deployments.")
        .post(
            "/projects/{id}/environments/{environment_id:int}/stop",
            Guard::SignedIn,
            stop,
            "Stops an environment. Nothing changes if it is stopped already.",
        )
        .post(
            "/projects/{id}/environments/stop_stale",
            Guard::SignedIn,
            stop_stale,
            "Stops the environments that were changed and deployed to only before a moment.",
        )
        .delete(
            "/projects/{id}/environments/review_apps",
            Guard::SignedIn,
            delete_stopped,
            "Removes stopped environments whose names have a folder, such as `review/fix`.",
        );
}

choice! {
    /// The state of an environment.
    pub(crate) enum StateParam {
        /// In use.
        Available = "available",
        /// About to be stopped; no environment is here.
        Stopping = "stopping",
        /// Stopped.
        Stopped = "stopped",
    }
}

params! {
    /// Filters of environments.
    pub(crate) struct ListParams {
        /// The one of this name.
        name: Option<String>,
        /// Those whose name contains this, whatever the case.
        search: Option<String>,
        /// Those in this state.
        states: Option<StateParam>,
        paging: Paging,
    }
    rules(reader) { reader.mutually_exclusive(&["name", "search"]); }
}

choice! {
    /// The purpose of an environment.
    pub(crate) enum TierParam {
        /// For the users of the project.
        Production = "production",
        /// As production, for a last look.
        Staging = "staging",
        /// For tests.
        Testing = "testing",
        /// For work on the project.
        Development = "development",
        /// For anything else.
        Other = "other",
    }
}

choice! {
    /// When an environment is stopped by itself.
    pub(crate) enum AutoStopParam {
        /// In every case that has one.
        Always = "always",
        /// Only if a job stops it.
        WithAction = "with_action",
    }
}

params! {
    /// The fields of an environment besides its name.
    pub(crate) struct FieldParams {
        /// The address at which it is found; empty for none.
        external_url: Patch<String>,
        /// A text about it.
        description: Patch<String>,
        /// Its purpose; guessed from the name of a new one.
        tier: Option<TierParam>,
        /// Stored only: no job stops an environment.
        auto_stop_setting: Option<AutoStopParam>,
    }
    rules(reader) { refuse_slug(reader); }
}

params! {
    /// A new environment.
    pub(crate) struct CreateParams {
        /// Its name.
        name: String,
        fields: FieldParams,
    }
}

params! {
    /// Changes of an environment.
    pub(crate) struct EditParams {
        /// Its name.
        name: Option<String>,
        fields: FieldParams,
    }
}

params! {
    /// A moment.
    pub(crate) struct StopStaleParams {
        /// The moment: a week ago at least, and ten years at most.
        before: DateTime<Utc>,
    }
}

params! {
    /// Which environments are removed.
    pub(crate) struct CleanupParams {
        /// Those that were made before this moment; 30 days ago by default.
        before: Option<DateTime<Utc>>,
        /// So many at most, 1,000 in any case; 100 by default.
        limit: Option<i64>,
        /// True if they are only named, which is the default.
        dry_run: Option<bool>,
    }
}

/// Refuses a slug, which follows from the name.
fn refuse_slug(reader: &mut Reader<'_>) {
    if reader.is_given("slug") {
        reader.complain("slug", "is automatically generated and cannot be changed");
    }
}

impl FieldParams {
    fn into_change(self, name: Option<String>) -> EnvironmentChange {
        EnvironmentChange {
            name,
            external_url: self.external_url,
            description: self.description,
            tier: self.tier.map(|tier| match tier {
                TierParam::Production => Tier::Production,
                TierParam::Staging => Tier::Staging,
                TierParam::Testing => Tier::Testing,
                TierParam::Development => Tier::Development,
                TierParam::Other => Tier::Other,
            }),
            auto_stop: self.auto_stop_setting.map(|setting| match setting {
                AutoStopParam::Always => AutoStop::Always,
                AutoStopParam::WithAction => AutoStop::WithAction,
            }),
        }
    }
}

fn project(caller: &Caller) -> Reference {
    Reference::parse(caller.path("id"))
}

fn id(caller: &Caller) -> Result<EnvironmentId, ApiError> {
    caller.path_i64("environment_id").map(EnvironmentId::new)
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<EnvironmentDto>, ApiError> {
    let project = project(&caller);
    let request = ListEnvironments {
        name: params.name.filter(|name| !name.is_empty()),
        search: params.search.filter(|search| !search.is_empty()),
        state: params.states.map(|state| match state {
            StateParam::Available => Some(EnvironmentState::Available),
            StateParam::Stopping => None,
            StateParam::Stopped => Some(EnvironmentState::Stopped),
        }),
        page: params.paging.into(),
    };
    let page = caller.read(move |query| environment::list(query, &project, request)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>) -> Result<Json<EnvironmentDetailDto>, ApiError> {
    let (project, id) = (project(&call), id(&call)?);
    Ok(Json(call.read(move |query| environment::show(query, &project, id)).await?.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<EnvironmentDto>, ApiError> {
    let (project, change) = (project(&caller), params.fields.into_change(Some(params.name)));
    Ok(Created(caller.write(move |command| environment::create(command, &project, change)).await?.into()))
}

async fn edit(Call { caller, params }: Call<EditParams>) -> Result<Json<EnvironmentDto>, ApiError> {
    let (project, id, change) = (project(&caller), id(&caller)?, params.fields.into_change(params.name));
    Ok(Json(caller.write(move |command| environment::edit(command, &project, id, change)).await?.into()))
}

async fn delete(call: Call<()>) -> Result<NoContent, ApiError> {
    let (project, id, since) = (project(&call), id(&call)?, call.head().unmodified_since);
    call.write(move |command| environment::delete(command, &project, id, since)).await?;
    Ok(NoContent)
}

/// 200: clients of this API expect it.
async fn stop(call: Call<()>) -> Result<Json<EnvironmentDto>, ApiError> {
    let (project, id) = (project(&call), id(&call)?);
    Ok(Json(call.write(move |command| environment::stop(command, &project, id)).await?.into()))
}

async fn stop_stale(Call { caller, params }: Call<StopStaleParams>) -> Result<Json<MessageDto>, ApiError> {
    let project = project(&caller);
    caller.write(move |command| environment::stop_stale(command, &project, params.before)).await?;
    Ok(Json(MessageDto { message: "Successfully requested stop for all stale environments" }))
}

async fn delete_stopped(Call { caller, params }: Call<CleanupParams>) -> Result<Json<CleanupDto>, ApiError> {
    let project = project(&caller);
    let request = Cleanup { before: params.before, limit: params.limit, is_dry: params.dry_run.unwrap_or(true) };
    let removed = caller.write(move |command| environment::delete_stopped(command, &project, &request)).await?;
    Ok(Json(removed.into()))
}
