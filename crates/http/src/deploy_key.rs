//! Deploy keys.

use chrono::{DateTime, Utc};
use tenon_app::Reference;
use tenon_app::deploy_key::{self, EditDeployKey, NewDeployKey};
use tenon_app::identity::Guard;
use tenon_domain::id::DeployKeyId;
use tenon_edge::error::ApiError;

use crate::dto::deploy_key::{DeployKeyDto, EnabledKeyDto, KeyWithProjectsDto};
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::params::{Deferred, FromParams, Paging, params};

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Deploy keys")
        .get("/deploy_keys", Guard::Administrator, list_all, "All deploy keys; administrators only.")
        .get("/projects/{id}/deploy_keys", Guard::SignedIn, list, "The deploy keys of a project.")
        .get("/projects/{id}/deploy_keys/{key_id:int}", Guard::SignedIn, show, "One deploy key of a project.")
        .post("/projects/{id}/deploy_keys", Guard::SignedIn, create, "Adds a deploy key to a project.")
        .put("/projects/{id}/deploy_keys/{key_id:int}", Guard::SignedIn, edit, "Changes a deploy key of a project.")
        .delete(
            "/projects/{id}/deploy_keys/{key_id:int}",
            Guard::SignedIn,
            delete,
            "Removes a deploy key from a project.",
        )
        .post(
            "/projects/{id}/deploy_keys/{key_id:int}/enable",
            Guard::SignedIn,
            enable,
            "Uses a deploy key of another project in this one.",
        );
}

params! {
    /// A new deploy key.
    pub(crate) struct CreateParams {
        /// The public key, as `ssh-keygen` writes it.
        key: String,
        /// The title of the key.
        title: String,
        /// True if the key may also push to the project; false by default.
        can_push: Option<bool>,
        /// The moment from which the key opens nothing.
        expires_at: Option<DateTime<Utc>>,
    }
}

params! {
    /// Changes of a deploy key.
    pub(crate) struct EditParams {
        /// The title of the key, in all projects.
        title: Option<String>,
        /// True if the key may also push to the project.
        can_push: Option<bool>,
    }
    rules(reader) { reader.at_least_one_of(&["title", "can_push"]); }
}

fn project(caller: &Caller) -> Reference {
    Reference::parse(caller.path("id"))
}

fn key_id(caller: &Caller) -> Result<DeployKeyId, ApiError> {
    caller.path_i64("key_id").map(DeployKeyId::new)
}

async fn list_all(Call { caller, params }: Call<Paging>) -> Result<Paged<KeyWithProjectsDto>, ApiError> {
    let page = caller.read(move |query| deploy_key::list_all(query, params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn list(Call { caller, params }: Call<Paging>) -> Result<Paged<EnabledKeyDto>, ApiError> {
    let project = project(&caller);
    let page = caller.read(move |query| deploy_key::list(query, &project, params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>) -> Result<Json<EnabledKeyDto>, ApiError> {
    let (project, id) = (project(&call), key_id(&call)?);
    let found = call.read(move |query| deploy_key::show(query, &project, id)).await?;
    Ok(Json(found.into()))
}

async fn create(Call { caller, params }: Call<Deferred<CreateParams>>) -> Result<Created<EnabledKeyDto>, ApiError> {
    let project = project(&caller);
    let params = readable(&caller, params).await?;
    let new = NewDeployKey::new(params.title, params.key, params.can_push.unwrap_or(false), params.expires_at);
    let made = caller.write(move |command| deploy_key::create(command, &project, new)).await?;
    Ok(Created(made.into()))
}

async fn enable(call: Call<()>) -> Result<Created<DeployKeyDto>, ApiError> {
    let (project, id) = (project(&call), key_id(&call)?);
    let key = call.write(move |command| deploy_key::enable(command, &project, id)).await?;
    Ok(Created(key.into()))
}

async fn edit(Call { caller, params }: Call<Deferred<EditParams>>) -> Result<Json<EnabledKeyDto>, ApiError> {
    let (project, id) = (project(&caller), key_id(&caller)?);
    let params = readable(&caller, params).await?;
    let change = EditDeployKey { title: params.title, can_push: params.can_push };
    let stored = caller.write(move |command| deploy_key::edit(command, &project, id, change)).await?;
    Ok(Json(stored.into()))
}

async fn delete(call: Call<()>) -> Result<NoContent, ApiError> {
    let (project, id) = (project(&call), key_id(&call)?);
    let since = call.head().unmodified_since;
    call.write(move |command| deploy_key::delete(command, &project, id, since)).await?;
    Ok(NoContent)
}

/// The parameters. Their problems are shown only to callers who may manage deploy keys: all others get that refusal
/// first.
async fn readable<P: FromParams>(caller: &Caller, params: Deferred<P>) -> Result<P, ApiError> {
    match params.0 {
        Ok(params) => Ok(params),
        Err(problem) => {
            let project = project(caller);
            caller.read(move |query| deploy_key::permit(query, &project)).await?;
            Err(problem)
        }
    }
}
