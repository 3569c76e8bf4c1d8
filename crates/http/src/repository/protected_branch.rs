//! Protected branches, and the levels that protected tags have as well.

use tenon_app::identity::Guard;
use tenon_app::repository::{self, AskedLevel, NewProtection};
use tenon_domain::repository::ProtectionKind;

use super::project;
use crate::dto::repository::ProtectedBranchDto;
use crate::endpoint::{Call, Created, Json, NoContent, Paged, Routes};
use crate::params::{Filled, Paging, params};
use crate::wire::error::ApiError;

const KIND: ProtectionKind = ProtectionKind::Branch;

pub(super) fn routes(api: &mut Routes) {
    api.tag("Protected branches")
        .get("/projects/{id}/protected_branches", Guard::SignedIn, list, "The rules that protect branches.")
        .post("/projects/{id}/protected_branches", Guard::SignedIn, create, "Protects branches by name.")
        .get("/projects/{id}/protected_branches/{name}", Guard::SignedIn, show, "The rule of that very name.")
        .delete("/projects/{id}/protected_branches/{name}", Guard::SignedIn, delete, "Removes a rule.");
}

params! {
    /// Which rules are wanted.
    pub(super) struct ListParams {
        paging: Paging,
    }
}

params! {
    /// A new rule.
    pub(crate) struct CreateParams {
        /// The name, in which `*` stands for any text.
        name: Filled,
        /// From which level on one may push: 0 for nobody, 30, or 40, which it is where absent.
        push_access_level: Option<i64>,
        /// From which level on one may merge: 0 for nobody, 30, or 40, which it is where absent.
        merge_access_level: Option<i64>,
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
