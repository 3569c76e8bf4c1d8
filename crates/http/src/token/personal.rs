//! Personal access tokens.

use chrono::{DateTime, NaiveDate, Utc};
use tenon_app::Command;
use tenon_app::error::AppError;
use tenon_app::token::{self, ListTokens, TokenOrder};
use tenon_domain::id::{TokenId, UserId};
use tenon_domain::token::{Scope, Scopes};
use tenon_edge::error::ApiError;

use super::Activity;
use crate::dto::token::PersonalTokenDto;
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged};
use crate::params::{Choice, Paging, choice, params};

choice! {
    /// Sort key and direction of a list of tokens.
    pub(crate) enum Order {
        /// Oldest first.
        CreatedAsc = "created_asc",
        /// Newest first.
        CreatedDesc = "created_desc",
        /// Next to expire first.
        ExpiresAsc = "expires_asc",
        /// Last to expire first.
        ExpiresDesc = "expires_desc",
        /// Longest unused first.
        LastUsedAsc = "last_used_asc",
        /// Latest used first.
        LastUsedDesc = "last_used_desc",
        /// By name.
        NameAsc = "name_asc",
        /// By name, backwards.
        NameDesc = "name_desc",
    }
}

impl Choice for Scope {
    fn parse(text: &str) -> Option<Self> {
        Self::parse(text)
    }

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).to_vec()
    }
}

params! {
    /// Filters and order of lists of tokens.
    pub(crate) struct TokenFilters {
        /// True for revoked tokens only, false for tokens that are not revoked.
        revoked: Option<bool>,
        /// The state: valid, or revoked or expired.
        state: Option<Activity>,
        /// Created before this.
        created_before: Option<DateTime<Utc>>,
        /// Created after this.
        created_after: Option<DateTime<Utc>>,
        /// Last used before this.
        last_used_before: Option<DateTime<Utc>>,
        /// Last used after this.
        last_used_after: Option<DateTime<Utc>>,
        /// Expires before this day.
        expires_before: Option<NaiveDate>,
        /// Expires after this day.
        expires_after: Option<NaiveDate>,
        /// Part of the name.
        search: Option<String>,
        /// Sort key; the id by default.
        sort: Option<Order>,
        paging: Paging,
    }
}

params! {
    /// Filters of personal access tokens.
    pub(crate) struct ListParams {
        /// Of this user; only administrators may name another user.
        user_id: Option<i64>,
        /// The filters that all lists of tokens have. The name of the field is not sent.
        filters: TokenFilters,
    }
}

params! {
    /// A new token for a user.
    pub(crate) struct CreateParams {
        /// The name.
        name: String,
        /// The description.
        description: Option<String>,
        /// The scopes.
        scopes: Vec<Scope>,
        /// The day on which it expires.
        expires_at: Option<NaiveDate>,
    }
}

choice! {
    /// A scope that gives no access to the user's data.
    pub(crate) enum LimitedScope {
        /// The token may rotate itself.
        SelfRotate = "self_rotate",
        /// For other programs.
        K8sProxy = "k8s_proxy",
    }
}

impl From<LimitedScope> for Scope {
    fn from(scope: LimitedScope) -> Self {
        match scope {
            LimitedScope::SelfRotate => Self::SelfRotate,
            LimitedScope::K8sProxy => Self::K8sProxy,
        }
    }
}

params! {
    /// A new token of the caller's.
    pub(crate) struct LimitedParams {
        /// The name.
        name: String,
        /// The description.
        description: Option<String>,
        /// The scopes, which may give no access to the user's data.
        scopes: Vec<LimitedScope>,
        /// The day on which it expires; the next one by default.
        expires_at: Option<NaiveDate>,
    }
}

params! {
    /// The options of a rotation.
    pub(crate) struct RotateParams {
        /// The day on which the new token expires; in a week by default.
        expires_at: Option<NaiveDate>,
    }
}

/// The key of an order, and true if it falls. By id, rising, if none is chosen.
fn order_of(sort: Option<Order>) -> (TokenOrder, bool) {
    match sort {
        None => (TokenOrder::Id, false),
        Some(Order::CreatedAsc) => (TokenOrder::CreatedAt, false),
        Some(Order::CreatedDesc) => (TokenOrder::CreatedAt, true),
        Some(Order::ExpiresAsc) => (TokenOrder::ExpiresAt, false),
        Some(Order::ExpiresDesc) => (TokenOrder::ExpiresAt, true),
        Some(Order::LastUsedAsc) => (TokenOrder::LastUsedAt, false),
        Some(Order::LastUsedDesc) => (TokenOrder::LastUsedAt, true),
        Some(Order::NameAsc) => (TokenOrder::Name, false),
        Some(Order::NameDesc) => (TokenOrder::Name, true),
    }
}

impl From<TokenFilters> for ListTokens {
    fn from(params: TokenFilters) -> Self {
        let (order_by, descending) = order_of(params.sort);
        Self {
            user: None,
            active: params.state.map(|state| state == Activity::Active),
            revoked: params.revoked,
            created_after: params.created_after,
            created_before: params.created_before,
            last_used_after: params.last_used_after,
            last_used_before: params.last_used_before,
            expires_after: params.expires_after,
            expires_before: params.expires_before,
            search: params.search.filter(|text| !text.is_empty()),
            order_by,
            descending,
            page: params.paging.into(),
        }
    }
}

impl From<ListParams> for ListTokens {
    fn from(params: ListParams) -> Self {
        Self { user: params.user_id.map(UserId::new), ..params.filters.into() }
    }
}

fn token_id(caller: &Caller) -> Result<TokenId, ApiError> {
    caller.path_i64("id").map(TokenId::new)
}

pub(super) async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<PersonalTokenDto>, ApiError> {
    let page = caller.read(move |query| token::list_personal(query, params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

pub(super) async fn show(call: Call<()>) -> Result<Json<PersonalTokenDto>, ApiError> {
    let id = token_id(&call)?;
    let view = call.read(move |query| token::personal(query, id)).await?;
    Ok(Json(view.into()))
}

pub(super) async fn show_self(call: Call<()>) -> Result<Json<PersonalTokenDto>, ApiError> {
    let view = call.read(token::show_self).await?;
    Ok(Json(view.into()))
}

pub(super) async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<PersonalTokenDto>, ApiError> {
    let user = UserId::new(caller.path_i64("user_id")?);
    let CreateParams { name, description, scopes, expires_at } = params;
    let work = move |command: &mut Command<'_>| {
        token::create_personal(command, user, name, description, Scopes::new(scopes), expires_at)
    };
    let view = caller.app().write(caller.identity(), work).await.map_err(in_one_sentence)?;
    Ok(Created(view.into()))
}

pub(super) async fn create_limited(
    Call { caller, params }: Call<LimitedParams>,
) -> Result<Created<PersonalTokenDto>, ApiError> {
    let LimitedParams { name, description, scopes, expires_at } = params;
    let scopes = Scopes::new(scopes.into_iter().map(Scope::from));
    let work = move |command: &mut Command<'_>| token::create_limited(command, name, description, scopes, expires_at);
    let view = caller.app().write(caller.identity(), work).await.map_err(in_one_sentence)?;
    Ok(Created(view.into()))
}

/// These endpoints alone answer 422 with one sentence; others answer by field.
fn in_one_sentence(error: AppError) -> ApiError {
    match error {
        AppError::Invalid(fields) => ApiError::unprocessable(&fields.sentences()),
        other => other.into(),
    }
}

pub(super) async fn revoke(call: Call<()>) -> Result<NoContent, ApiError> {
    let (id, since) = (token_id(&call)?, call.head().unmodified_since);
    call.write(move |command| token::revoke_personal(command, id, since)).await?;
    Ok(NoContent)
}

pub(super) async fn revoke_self(call: Call<()>) -> Result<NoContent, ApiError> {
    call.write(token::revoke_self).await?;
    Ok(NoContent)
}

pub(super) async fn rotate(Call { caller, params }: Call<RotateParams>) -> Result<Json<PersonalTokenDto>, ApiError> {
    let id = token_id(&caller)?;
    let view = caller.write(move |command| token::rotate(command, id, params.expires_at)).await?;
    let view = view.ok_or_else(ApiError::unauthorized)?;
    Ok(Json(view.into()))
}

pub(super) async fn rotate_self(
    Call { caller, params }: Call<RotateParams>,
) -> Result<Json<PersonalTokenDto>, ApiError> {
    let view = caller.write(move |command| token::rotate_self(command, params.expires_at)).await?;
    let view = view.ok_or_else(ApiError::unauthorized)?;
    Ok(Json(view.into()))
}
