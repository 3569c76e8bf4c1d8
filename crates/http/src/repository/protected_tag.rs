//! Protected tags.

use tenon_app::identity::Guard;
use tenon_app::repository::{self, EditProtection, NewProtection};
use tenon_domain::repository::ProtectionKind;
use tenon_edge::error::ApiError;

use super::project;
use super::protected_branch::{EntryParams, ListParams, access};
use crate::dto::repository::ProtectedTagDto;
use crate::endpoint::{Call, Created, Json, NoContent, Paged, Routes};
use crate::params::{Each, Filled, params};

const KIND: ProtectionKind = ProtectionKind::Tag;

pub(super) fn routes(api: &mut Routes) {
    api.tag("Protected tags")
        .get("/projects/{id}/protected_tags", Guard::SignedIn, list, "The protected tags.")
        .post("/projects/{id}/protected_tags", Guard::SignedIn, create, "Protects tags.")
        .get("/projects/{id}/protected_tags/{name}", Guard::SignedIn, show, "The rule with this exact name.")
        .delete("/projects/{id}/protected_tags/{name}", Guard::SignedIn, delete, "Removes a rule.");
}

params! {
    /// A new rule.
    pub(crate) struct CreateParams {
        /// The name, with `*` for any text.
        name: Filled,
        /// The level from which creating such tags is allowed: 0 for no one, 30, or 40 (the default).
        create_access_level: Option<i64>,
        /// Who may create such tags, in addition to `create_access_level`. If it names someone, that level has no default.
        allowed_to_create: Option<Each<EntryParams>>,
    }
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<ProtectedTagDto>, ApiError> {
    let (project, page) = (project(&caller), params.paging.into());
    let page = caller.read(move |query| repository::list_protections(query, &project, KIND, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>) -> Result<Json<ProtectedTagDto>, ApiError> {
    let (project, name) = (project(&call), call.path("name").to_owned());
    let rule = call.read(move |query| repository::protection(query, &project, KIND, &name)).await?;
    Ok(Json(rule.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<ProtectedTagDto>, ApiError> {
    let project = project(&caller);
    let push = access(params.create_access_level, params.allowed_to_create);
    let permits = EditProtection { push, ..EditProtection::default() };
    let request = NewProtection { name: params.name.0, permits };
    let rule = caller.write(move |command| repository::protect(command, &project, KIND, &request)).await?;
    Ok(Created(rule.into()))
}

async fn delete(call: Call<()>) -> Result<NoContent, ApiError> {
    let (project, name) = (project(&call), call.path("name").to_owned());
    let since = call.head().unmodified_since;
    call.write(move |command| repository::unprotect(command, &project, KIND, &name, since)).await?;
    Ok(NoContent)
}
