//! Applications that act for users.

use tenon_app::identity::Guard;
use tenon_app::oauth::{self, NewApplication};
use tenon_domain::id::ApplicationId;
use tenon_domain::oauth::ClientKind;
use tenon_edge::error::ApiError;

use crate::dto::oauth::ApplicationDto;
use crate::endpoint::{Call, Caller, Created, NoContent, Paged, Routes};
use crate::params::{Paging, params};

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Applications")
        .get("/applications", Guard::Administrator, list, "The applications that act for users.")
        .post("/applications", Guard::Administrator, create, "Registers an application.")
        .delete("/applications/{id:int}", Guard::Administrator, delete, "Removes an application, and ends its tokens.")
        .post(
            "/applications/{id:int}/renew-secret",
            Guard::Administrator,
            renew_secret,
            "Gives an application a new secret.",
        );
}

params! {
    /// The page.
    pub(crate) struct ListParams {
        paging: Paging,
    }
}

params! {
    /// A new application.
    pub(crate) struct CreateParams {
        /// The name.
        name: String,
        /// The redirect URIs, separated by white space. The scheme is `https`, `http` for localhost and loopback
        /// addresses, or a private scheme with a dot in its name.
        redirect_uri: String,
        /// The scopes that the application may be granted, separated by spaces or commas.
        scopes: Vec<String>,
        /// True if the application can keep a secret; true by default. An application that cannot must use PKCE.
        confidential: Option<bool>,
        /// True if users are not asked for their consent; false by default.
        trusted: Option<bool>,
    }
}

fn id(caller: &Caller) -> Result<ApplicationId, ApiError> {
    caller.path_i64("id").map(ApplicationId::new)
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<ApplicationDto>, ApiError> {
    let page = caller.read(move |query| oauth::list(query, params.paging.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<ApplicationDto>, ApiError> {
    let scopes = params.scopes.join(" ");
    if scopes.trim().is_empty() {
        return Err(ApiError::parameters("scopes is empty"));
    }
    let kind = if params.confidential.unwrap_or(true) { ClientKind::Confidential } else { ClientKind::Public };
    let new = NewApplication {
        name: params.name,
        redirect_uri: params.redirect_uri,
        scopes,
        kind,
        trusted: params.trusted.unwrap_or(false),
    };
    let made = caller.write(move |command| oauth::create(command, new)).await?;
    Ok(Created(made.into()))
}

async fn delete(call: Call<()>) -> Result<NoContent, ApiError> {
    let id = id(&call)?;
    call.write(move |command| oauth::delete(command, id)).await?;
    Ok(NoContent)
}

async fn renew_secret(call: Call<()>) -> Result<Created<ApplicationDto>, ApiError> {
    let id = id(&call)?;
    let renewed = call.write(move |command| oauth::renew_secret(command, id)).await?;
    Ok(Created(renewed.into()))
}
