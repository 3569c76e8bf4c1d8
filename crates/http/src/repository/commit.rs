//! Reading commits.

use chrono::{DateTime, Utc};
use tenon_app::identity::Guard;
use tenon_app::merge_request;
use tenon_app::repository::{self, CommitListing, CommitOrder, ContainingRef, ListCommits};
use tenon_domain::page::{Page, PageRequest};
use tenon_edge::error::ApiError;

use super::{filled, project};
use crate::dto::merge_request::MergeRequestDto;
use crate::dto::repository::{CommitDetailDto, CommitDto, CommitSignatureDto, ContainingRefDto, DiffDto, Trailers};
use crate::endpoint::{Call, Counted, Json, Paged, Routes};
use crate::params::{KeysetPaging, Paging, PathText, choice, params};

pub(super) fn routes(api: &mut Routes) {
    api.tag("Commits")
        .get("/projects/{id}/repository/commits", Guard::Anyone, list, "Commits, the newest first.")
        .get("/projects/{id}/repository/commits/{sha}", Guard::Anyone, show, "One commit.")
        .get("/projects/{id}/repository/commits/{sha}/diff", Guard::Anyone, diff, "The diff of a commit.")
        .get(
            "/projects/{id}/repository/commits/{sha}/refs",
            Guard::Anyone,
            refs,
            "The branches and tags that contain a commit.",
        )
        .get("/projects/{id}/repository/commits/{sha}/signature", Guard::Anyone, signature, "Who has signed a commit.")
        .get(
            "/projects/{id}/repository/commits/{sha}/merge_requests",
            Guard::SignedIn,
            merge_requests,
            "The merge requests of a commit.",
        );
}

choice! {
    /// The order of commits.
    pub(crate) enum Order {
        /// The newest first.
        Default = "default",
        /// None before those that follow it.
        Topo = "topo",
    }
}

params! {
    /// Filters of commits.
    pub(crate) struct ListParams {
        /// A branch, tag or commit, also with `~` or `^`, or a range `a..b` or `a...b`. The default branch by default.
        ref_name: Option<String>,
        /// From this moment on.
        since: Option<DateTime<Utc>>,
        /// Up to this moment.
        until: Option<DateTime<Utc>>,
        /// That change this file or directory. Its bytes need not be UTF-8.
        path: Option<PathText>,
        /// By authors whose name or address contains this.
        author: Option<String>,
        /// Of all branches and tags.
        all: Option<bool>,
        /// With the number of added and removed lines.
        with_stats: Option<bool>,
        /// Follow only the first parent of merge commits.
        first_parent: Option<bool>,
        /// With the trailers of their messages.
        trailers: Option<bool>,
        /// The order: the newest first, or none before those that follow it.
        order_by: Option<Order>,
        paging: KeysetPaging,
    }
}

params! {
    /// Optional fields of a commit.
    pub(crate) struct ShowParams {
        /// With the number of added and removed lines; yes by default.
        stats: Option<bool>,
    }
}

params! {
    /// The page.
    pub(crate) struct DiffParams {
        paging: Paging,
    }
}

choice! {
    /// The type of refs.
    pub(crate) enum RefType {
        /// Branches.
        Branch = "branch",
        /// Tags.
        Tag = "tag",
        /// Both.
        All = "all",
    }
}

params! {
    /// Filters of refs.
    pub(crate) struct RefsParams {
        /// The type; all by default.
        r#type: Option<RefType>,
        paging: Paging,
    }
}

/// One page of the refs of this type.
fn of_type(found: Vec<ContainingRef>, wanted: RefType, page: PageRequest) -> Page<ContainingRefDto> {
    let wanted: Vec<ContainingRef> = found
        .into_iter()
        .filter(|found| match wanted {
            RefType::Branch => !found.is_tag,
            RefType::Tag => found.is_tag,
            RefType::All => true,
        })
        .collect();
    Page::cut(wanted, page).map(Into::into)
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Counted<CommitDto>, ApiError> {
    let request = ListCommits {
        revision: filled(params.ref_name),
        since: params.since,
        until: params.until,
        path: filled(params.path.map(|path| path.0)),
        author: filled(params.author),
        all: params.all.unwrap_or(false),
        with_stats: params.with_stats.unwrap_or(false),
        first_parent: params.first_parent.unwrap_or(false),
        order: match params.order_by {
            Some(Order::Topo) => CommitOrder::Topological,
            Some(Order::Default) | None => CommitOrder::Newest,
        },
        page: params.paging.page,
        keyset: params.paging.keyset,
    };
    let listing = repository::commits(caller.app(), caller.identity(), project(&caller), request).await?;
    let trailers = if params.trailers == Some(true) { Trailers::Read } else { Trailers::Omitted };
    let dto = |commit| CommitDto::with_trailers(commit, trailers);
    Ok(match listing {
        CommitListing::Page(page) => Counted::Page(page.map(dto)),
        CommitListing::Part(part) => Counted::Part(part.map(dto)),
    })
}

async fn show(Call { caller, params }: Call<ShowParams>) -> Result<Json<CommitDetailDto>, ApiError> {
    let (sha, stats) = (caller.path("sha").to_owned(), params.stats.unwrap_or(true));
    let detail = repository::commit(caller.app(), caller.identity(), project(&caller), sha, stats).await?;
    Ok(Json(detail.into()))
}

async fn diff(Call { caller, params }: Call<DiffParams>) -> Result<Paged<DiffDto>, ApiError> {
    let (sha, page) = (caller.path("sha").to_owned(), params.paging.into());
    let page = repository::commit_diff(caller.app(), caller.identity(), project(&caller), sha, page).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn refs(Call { caller, params }: Call<RefsParams>) -> Result<Paged<ContainingRefDto>, ApiError> {
    let sha = caller.path("sha").to_owned();
    let found = repository::refs_with(caller.app(), caller.identity(), project(&caller), sha).await?;
    Ok(Paged(of_type(found, params.r#type.unwrap_or(RefType::All), params.paging.into())))
}

async fn merge_requests(Call { caller, params }: Call<DiffParams>) -> Result<Paged<MergeRequestDto>, ApiError> {
    let (sha, page) = (caller.path("sha").to_owned(), params.paging.into());
    let page = merge_request::of_commit(caller.app(), caller.identity(), project(&caller), sha, page).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn signature(call: Call<()>) -> Result<Json<CommitSignatureDto>, ApiError> {
    let (project, sha) = (project(&call), call.path("sha").to_owned());
    Ok(Json(repository::commit_signature(call.app(), call.identity(), project, sha).await?.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refs_are_counted_after_their_type() {
        let found = || {
            [(false, "main"), (false, "next"), (true, "v1")]
                .map(|(is_tag, name)| ContainingRef { is_tag, name: name.to_owned() })
                .to_vec()
        };
        let page = |wanted, page| {
            let page = of_type(found(), wanted, PageRequest::new(Some(page), Some(1)));
            (page.total, page.items.into_iter().map(|found| (found.kind, found.name)).collect::<Vec<_>>())
        };
        assert_eq!(page(RefType::All, 3), (3, vec![("tag", "v1".to_owned())]));
        assert_eq!(page(RefType::Tag, 1), (1, vec![("tag", "v1".to_owned())]));
        assert_eq!(page(RefType::Branch, 2), (2, vec![("branch", "next".to_owned())]));
        assert_eq!(page(RefType::Tag, 2), (1, vec![]));
    }
}
