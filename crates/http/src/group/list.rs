//! Lists of groups.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use tenon_app::Reference;
use tenon_app::group::{self, GroupOrder, GroupPlace, ListGroups};
use tenon_domain::access::AccessLevel;
use tenon_domain::visibility::Visibility;
use tenon_edge::error::ApiError;

use crate::dto::group::GroupDto;
use crate::endpoint::{Call, Caller, Listed};
use crate::params::sort::Sort;
use crate::params::{KeysetPaging, choice, params};

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
        /// With this visibility.
        visibility: Option<Visibility>,
        /// Neither archived nor about to be deleted, or only the others: no group is.
        active: Option<bool>,
        /// Only archived groups, or none of them: no group is.
        archived: Option<bool>,
        /// To be deleted on this day: no group is.
        marked_for_deletion_on: Option<NaiveDate>,
        /// Whose repositories are in this place, which is always `default`; administrators only.
        repository_storage: Option<String>,
        paging: KeysetPaging,
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
            visibility: params.visibility,
            active: params.active,
            archived: params.archived,
            marked_for_deletion_on: params.marked_for_deletion_on,
            repository_storage: params.repository_storage.filter(|name| !name.is_empty()),
            page: params.paging.page,
        }
    }
}

async fn find(caller: &Caller, place: GroupPlace, params: ListParams) -> Result<Listed<GroupDto>, ApiError> {
    let keyset = params.paging.keyset.clone();
    let found = caller.read(move |query| group::find(query, &place, params.into(), keyset.as_ref())).await?;
    Ok(Listed(found.map(Into::into)))
}

pub(super) async fn list(Call { caller, params }: Call<ListParams>) -> Result<Listed<GroupDto>, ApiError> {
    find(&caller, GroupPlace::Everywhere, params).await
}

pub(super) async fn subgroups(Call { caller, params }: Call<ListParams>) -> Result<Listed<GroupDto>, ApiError> {
    let parent = Reference::parse(caller.path("id"));
    find(&caller, GroupPlace::DirectlyBelow(parent), params).await
}

pub(super) async fn descendants(Call { caller, params }: Call<ListParams>) -> Result<Listed<GroupDto>, ApiError> {
    let top = Reference::parse(caller.path("id"));
    find(&caller, GroupPlace::Below(top), params).await
}
