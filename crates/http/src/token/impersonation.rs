//! Impersonation tokens.

use chrono::NaiveDate;
use tenon_app::token;
use tenon_domain::id::{TokenId, UserId};
use tenon_edge::error::ApiError;

use crate::dto::token::ImpersonationTokenDto;
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged};
use crate::params::{Paging, choice, params};

choice! {
    /// Filters of tokens.
    pub(crate) enum State {
        /// All.
        All = "all",
        /// Valid.
        Active = "active",
        /// Revoked or expired.
        Inactive = "inactive",
    }
}

params! {
    /// Filters of tokens.
    pub(crate) struct ListParams {
        /// The state; all by default.
        state: Option<State>,
        paging: Paging,
    }
}

params! {
    /// A new token.
    pub(crate) struct CreateParams {
        /// The name.
        name: String,
        /// The scopes: those of personal access tokens but `sudo`.
        scopes: Vec<String>,
        /// The day on which it expires.
        expires_at: Option<NaiveDate>,
    }
}

fn user(caller: &Caller) -> Result<UserId, ApiError> {
    caller.path_i64("user_id").map(UserId::new)
}

fn token_id(caller: &Caller) -> Result<TokenId, ApiError> {
    caller.path_i64("impersonation_token_id").map(TokenId::new)
}

pub(super) async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<ImpersonationTokenDto>, ApiError> {
    let user = user(&caller)?;
    let active = match params.state.unwrap_or(State::All) {
        State::All => None,
        State::Active => Some(true),
        State::Inactive => Some(false),
    };
    let page = caller.read(move |query| token::impersonations(query, user, active, params.paging.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

pub(super) async fn show(call: Call<()>) -> Result<Json<ImpersonationTokenDto>, ApiError> {
    let (user, id) = (user(&call)?, token_id(&call)?);
    let view = call.read(move |query| token::impersonation(query, user, id)).await?;
    Ok(Json(view.into()))
}

pub(super) async fn create(
    Call { caller, params }: Call<CreateParams>,
) -> Result<Created<ImpersonationTokenDto>, ApiError> {
    let user = user(&caller)?;
    let CreateParams { name, scopes, expires_at } = params;
    let view =
        caller.write(move |command| token::create_impersonation(command, user, name, &scopes, expires_at)).await?;
    Ok(Created(view.into()))
}

pub(super) async fn revoke(call: Call<()>) -> Result<NoContent, ApiError> {
    let (user, id, since) = (user(&call)?, token_id(&call)?, call.head().unmodified_since);
    call.write(move |command| token::revoke_impersonation(command, user, id, since)).await?;
    Ok(NoContent)
}
