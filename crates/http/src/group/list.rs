//! Lists of groups.

use std::collections::BTreeMap;

use tenon_app::Reference;
use tenon_app::group::{self, GroupOrder, ListGroups};
use tenon_domain::access::AccessLevel;
use tenon_edge::error::ApiError;

use crate::dto::group::GroupDto;
use crate::endpoint::{Call, Paged};
use crate::params::sort::Sort;
use crate::params::{Paging, choice, params};

choice! {
    /// The orders of a list of groups.
    pub(crate) enum OrderBy {
        /// Display name.
        Name = "name",
        /// Last part of the path.
        Path = "path",
        /// Id.
        Id = "id",
    }
}

params! {
    /// Filters of groups.
    pub(crate) struct ListParams {
        /// Ids of groups to leave out.
        skip_groups: Option<Vec<i64>>,
        /// All groups that the caller may see, not only those of which they are a member; yes by default for
        /// administrators.
        all_available: Option<bool>,
        /// Part of the name or path.
        search: Option<String>,
        /// Sort key; the name by default.
        order_by: Option<OrderBy>,
        /// Sort direction; ascending by default.
        sort: Option<Sort>,
        /// With statistics; administrators only.
        statistics: Option<bool>,
        /// With custom attributes; administrators only.
        with_custom_attributes: Option<bool>,
        /// With all these custom attributes; administrators only.
        custom_attributes: BTreeMap<String, String>,
        /// Only groups that the caller owns directly.
        owned: Option<bool>,
        /// Only those in which the caller has at least this level.
        min_access_level: Option<AccessLevel>,
        /// Only top-level groups.
        top_level_only: Option<bool>,
        paging: Paging,
    }
}

impl From<ListParams> for ListGroups {
    fn from(params: ListParams) -> Self {
        Self {
            skip_groups: params.skip_groups.unwrap_or_default(),
            all_available: params.all_available,
            search: params.search,
            order_by: match params.order_by.unwrap_or(OrderBy::Name) {
                OrderBy::Name => GroupOrder::Name,
                OrderBy::Path => GroupOrder::Path,
                OrderBy::Id => GroupOrder::Id,
            },
            descending: params.sort == Some(Sort::Desc),
            statistics: params.statistics.unwrap_or(false),
            with_custom_attributes: params.with_custom_attributes.unwrap_or(false),
            custom_attributes: params.custom_attributes,
            owned: params.owned.unwrap_or(false),
            min_access_level: params.min_access_level,
            top_level_only: params.top_level_only.unwrap_or(false),
            page: params.paging.into(),
        }
    }
}

pub(super) async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<GroupDto>, ApiError> {
    let page = caller.read(move |query| group::list(query, params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

pub(super) async fn subgroups(Call { caller, params }: Call<ListParams>) -> Result<Paged<GroupDto>, ApiError> {
    let parent = Reference::parse(caller.path("id"));
    let page = caller.read(move |query| group::subgroups(query, &parent, params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

pub(super) async fn descendants(Call { caller, params }: Call<ListParams>) -> Result<Paged<GroupDto>, ApiError> {
    let top = Reference::parse(caller.path("id"));
    let page = caller.read(move |query| group::descendants(query, &top, params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}
