//! Services of projects, under their old and their new name.

mod params;

use tenon_app::Reference;
use tenon_app::identity::Guard;
use tenon_app::service;
use tenon_domain::service::Definition;
use tenon_edge::error::ApiError;

use self::params::ServiceParams;
use crate::dto::service::ServiceDto;
use crate::endpoint::{Call, Caller, Json, NoContent, Routes};
use crate::params::Deferred;

pub(crate) fn routes(api: &mut Routes) {
    let guard = Guard::SignedIn;
    api.tag("Services")
        .get("/projects/{id}/services", guard, list, "The services that a project uses.")
        .get("/projects/{id}/services/{slug}", guard, show, "One service of a project.")
        .put("/projects/{id}/services/{slug}", guard, save, "Puts a service of a project into use.")
        .delete("/projects/{id}/services/{slug}", guard, delete, "Puts a service of a project out of use.")
        .get("/projects/{id}/integrations", guard, list, "The integrations that a project uses.")
        .get("/projects/{id}/integrations/{slug}", guard, show_integration, "One integration of a project.")
        .put("/projects/{id}/integrations/{slug}", guard, save, "Puts an integration of a project into use.")
        .delete(
            "/projects/{id}/integrations/{slug}",
            guard,
            delete_integration,
            "Puts an integration of a project out of use.",
        );
}

/// The methods of a path whose last segment is no kind of services.
const WITHOUT_PUT: &str = "OPTIONS, GET, HEAD, DELETE";
const SERVICE_UNKNOWN: &str = "service_slug does not have a valid value";
const INTEGRATION_UNKNOWN: &str = "slug does not have a valid value";

fn project(caller: &Caller) -> Reference {
    Reference::parse(caller.path("id"))
}

/// The kind of services in the path. That it is unknown is shown only to callers who may manage services: all others
/// get that refusal first.
async fn known(caller: &Caller, unknown: &str) -> Result<&'static Definition, ApiError> {
    if let Some(definition) = Definition::find(caller.path("slug")) {
        return Ok(definition);
    }
    permit(caller).await?;
    Err(ApiError::parameters(unknown))
}

async fn permit(caller: &Caller) -> Result<(), ApiError> {
    let project = project(caller);
    caller.read(move |query| service::permit(query, &project)).await
}

async fn list(call: Call<()>) -> Result<Json<Vec<ServiceDto>>, ApiError> {
    let project = project(&call);
    let found = call.read(move |query| service::list(query, &project)).await?;
    Ok(Json(found.into_iter().map(ServiceDto::listed).collect()))
}

async fn show(call: Call<()>) -> Result<Json<ServiceDto>, ApiError> {
    let (project, definition) = (project(&call), known(&call, SERVICE_UNKNOWN).await?);
    let found = call.read(move |query| service::show(query, &project, definition)).await?;
    Ok(Json(found.into()))
}

async fn show_integration(call: Call<()>) -> Result<Json<ServiceDto>, ApiError> {
    let (project, definition) = (project(&call), known(&call, INTEGRATION_UNKNOWN).await?);
    let found = call.read(move |query| service::show_known(query, &project, definition)).await?;
    Ok(Json(found.into()))
}

async fn save(Call { caller, params }: Call<Deferred<ServiceParams>>) -> Result<Json<ServiceDto>, ApiError> {
    let Some(definition) = Definition::find(caller.path("slug")) else {
        caller.admit().await?;
        return Err(ApiError::method_not_allowed(WITHOUT_PUT));
    };
    let change = match params.0.and_then(|params| params.change(definition)) {
        Ok(change) => change,
        Err(problem) => {
            permit(&caller).await?;
            return Err(problem);
        }
    };
    let project = project(&caller);
    let saved = caller.write(move |command| service::save(command, &project, definition, change)).await?;
    Ok(Json(saved.into()))
}

async fn delete(call: Call<()>) -> Result<NoContent, ApiError> {
    let (project, definition) = (project(&call), known(&call, SERVICE_UNKNOWN).await?);
    let since = call.head().unmodified_since;
    call.write(move |command| service::delete(command, &project, definition, since)).await?;
    Ok(NoContent)
}

async fn delete_integration(call: Call<()>) -> Result<NoContent, ApiError> {
    let (project, definition) = (project(&call), known(&call, INTEGRATION_UNKNOWN).await?);
    let since = call.head().unmodified_since;
    call.write(move |command| service::delete_known(command, &project, definition, since)).await?;
    Ok(NoContent)
}
