//! Deploy tokens.

use chrono::NaiveDate;
use tenon_app::deploy_token::{self, CreateDeployToken};
use tenon_app::identity::Guard;
use tenon_app::{ContainerReference, Reference};
use tenon_domain::deploy_token::DeployScope;
use tenon_domain::id::DeployTokenId;
use tenon_edge::error::ApiError;

use crate::dto::deploy_token::DeployTokenDto;
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::params::{Paging, params};

/// The project or group of the tokens.
type Subject = fn(&Caller) -> ContainerReference;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Deploy tokens");
    let of_project: Subject = |caller| ContainerReference::Project(Reference::parse(caller.path("id")));
    let of_group: Subject = |caller| ContainerReference::Group(Reference::parse(caller.path("id")));
    api.get("/deploy_tokens", Guard::Administrator, list_all, "All deploy tokens; administrators only.");
    both(api, ["/projects/{id}/deploy_tokens", "/projects/{id}/deploy_tokens/{token_id:int}"], of_project);
    both(api, ["/groups/{id}/deploy_tokens", "/groups/{id}/deploy_tokens/{token_id:int}"], of_group);
}

fn both(api: &mut Routes, [all, one]: [&'static str; 2], of: Subject) {
    api.get(all, Guard::SignedIn, move |call| list(call, of), "The deploy tokens there.")
        .get(one, Guard::SignedIn, move |call| show(call, of), "A deploy token.")
        .post(all, Guard::SignedIn, move |call| create(call, of), "Makes a deploy token.")
        .delete(one, Guard::SignedIn, move |call| delete(call, of), "Removes a deploy token.");
}

params! {
    /// The filter of deploy tokens.
    pub(crate) struct ListParams {
        /// Only those that work today, or only the others.
        active: Option<bool>,
        paging: Paging,
    }
}

params! {
    /// A new deploy token.
    pub(crate) struct CreateParams {
        /// The name of the token.
        name: String,
        /// The uses of the token. Only `read_repository` has an effect.
        scopes: Vec<DeployScope>,
        /// The last day on which it works.
        expires_at: Option<NaiveDate>,
        /// The user name that Git sends with the token; `gitlab+deploy-token-ID` by default.
        username: Option<String>,
    }
}

fn id(caller: &Caller) -> Result<DeployTokenId, ApiError> {
    caller.path_i64("token_id").map(DeployTokenId::new)
}

async fn list_all(Call { caller, params }: Call<ListParams>) -> Result<Paged<DeployTokenDto>, ApiError> {
    let ListParams { active, paging } = params;
    let page = caller.read(move |query| deploy_token::list_all(query, active, paging.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn list(Call { caller, params }: Call<ListParams>, of: Subject) -> Result<Paged<DeployTokenDto>, ApiError> {
    let (of, ListParams { active, paging }) = (of(&caller), params);
    let page = caller.read(move |query| deploy_token::list(query, &of, active, paging.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>, of: Subject) -> Result<Json<DeployTokenDto>, ApiError> {
    let (of, id) = (of(&call), id(&call)?);
    let found = call.read(move |query| deploy_token::show(query, &of, id)).await?;
    Ok(Json(found.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>, of: Subject) -> Result<Created<DeployTokenDto>, ApiError> {
    let of = of(&caller);
    let CreateParams { name, scopes, expires_at, username } = params;
    let request = CreateDeployToken { name, scopes, expires_at, username };
    let made = caller.write(move |command| deploy_token::create(command, &of, request)).await?;
    Ok(Created(made.into()))
}

async fn delete(call: Call<()>, of: Subject) -> Result<NoContent, ApiError> {
    let (of, id, since) = (of(&call), id(&call)?, call.head().unmodified_since);
    call.write(move |command| deploy_token::delete(command, &of, id, since)).await?;
    Ok(NoContent)
}
