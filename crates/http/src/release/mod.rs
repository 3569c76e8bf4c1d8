//! Releases.

mod link;

use chrono::{DateTime, Utc};
use tenon_app::Reference;
use tenon_app::identity::Guard;
use tenon_app::release::{self, EditRelease, ListReleases, NewRelease, ReleaseOrder};
use tenon_domain::patch::Patch;
use tenon_edge::error::ApiError;

use self::link::LinkParams;
use crate::dto::release::ReleaseDto;
use crate::endpoint::{Call, Caller, Created, Json, Paged, Redirect, Routes};
use crate::params::sort::Sort;
use crate::params::{Deferred, Each, Filled, FromParams, Hash, Paging, choice, params};

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Releases")
        .get("/projects/{id}/releases", Guard::Anyone, list, "The releases of a project, newest first.")
        .post("/projects/{id}/releases", Guard::SignedIn, create, "Makes a release, and its tag where there is none.")
        .get("/projects/{id}/releases/permalink/latest", Guard::Anyone, latest, "Leads to the newest release.")
        .get("/projects/{id}/releases/{tag_name}", Guard::Anyone, show, "The release of a tag.")
        .put("/projects/{id}/releases/{tag_name}", Guard::SignedIn, edit, "Changes a release.")
        .delete("/projects/{id}/releases/{tag_name}", Guard::SignedIn, delete, "Removes a release; its tag stays.")
        .get(
            "/projects/{id}/releases/{tag_name}/downloads/{*asset_path}",
            Guard::Anyone,
            download,
            "Redirects to the link with this path.",
        );
    link::routes(api);
}

choice! {
    /// The orders of a list of releases.
    pub(crate) enum ReleaseSort {
        /// Release date.
        ReleasedAt = "released_at",
        /// Date of creation.
        CreatedAt = "created_at",
    }
}

params! {
    /// Filters of releases.
    pub(crate) struct ListParams {
        /// Sort key; `released_at` by default.
        order_by: Option<ReleaseSort>,
        /// Sort direction; descending by default.
        sort: Option<Sort>,
        /// With `description_html`, as long as the descriptions of the page are not too long.
        include_html_description: Option<bool>,
        paging: Paging,
    }
}

params! {
    /// Optional fields of a release.
    pub(crate) struct ShowParams {
        /// With `description_html`, unless the description is too long.
        include_html_description: Option<bool>,
    }
}

params! {
    /// A new release.
    pub(crate) struct CreateParams {
        /// The tag.
        tag_name: Filled,
        /// The name; that of the tag by default.
        name: Option<String>,
        /// Markdown.
        description: Option<String>,
        /// A branch, tag or commit for a new tag.
        r#ref: Option<String>,
        /// The message of a new annotated tag.
        tag_message: Option<String>,
        /// The release date; now by default.
        released_at: Option<DateTime<Utc>>,
        /// The titles of its milestones.
        milestones: Option<Vec<String>>,
        /// The links.
        assets: Hash<AssetsParams>,
    }
}

params! {
    /// The assets of a release.
    pub(crate) struct AssetsParams {
        /// Links, each with a name and an address.
        links: Option<Each<LinkParams>>,
    }
}

params! {
    /// Changes to a release.
    pub(crate) struct EditParams {
        /// The name; empty for that of the tag.
        name: Patch<String>,
        /// The description.
        description: Patch<String>,
        /// The release date.
        released_at: Option<DateTime<Utc>>,
        /// The titles of its milestones; an empty list for none.
        milestones: Option<Vec<String>>,
    }
}

fn project(caller: &Caller) -> Reference {
    Reference::parse(caller.path("id"))
}

fn tag(caller: &Caller) -> String {
    caller.path("tag_name").to_owned()
}

/// The parameters. A caller who may not read the releases gets that refusal instead of the problems of the parameters.
async fn readable<P: FromParams>(caller: &Caller, params: Deferred<P>) -> Result<P, ApiError> {
    match params.0 {
        Ok(params) => Ok(params),
        Err(problem) => {
            let project = project(caller);
            caller.read(move |query| release::permit(query, &project)).await?;
            Err(problem)
        }
    }
}

async fn list(Call { caller, params }: Call<Deferred<ListParams>>) -> Result<Paged<ReleaseDto>, ApiError> {
    let params = readable(&caller, params).await?;
    let request = ListReleases {
        order: match params.order_by {
            Some(ReleaseSort::CreatedAt) => ReleaseOrder::CreatedAt,
            Some(ReleaseSort::ReleasedAt) | None => ReleaseOrder::ReleasedAt,
        },
        ascending: params.sort == Some(Sort::Asc),
        with_html: params.include_html_description.unwrap_or(false),
        page: params.paging.into(),
    };
    let page = release::list(caller.app(), caller.identity(), project(&caller), request).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(Call { caller, params }: Call<Deferred<ShowParams>>) -> Result<Json<ReleaseDto>, ApiError> {
    let with_html = readable(&caller, params).await?.include_html_description.unwrap_or(false);
    let view = release::show(caller.app(), caller.identity(), project(&caller), tag(&caller), with_html).await?;
    Ok(Json(view.into()))
}

async fn latest(call: Call<()>) -> Result<Redirect, ApiError> {
    let project = project(&call);
    Ok(Redirect(call.read(move |query| release::latest(query, &project)).await?))
}

async fn download(call: Call<()>) -> Result<Redirect, ApiError> {
    let (project, tag, path) = (project(&call), tag(&call), call.path("asset_path").to_owned());
    Ok(Redirect(call.read(move |query| release::asset(query, &project, &tag, &path)).await?))
}

async fn create(Call { caller, params }: Call<Deferred<CreateParams>>) -> Result<Created<ReleaseDto>, ApiError> {
    let params = readable(&caller, params).await?;
    let links = params.assets.0.and_then(|assets| assets.links).map_or_else(Vec::new, |links| links.0);
    let request = NewRelease {
        tag_name: params.tag_name.0,
        from: params.r#ref,
        tag_message: params.tag_message,
        name: params.name,
        description: params.description,
        released_at: params.released_at,
        milestones: params.milestones.unwrap_or_default(),
        links: links.into_iter().map(Into::into).collect(),
    };
    let view = release::create(caller.app(), caller.identity(), project(&caller), request).await?;
    Ok(Created(view.into()))
}

async fn edit(Call { caller, params }: Call<Deferred<EditParams>>) -> Result<Json<ReleaseDto>, ApiError> {
    let params = readable(&caller, params).await?;
    let request = EditRelease {
        name: params.name,
        description: params.description,
        released_at: params.released_at,
        milestones: params.milestones,
    };
    let view = release::edit(caller.app(), caller.identity(), project(&caller), tag(&caller), request).await?;
    Ok(Json(view.into()))
}

/// 200 with the deleted release: clients of this API expect it.
async fn delete(call: Call<()>) -> Result<Json<ReleaseDto>, ApiError> {
    let since = call.head().unmodified_since;
    let view = release::delete(call.app(), call.identity(), project(&call), tag(&call), since).await?;
    Ok(Json(view.into()))
}
