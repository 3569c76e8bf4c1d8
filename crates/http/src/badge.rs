//! Badges of projects and groups.

use tenon_app::badge::{self, BadgeChange};
use tenon_app::identity::Guard;
use tenon_app::{ContainerReference, Reference};
use tenon_domain::id::BadgeId;
use tenon_domain::patch::Patch;
use tenon_edge::error::ApiError;

use crate::dto::badge::{BadgeDto, RenderedDto};
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::params::{Paging, params};

/// The project or group of the badges.
type Subject = fn(&Caller) -> ContainerReference;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Badges");
    let of_project: Subject = |caller| ContainerReference::Project(Reference::parse(caller.path("id")));
    let of_group: Subject = |caller| ContainerReference::Group(Reference::parse(caller.path("id")));
    both(
        api,
        ["/projects/{id}/badges", "/projects/{id}/badges/render", "/projects/{id}/badges/{badge_id:int}"],
        of_project,
    );
    both(api, ["/groups/{id}/badges", "/groups/{id}/badges/render", "/groups/{id}/badges/{badge_id:int}"], of_group);
}

fn both(api: &mut Routes, [all, rendered, one]: [&'static str; 3], of: Subject) {
    api.get(all, Guard::Anyone, move |call| list(call, of), "The badges that are shown there, the oldest first.")
        .get(
            rendered,
            Guard::SignedIn,
            move |call| render(call, of),
            "A badge as it would be rendered. It is not stored.",
        )
        .get(one, Guard::Anyone, move |call| show(call, of), "A badge.")
        .post(all, Guard::SignedIn, move |call| create(call, of), "Makes a badge.")
        .put(one, Guard::SignedIn, move |call| edit(call, of), "Changes a badge.")
        .delete(one, Guard::SignedIn, move |call| delete(call, of), "Removes a badge.");
}

params! {
    /// The filter of badges.
    pub(crate) struct ListParams {
        /// The whole name.
        name: Option<String>,
        paging: Paging,
    }
}

params! {
    /// The addresses of a badge.
    pub(crate) struct RenderParams {
        /// The address to which it leads. `%{project_path}` and other names stand for values of the project.
        link_url: String,
        /// The address of the picture, with the same names.
        image_url: String,
    }
}

params! {
    /// A new badge.
    pub(crate) struct CreateParams {
        addresses: RenderParams,
        /// The name of the badge.
        name: Option<String>,
    }
}

params! {
    /// Changes of a badge.
    pub(crate) struct EditParams {
        /// The address to which it leads.
        link_url: Option<String>,
        /// The address of the picture.
        image_url: Option<String>,
        /// The name of the badge; empty for none.
        name: Patch<String>,
    }
}

impl RenderParams {
    fn with(self, name: Option<String>) -> BadgeChange {
        BadgeChange {
            name: name.map_or(Patch::Absent, Patch::Set),
            link_url: Some(self.link_url),
            image_url: Some(self.image_url),
        }
    }
}

fn id(caller: &Caller) -> Result<BadgeId, ApiError> {
    caller.path_i64("badge_id").map(BadgeId::new)
}

async fn list(Call { caller, params }: Call<ListParams>, of: Subject) -> Result<Paged<BadgeDto>, ApiError> {
    let (of, ListParams { name, paging }) = (of(&caller), params);
    let page = caller.read(move |query| badge::list(query, &of, name.as_deref(), paging.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>, of: Subject) -> Result<Json<BadgeDto>, ApiError> {
    let (of, id) = (of(&call), id(&call)?);
    let found = call.read(move |query| badge::show(query, &of, id)).await?;
    Ok(Json(found.into()))
}

async fn render(Call { caller, params }: Call<RenderParams>, of: Subject) -> Result<Json<RenderedDto>, ApiError> {
    let (of, change) = (of(&caller), params.with(None));
    let view = caller.read(move |query| badge::preview(query, &of, change)).await?;
    Ok(Json(view.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>, of: Subject) -> Result<Created<BadgeDto>, ApiError> {
    let (of, change) = (of(&caller), params.addresses.with(params.name));
    let made = caller.write(move |command| badge::create(command, &of, change)).await?;
    Ok(Created(made.into()))
}

async fn edit(Call { caller, params }: Call<EditParams>, of: Subject) -> Result<Json<BadgeDto>, ApiError> {
    let (of, id) = (of(&caller), id(&caller)?);
    let change = BadgeChange { name: params.name, link_url: params.link_url, image_url: params.image_url };
    let stored = caller.write(move |command| badge::edit(command, &of, id, change)).await?;
    Ok(Json(stored.into()))
}

async fn delete(call: Call<()>, of: Subject) -> Result<NoContent, ApiError> {
    let (of, id, since) = (of(&call), id(&call)?, call.head().unmodified_since);
    call.write(move |command| badge::delete(command, &of, id, since)).await?;
    Ok(NoContent)
}
