//! Links of releases.

use tenon_app::identity::Guard;
use tenon_app::release::{self, EditLink, NewLink};
use tenon_domain::id::ReleaseLinkId;
use tenon_domain::release::LinkType;
use tenon_edge::error::ApiError;

use super::{project, readable, tag};
use crate::dto::release::ReleaseLinkDto;
use crate::endpoint::{Call, Caller, Created, Json, Paged, Routes};
use crate::params::{Deferred, Filled, Paging, params};

const LINKS: &str = "/projects/{id}/releases/{tag_name}/assets/links";

const LINK: &str = "/projects/{id}/releases/{tag_name}/assets/links/{link_id:int}";

pub(super) fn routes(api: &mut Routes) {
    api.get(LINKS, Guard::Anyone, list, "The links of a release, newest first.")
        .post(LINKS, Guard::SignedIn, create, "Adds a link to a release.")
        .get(LINK, Guard::Anyone, show, "One link of a release.")
        .put(LINK, Guard::SignedIn, edit, "Changes a link of a release.")
        .delete(LINK, Guard::SignedIn, delete, "Removes a link of a release.");
}

params! {
    /// A new link.
    pub(crate) struct LinkParams {
        /// The name; unique in a release.
        name: Filled,
        /// The URL with `http`, `https` or `ftp`; unique in a release.
        url: Filled,
        /// A path, such as `/bin/tool`, under which it is also available below its release.
        direct_asset_path | filepath: Option<String>,
        /// The type; `other` by default.
        link_type: Option<LinkType>,
    }
}

params! {
    /// Changes to a link.
    pub(crate) struct EditParams {
        /// The name.
        name: Option<String>,
        /// The URL.
        url: Option<String>,
        /// The path.
        direct_asset_path | filepath: Option<String>,
        /// The type.
        link_type: Option<LinkType>,
    }
    rules(reader) { reader.at_least_one_of(&["name", "url"]); }
}

impl From<LinkParams> for NewLink {
    fn from(params: LinkParams) -> Self {
        Self {
            name: params.name.0,
            url: params.url.0,
            filepath: params.direct_asset_path.filter(|path| !path.is_empty()),
            link_type: params.link_type,
        }
    }
}

fn link_id(caller: &Caller) -> Result<ReleaseLinkId, ApiError> {
    caller.path_i64("link_id").map(ReleaseLinkId::new)
}

async fn list(Call { caller, params }: Call<Deferred<Paging>>) -> Result<Paged<ReleaseLinkDto>, ApiError> {
    let (project, tag, page) = (project(&caller), tag(&caller), readable(&caller, params).await?.into());
    let page = caller.read(move |query| release::list_links(query, &project, &tag, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>) -> Result<Json<ReleaseLinkDto>, ApiError> {
    let (project, tag, id) = (project(&call), tag(&call), link_id(&call)?);
    let link = call.read(move |query| release::show_link(query, &project, &tag, id)).await?;
    Ok(Json(link.into()))
}

async fn create(Call { caller, params }: Call<Deferred<LinkParams>>) -> Result<Created<ReleaseLinkDto>, ApiError> {
    let (project, tag, request) = (project(&caller), tag(&caller), readable(&caller, params).await?.into());
    let link = caller.write(move |command| release::create_link(command, &project, &tag, request)).await?;
    Ok(Created(link.into()))
}

async fn edit(Call { caller, params }: Call<Deferred<EditParams>>) -> Result<Json<ReleaseLinkDto>, ApiError> {
    let (project, tag, id) = (project(&caller), tag(&caller), link_id(&caller)?);
    let params = readable(&caller, params).await?;
    let request = EditLink {
        name: params.name,
        url: params.url,
        filepath: params.direct_asset_path.filter(|path| !path.is_empty()),
        link_type: params.link_type,
    };
    let link = caller.write(move |command| release::edit_link(command, &project, &tag, id, request)).await?;
    Ok(Json(link.into()))
}

/// 200 with the deleted link: clients of this API expect it.
async fn delete(call: Call<()>) -> Result<Json<ReleaseLinkDto>, ApiError> {
    let (project, tag, id) = (project(&call), tag(&call), link_id(&call)?);
    let since = call.head().unmodified_since;
    let link = call.write(move |command| release::delete_link(command, &project, &tag, id, since)).await?;
    Ok(Json(link.into()))
}
