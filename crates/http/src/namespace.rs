//! Namespaces.

use tenon_app::identity::Guard;
use tenon_app::{Reference, namespace};
use tenon_domain::id::NamespaceId;
use tenon_edge::error::ApiError;

use crate::dto::namespace::{ExistenceDto, NamespaceDto};
use crate::endpoint::{Call, Json, Paged, Routes};
use crate::params::{Paging, params};

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Namespaces")
        .get("/namespaces", Guard::SignedIn, list, "The caller's namespaces; for administrators, all.")
        .get("/namespaces/{id}", Guard::SignedIn, show, "One namespace.")
        .get("/namespaces/{id}/exists", Guard::SignedIn, exists, "Whether a path is taken.");
}

params! {
    /// Filters of namespaces.
    pub(crate) struct ListParams {
        /// Part of the name or path.
        search: Option<String>,
        /// Only those of the caller, also for administrators.
        owned_only: Option<bool>,
        paging: Paging,
    }
}

params! {
    /// The place of a path.
    pub(crate) struct ExistsParams {
        /// The id of the parent group; the top level by default.
        parent_id: Option<i64>,
    }
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<NamespaceDto>, ApiError> {
    let owned_only = params.owned_only.unwrap_or(false);
    let page = caller
        .read(move |query| namespace::list(query, params.search.as_deref(), owned_only, params.paging.into()))
        .await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>) -> Result<Json<NamespaceDto>, ApiError> {
    let id = Reference::parse(call.path("id"));
    let view = call.read(move |query| namespace::show(query, &id)).await?;
    Ok(Json(view.into()))
}

async fn exists(Call { caller, params }: Call<ExistsParams>) -> Result<Json<ExistenceDto>, ApiError> {
    let path = caller.path("id").to_owned();
    let parent = params.parent_id.map(NamespaceId::new);
    let (exists, suggests) = caller.read(move |query| namespace::exists(query, &path, parent)).await?;
    Ok(Json(ExistenceDto { exists, suggests }))
}
