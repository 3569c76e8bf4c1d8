//! Branches.

use actix_web::HttpResponse;
use actix_web::http::{Method, StatusCode};
use tenon_app::identity::Guard;
use tenon_app::repository::{self, BranchOrder, ListBranches, NewBranch, ProtectBranch};
use tenon_edge::error::ApiError;

use super::{filled, project, unmodified};
use crate::dto::repository::BranchDto;
use crate::endpoint::{Accepted, Call, Created, Json, NoContent, Paged, Reply, ReplyDoc, RequestHead, Routes};
use crate::params::{Filled, Paging, choice, params};

pub(super) fn routes(api: &mut Routes) {
    api.tag("Branches")
        .get("/projects/{id}/repository/branches", Guard::Anyone, list, "The branches of a project.")
        .post("/projects/{id}/repository/branches", Guard::SignedIn, create, "Creates a branch.")
        .get("/projects/{id}/repository/branches/{branch}", Guard::Anyone, show, "One branch.")
        .delete("/projects/{id}/repository/branches/{branch}", Guard::SignedIn, delete, "Removes a branch.")
        .delete(
            "/projects/{id}/repository/merged_branches",
            Guard::SignedIn,
            delete_merged,
            "Removes the branches that are merged into the default branch.",
        )
        .put("/projects/{id}/repository/branches/{branch}/protect", Guard::SignedIn, protect, "Protects a branch.")
        .put(
            "/projects/{id}/repository/branches/{branch}/unprotect",
            Guard::SignedIn,
            unprotect,
            "Removes the protection of a branch.",
        );
}

choice! {
    /// The orders of a list of branches.
    pub(crate) enum BranchSort {
        /// Name.
        Name = "name",
        /// Date of the tip, the oldest first.
        UpdatedAscending = "updated_asc",
        /// Date of the tip, the newest first.
        UpdatedDescending = "updated_desc",
    }
}

params! {
    /// Filters of branches.
    pub(crate) struct ListParams {
        /// Part of the name; `^x` matches its start, `x$` its end.
        search: Option<String>,
        /// A regular expression that matches a part of the name.
        regex: Option<String>,
        /// Sort key; the name by default.
        sort: Option<BranchSort>,
        paging: Paging,
    }
}

params! {
    /// A new branch.
    pub(crate) struct CreateParams {
        /// The name.
        branch: Filled,
        /// The branch, tag or commit from which it starts.
        r#ref: Filled,
    }
}

params! {
    /// The protection of a branch. Absent values are unchanged, or `maintainers only` for a new rule.
    pub(crate) struct ProtectParams {
        /// True if developers may push.
        developers_can_push: Option<bool>,
        /// True if developers may merge.
        developers_can_merge: Option<bool>,
    }
}

/// 200 with a branch; 204 for HEAD.
#[derive(Debug)]
struct BranchReply(BranchDto);

impl Reply for BranchReply {
    fn respond(self, head: &RequestHead) -> Result<HttpResponse, ApiError> {
        if head.method == Method::HEAD { NoContent.respond(head) } else { Json(self.0).respond(head) }
    }

    fn describe() -> ReplyDoc {
        let mut doc = Json::<BranchDto>::describe();
        doc.outcomes.push((StatusCode::NO_CONTENT, "To HEAD: the branch exists.", None));
        doc
    }
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<BranchDto>, ApiError> {
    let request = ListBranches {
        search: filled(params.search),
        regex: filled(params.regex),
        order: match params.sort.unwrap_or(BranchSort::Name) {
            BranchSort::Name => BranchOrder::Name,
            BranchSort::UpdatedAscending => BranchOrder::UpdatedAscending,
            BranchSort::UpdatedDescending => BranchOrder::UpdatedDescending,
        },
        tips: None,
        page: params.paging.into(),
    };
    let page = repository::branches(caller.app(), caller.identity(), project(&caller), request).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>) -> Result<BranchReply, ApiError> {
    let name = call.path("branch").to_owned();
    let view = repository::branch(call.app(), call.identity(), project(&call), name).await?;
    Ok(BranchReply(view.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<BranchDto>, ApiError> {
    let request = NewBranch { branch: params.branch.0, from: params.r#ref.0 };
    let view = repository::create_branch(caller.app(), caller.identity(), project(&caller), request).await?;
    Ok(Created(view.into()))
}

async fn delete(call: Call<()>) -> Result<NoContent, ApiError> {
    let name = call.path("branch").to_owned();
    let since = call.head().unmodified_since;
    if since.is_some() {
        let view = repository::branch(call.app(), call.identity(), project(&call), name.clone()).await?;
        unmodified(since, view.commit.author.at)?;
    }
    repository::delete_branch(call.app(), call.identity(), project(&call), name).await?;
    Ok(NoContent)
}

async fn delete_merged(call: Call<()>) -> Result<Accepted, ApiError> {
    repository::delete_merged(call.app(), call.identity(), project(&call)).await?;
    Ok(Accepted)
}

async fn protect(Call { caller, params }: Call<ProtectParams>) -> Result<Json<BranchDto>, ApiError> {
    let name = caller.path("branch").to_owned();
    let request = ProtectBranch {
        developers_can_push: params.developers_can_push,
        developers_can_merge: params.developers_can_merge,
    };
    let view = repository::protect_branch(caller.app(), caller.identity(), project(&caller), name, request).await?;
    Ok(Json(view.into()))
}

async fn unprotect(call: Call<()>) -> Result<Json<BranchDto>, ApiError> {
    let name = call.path("branch").to_owned();
    let view = repository::unprotect_branch(call.app(), call.identity(), project(&call), name).await?;
    Ok(Json(view.into()))
}
