//! Lists of groups.

use std::collections::BTreeMap;

use tenon_app::Reference;
use tenon_app::group::{self, GroupOrder, ListGroups};
use tenon_domain::access::AccessLevel;

use crate::dto::group::GroupDto;
use crate::endpoint::{Call, Paged};
use crate::params::sort::Sort;
use crate::params::{Paging, choice, params};
use crate::wire::error::ApiError;

choice! {
    /// What a list of groups is sorted by.
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
    /// Which groups are wanted.
    pub(crate) struct ListParams {
        /// Not these.
        skip_groups: Option<Vec<i64>>,
        /// Everything the caller may see, not only what they have to do with; yes for administrators where absent.
        all_available: Option<bool>,
        /// Part of the name or path.
        search: Option<String>,
        /// What the list is sorted by; the name where absent.
        order_by: Option<OrderBy>,
        /// Which way; rising where absent.
        sort: Option<Sort>,
        /// With sizes; administrators only.
        statistics: Option<bool>,
        /// With custom attributes; administrators only.
        with_custom_attributes: Option<bool>,
        /// With all these custom attributes; administrators only.
        custom_attributes: BTreeMap<String, String>,
        /// Groups that the caller owns directly.
        owned: Option<bool>,
        /// In which the caller has at least this level.
        min_access_level: Option<AccessLevel>,
        /// Only groups without a group above.
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
