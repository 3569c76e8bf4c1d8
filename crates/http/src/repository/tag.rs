//! Tags and their release notes.

use tenon_app::identity::Guard;
use tenon_app::release;
use tenon_app::repository::{self, ListTags, NewTag};
use tenon_edge::error::ApiError;

use super::{filled, project, unmodified};
use crate::dto::repository::{ReleaseNotesDto, TagDto};
use crate::endpoint::{Call, Created, Json, NoContent, Paged, Routes};
use crate::params::sort::Sort;
use crate::params::{Filled, Paging, choice, params};

pub(super) fn routes(api: &mut Routes) {
    api.tag("Tags")
        .get("/projects/{id}/repository/tags", Guard::Anyone, list, "The tags of a project.")
        .post("/projects/{id}/repository/tags", Guard::SignedIn, create, "Makes a tag.")
        .get("/projects/{id}/repository/tags/{tag_name}", Guard::Anyone, show, "One tag.")
        .delete(
            "/projects/{id}/repository/tags/{tag_name}",
            Guard::SignedIn,
            delete,
            "Removes a tag with its release notes.",
        )
        .post(
            "/projects/{id}/repository/tags/{tag_name}/release",
            Guard::SignedIn,
            create_release,
            "Writes the release notes of a tag.",
        )
        .put(
            "/projects/{id}/repository/tags/{tag_name}/release",
            Guard::SignedIn,
            edit_release,
            "Changes the release notes of a tag.",
        );
}

choice! {
    /// The orders of a list of tags.
    pub(crate) enum TagSort {
        /// Date of the commit.
        Updated = "updated",
        /// Name, with numbers in it by value.
        Name = "name",
    }
}

params! {
    /// Filters of tags.
    pub(crate) struct ListParams {
        /// Sort key; the date of the commit by default.
        order_by: Option<TagSort>,
        /// Sort direction; descending by default.
        sort: Option<Sort>,
        /// Part of the name; `^x` matches its start, `x$` its end.
        search: Option<String>,
        paging: Paging,
    }
}

params! {
    /// A new tag.
    pub(crate) struct CreateParams {
        /// The name.
        tag_name: Filled,
        /// A branch, tag or commit.
        r#ref: Filled,
        /// The message of an annotated tag; without it, a lightweight tag is created.
        message: Option<String>,
        /// Release notes.
        release_description: Option<String>,
    }
}

params! {
    /// Release notes.
    pub(crate) struct ReleaseParams {
        /// Markdown.
        description: String,
    }
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<TagDto>, ApiError> {
    let request = ListTags {
        search: filled(params.search),
        by_name: params.order_by == Some(TagSort::Name),
        ascending: params.sort == Some(Sort::Asc),
        page: params.paging.into(),
    };
    let page = repository::tags(caller.app(), caller.identity(), project(&caller), request).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>) -> Result<Json<TagDto>, ApiError> {
    let name = call.path("tag_name").to_owned();
    let view = repository::tag(call.app(), call.identity(), project(&call), name).await?;
    Ok(Json(view.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<TagDto>, ApiError> {
    let request = NewTag {
        name: params.tag_name.0,
        from: params.r#ref.0,
        message: params.message,
        release_description: params.release_description,
    };
    let view = repository::create_tag(caller.app(), caller.identity(), project(&caller), request).await?;
    Ok(Created(view.into()))
}

async fn delete(call: Call<()>) -> Result<NoContent, ApiError> {
    let name = call.path("tag_name").to_owned();
    let since = call.head().unmodified_since;
    if since.is_some() {
        let view = repository::tag(call.app(), call.identity(), project(&call), name.clone()).await?;
        view.commit.map_or(Ok(()), |commit| unmodified(since, commit.author.at))?;
    }
    repository::delete_tag(call.app(), call.identity(), project(&call), name).await?;
    Ok(NoContent)
}

async fn create_release(Call { caller, params }: Call<ReleaseParams>) -> Result<Created<ReleaseNotesDto>, ApiError> {
    let (name, text) = (caller.path("tag_name").to_owned(), params.description);
    let release = release::create_notes(caller.app(), caller.identity(), project(&caller), name, text).await?;
    Ok(Created(release.into()))
}

async fn edit_release(Call { caller, params }: Call<ReleaseParams>) -> Result<Json<ReleaseNotesDto>, ApiError> {
    let (name, text) = (caller.path("tag_name").to_owned(), params.description);
    let release = release::edit_notes(caller.app(), caller.identity(), project(&caller), name, text).await?;
    Ok(Json(release.into()))
}
