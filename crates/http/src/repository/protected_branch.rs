//! Protected branches.

use tenon_app::identity::Guard;
use tenon_app::repository::{self, AskedLevel, NewProtection};
use tenon_domain::repository::ProtectionKind;
use tenon_edge::error::ApiError;

use super::project;
use crate::dto::repository::ProtectedBranchDto;
use crate::endpoint::{Call, Created, Json, NoContent, Paged, Routes};
use crate::params::{Filled, Paging, params};

const KIND: ProtectionKind = ProtectionKind::Branch;

pub(super) fn routes(api: &mut Routes) {
    api.tag("Protected branches")
        .get("/projects/{id}/protected_branches", Guard::SignedIn, list, "The protected branches.")
        .post("/projects/{id}/protected_branches", Guard::SignedIn, create, "Protects branches.")
        .get("/projects/{id}/protected_branches/{name}", Guard::SignedIn, show, "The rule with this exact name.")
        .delete("/projects/{id}/protected_branches/{name}", Guard::SignedIn, delete, "Removes a rule.");
}

params! {
    /// The page.
    pub(super) struct ListParams {
        paging: Paging,
    }
}

params! {
    /// A new rule.
    pub(crate) struct CreateParams {
        /// The name, with `*` for any text.
        name: Filled,
        /// The level from which pushing is allowed: 0 for no one, 30, or 40 (the default).
        push_access_level: Option<i64>,
        /// The level from which merging is allowed: 0 for no one, 30, or 40 (the default).
        merge_access_level: Option<i64>,
        /// True if a merge needs an approval by a code owner of each changed path that has one.
        code_owner_approval_required: Option<bool>,
    }
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<ProtectedBranchDto>, ApiError> {
    let (project, page) = (project(&caller), params.paging.into());
    let page = caller.read(move |query| repository::list_protections(query, &project, KIND, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>) -> Result<Json<ProtectedBranchDto>, ApiError> {
    let (project, name) = (project(&call), call.path("name").to_owned());
    let rule = call.read(move |query| repository::protection(query, &project, KIND, &name)).await?;
    Ok(Json(rule.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<ProtectedBranchDto>, ApiError> {
    let project = project(&caller);
    let request = NewProtection {
        name: params.name.0,
        push_level: AskedLevel { parameter: "push_access_level", level: params.push_access_level },
        merge_level: AskedLevel { parameter: "merge_access_level", level: params.merge_access_level },
        needs_code_owners: params.code_owner_approval_required.unwrap_or(false),
    };
    let rule = caller.write(move |command| repository::protect(command, &project, KIND, request)).await?;
    Ok(Created(rule.into()))
}

async fn delete(call: Call<()>) -> Result<NoContent, ApiError> {
    let (project, name) = (project(&call), call.path("name").to_owned());
    let since = call.head().unmodified_since;
    call.write(move |command| repository::unprotect(command, &project, KIND, &name, since)).await?;
    Ok(NoContent)
}
