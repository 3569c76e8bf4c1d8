//! Namespaces (reference: users-groups-auth-settings, sections 15 and 23.4).

use serde::Serialize;
use tenon_app::Reference;
use tenon_app::identity::Guard;
use tenon_app::namespace::{self, NamespaceView};
use tenon_domain::id::NamespaceId;
use utoipa::ToSchema;

use crate::call::Call;
use crate::error::ApiError;
use crate::params::{Paging, params};
use crate::reply::{Json, Paged};
use crate::routes::Routes;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Namespaces")
        .get("/namespaces", Guard::SignedIn, list, "The caller's namespaces; for administrators, all.")
        .get("/namespaces/{id}", Guard::SignedIn, show, "One namespace.")
        .get("/namespaces/{id}/exists", Guard::SignedIn, exists, "Whether a path is taken.");
}

/// Where projects live.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NamespaceDto {
    id: i64,
    name: String,
    path: String,
    /// `user` or `group`.
    kind: &'static str,
    full_path: String,
    parent_id: Option<i64>,
    web_url: String,
    avatar_url: Option<String>,
    /// For those who may administer the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    members_count_with_descendants: Option<i64>,
}

/// Whether a path is taken.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExistenceDto {
    exists: bool,
    /// Free paths like it.
    suggests: Vec<String>,
}

params! {
    /// Which namespaces are wanted.
    pub(crate) struct ListParams {
        /// Part of the name or path.
        search: Option<String>,
        /// Only the caller's, for administrators as well.
        owned_only: Option<bool>,
        paging: Paging,
    }
}

params! {
    /// Where a path might be taken.
    pub(crate) struct ExistsParams {
        /// Below this group; at the top where absent.
        parent_id: Option<i64>,
    }
}

impl From<NamespaceView> for NamespaceDto {
    fn from(view: NamespaceView) -> Self {
        let namespace = view.namespace;
        Self {
            id: namespace.id.get(),
            name: namespace.name,
            path: namespace.path,
            kind: namespace.kind.as_str(),
            full_path: namespace.full_path,
            parent_id: namespace.parent.map(NamespaceId::get),
            web_url: view.web_url,
            avatar_url: view.avatar_url,
            members_count_with_descendants: view.members_count,
        }
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
