//! Contributors.

use tenon_app::identity::Guard;
use tenon_app::repository::{self, ContributorOrder};
use tenon_edge::error::ApiError;

use super::project;
use crate::dto::repository::ContributorDto;
use crate::endpoint::{Call, PagedBy, Routes};
use crate::params::sort::Sort;
use crate::params::{Paging, choice, params};

pub(super) fn routes(api: &mut Routes) {
    api.tag("Repositories").get(
        "/projects/{id}/repository/contributors",
        Guard::Anyone,
        list,
        "The contributors of the default branch.",
    );
}

choice! {
    /// The orders of a list of contributors.
    pub(crate) enum ContributorSort {
        /// Number of commits.
        Commits = "commits",
        /// Name.
        Name = "name",
        /// Address.
        Email = "email",
    }
}

params! {
    /// Filters of contributors.
    pub(crate) struct ListParams {
        /// Sort key; the number of commits by default.
        order_by: Option<ContributorSort>,
        /// Sort direction; ascending by default.
        sort: Option<Sort>,
        paging: Paging,
    }
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<PagedBy<ContributorDto>, ApiError> {
    let order = match params.order_by.unwrap_or(ContributorSort::Commits) {
        ContributorSort::Commits => ContributorOrder::Commits,
        ContributorSort::Name => ContributorOrder::Name,
        ContributorSort::Email => ContributorOrder::Email,
    };
    let (falls, page) = (params.sort == Some(Sort::Desc), params.paging.into());
    let page = repository::contributors(caller.app(), caller.identity(), project(&caller), order, falls, page).await?;
    Ok(PagedBy(page.map(Into::into), &[("order_by", "commits"), ("sort", "asc")]))
}
