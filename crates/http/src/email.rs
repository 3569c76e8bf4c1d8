//! Secondary addresses of users.

use tenon_app::identity::Guard;
use tenon_app::{AccountReference, email};
use tenon_domain::id::{EmailId, UserId};
use tenon_domain::token::ScopeRule;
use tenon_edge::error::ApiError;

use crate::dto::email::EmailDto;
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::params::{Paging, params};

params! {
    /// A secondary address of the user.
    pub(crate) struct EmailParams {
        /// Its id.
        email_id: i64,
    }
}

params! {
    /// A new secondary address.
    pub(crate) struct CreateParams {
        /// The address.
        email: String,
    }
}

params! {
    /// A new secondary address of any user.
    pub(crate) struct CreateForParams {
        /// The address.
        email: String,
        /// If true, the address is confirmed at once.
        skip_confirmation: Option<bool>,
    }
}

pub(crate) fn routes(api: &mut Routes) {
    api.tag("E-mail addresses")
        .scope(ScopeRule::ReadUser)
        .get("/user/emails", Guard::SignedIn, list, "The caller's secondary addresses.")
        .post("/user/emails", Guard::SignedIn, create, "Adds a secondary address.")
        .get("/user/emails/{email_id}", Guard::SignedIn, show, "One of the caller's secondary addresses.")
        .delete("/user/emails/{email_id}", Guard::SignedIn, delete, "Removes a secondary address.")
        .get(
            "/users/{id:int}/emails",
            Guard::SignedIn,
            list_of,
            "The secondary addresses of a user; administrators only.",
        )
        .post(
            "/users/{id:int}/emails",
            Guard::SignedIn,
            create_for,
            "Adds a secondary address to a user; administrators only.",
        )
        .delete(
            "/users/{id:int}/emails/{email_id}",
            Guard::SignedIn,
            delete_of,
            "Removes a secondary address of a user; administrators only.",
        );
}

impl EmailParams {
    const fn id(&self) -> EmailId {
        EmailId::new(self.email_id)
    }
}

fn account(caller: &Caller) -> Result<AccountReference, ApiError> {
    caller.path_i64("id").map(UserId::new).map(AccountReference::Of)
}

async fn found(Call { caller, params }: Call<Paging>, account: AccountReference) -> Result<Paged<EmailDto>, ApiError> {
    let page = caller.read(move |query| email::list(query, account, params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn list(call: Call<Paging>) -> Result<Paged<EmailDto>, ApiError> {
    found(call, AccountReference::Own).await
}

async fn list_of(call: Call<Paging>) -> Result<Paged<EmailDto>, ApiError> {
    let account = account(&call)?;
    found(call, account).await
}

async fn show(Call { caller, params }: Call<EmailParams>) -> Result<Json<EmailDto>, ApiError> {
    let email = caller.read(move |query| email::show(query, params.id())).await?;
    Ok(Json(email.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<EmailDto>, ApiError> {
    let own = AccountReference::Own;
    let email = caller.write(move |command| email::create(command, own, &params.email, false)).await?;
    Ok(Created(email.into()))
}

async fn create_for(Call { caller, params }: Call<CreateForParams>) -> Result<Created<EmailDto>, ApiError> {
    let (account, confirmed) = (account(&caller)?, params.skip_confirmation.unwrap_or(false));
    let email = caller.write(move |command| email::create(command, account, &params.email, confirmed)).await?;
    Ok(Created(email.into()))
}

async fn remove(Call { caller, params }: Call<EmailParams>, account: AccountReference) -> Result<NoContent, ApiError> {
    let since = caller.head().unmodified_since;
    caller.write(move |command| email::delete(command, account, params.id(), since)).await?;
    Ok(NoContent)
}

async fn delete(call: Call<EmailParams>) -> Result<NoContent, ApiError> {
    remove(call, AccountReference::Own).await
}

async fn delete_of(call: Call<EmailParams>) -> Result<NoContent, ApiError> {
    let account = account(&call)?;
    remove(call, account).await
}
