//! Lists of users.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use tenon_app::user::{self, ListUsers, UserOrder};
use tenon_domain::user::UserState;
use tenon_edge::error::ApiError;

use crate::dto::user::UserDto;
use crate::endpoint::{Call, Listed};
use crate::params::sort::Sort;
use crate::params::{KeysetPaging, choice, params};

choice! {
    /// The orders of a list of users.
    pub(crate) enum OrderBy {
        /// Id.
        Id = "id",
        /// Display name.
        Name = "name",
        /// Sign-in name.
        Username = "username",
        /// Date of creation.
        CreatedAt = "created_at",
        /// Date of the last change.
        UpdatedAt = "updated_at",
    }
}

params! {
    /// Filters of users.
    pub(crate) struct ListParams {
        /// Part of the name or user name, or a whole address.
        search: Option<String>,
        /// Exactly this user name, case-insensitive.
        username: Option<String>,
        /// Only active users; `false` has no effect.
        active: Option<bool>,
        /// Only blocked users; `false` has no effect.
        blocked: Option<bool>,
        /// With `blocked_pending_approval`, only users who wait for approval; other values have no effect.
        /// Administrators only.
        state: Option<String>,
        /// Only external users; administrators only.
        external: Option<bool>,
        /// Id at the provider; administrators only.
        extern_uid: Option<String>,
        /// The provider at which `extern_uid` is known.
        provider: Option<String>,
        /// Created before this; administrators only.
        created_before: Option<DateTime<Utc>>,
        /// Created after this; administrators only.
        created_after: Option<DateTime<Utc>>,
        /// `enabled` or `disabled`; other values have no effect. Administrators only.
        two_factor: Option<String>,
        /// Sort key; the id by default. Administrators only.
        order_by: Option<OrderBy>,
        /// Sort direction; descending by default. Administrators only.
        sort: Option<Sort>,
        /// With all these custom attributes; administrators only.
        custom_attributes: BTreeMap<String, String>,
        /// With custom attributes; administrators only.
        with_custom_attributes: Option<bool>,
        /// Only administrators; asked by administrators only.
        admins: Option<bool>,
        /// No active users.
        exclude_active: Option<bool>,
        /// No external users.
        exclude_external: Option<bool>,
        /// No accounts of people.
        exclude_humans: Option<bool>,
        /// No accounts that belong to the server.
        exclude_internal: Option<bool>,
        /// Only accounts of people.
        humans: Option<bool>,
        /// Exactly this public address.
        public_email: Option<String>,
        /// No accounts of access tokens of projects and groups.
        without_project_bots: Option<bool>,
        /// Only users who are in no project; administrators only.
        without_projects: Option<bool>,
        paging: KeysetPaging,
    }
    rules(reader) { reader.all_or_none_of(&["extern_uid", "provider"]); }
}

impl From<ListParams> for ListUsers {
    fn from(params: ListParams) -> Self {
        Self {
            search: params.search,
            username: params.username.filter(|name| !name.is_empty()),
            active: params.active.unwrap_or(false),
            blocked: params.blocked.unwrap_or(false),
            pending: params.state.as_deref().and_then(UserState::parse) == Some(UserState::Pending),
            exclude_active: params.exclude_active.unwrap_or(false),
            exclude_external: params.exclude_external.unwrap_or(false),
            humans: params.humans.unwrap_or(false),
            exclude_internal: params.exclude_internal.unwrap_or(false),
            exclude_bots: params.without_project_bots.unwrap_or(false),
            exclude_humans: params.exclude_humans.unwrap_or(false),
            public_email: params.public_email.filter(|email| !email.is_empty()),
            admins: params.admins.unwrap_or(false),
            without_projects: params.without_projects.unwrap_or(false),
            external: params.external.unwrap_or(false),
            identity: params.provider.zip(params.extern_uid),
            created_after: params.created_after,
            created_before: params.created_before,
            two_factor: match params.two_factor.as_deref() {
                Some("enabled") => Some(true),
                Some("disabled") => Some(false),
                Some(_) | None => None,
            },
            custom_attributes: params.custom_attributes,
            with_custom_attributes: params.with_custom_attributes.unwrap_or(false),
            order_by: match params.order_by.unwrap_or(OrderBy::Id) {
                OrderBy::Id => UserOrder::Id,
                OrderBy::Name => UserOrder::Name,
                OrderBy::Username => UserOrder::Username,
                OrderBy::CreatedAt => UserOrder::CreatedAt,
                OrderBy::UpdatedAt => UserOrder::UpdatedAt,
            },
            ascending: params.sort == Some(Sort::Asc),
            page: params.paging.page,
        }
    }
}

pub(super) async fn list(Call { caller, params }: Call<ListParams>) -> Result<Listed<UserDto>, ApiError> {
    let keyset = params.paging.keyset.clone();
    let found = caller.read(move |query| user::find(query, params.into(), keyset.as_ref())).await?;
    Ok(Listed(found.map(UserDto::listed)))
}
