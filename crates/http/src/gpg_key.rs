//! OpenPGP keys of users.

use tenon_app::identity::Guard;
use tenon_app::{AccountReference, gpg_key};
use tenon_domain::id::{GpgKeyId, UserId};
use tenon_domain::token::ScopeRule;
use tenon_edge::error::ApiError;

use crate::dto::gpg_key::GpgKeyDto;
use crate::endpoint::{Accepted, Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::params::{Paging, params};

params! {
    /// An OpenPGP key of the user.
    pub(crate) struct KeyParams {
        /// Its id.
        key_id: i64,
    }
}

params! {
    /// A new OpenPGP key.
    pub(crate) struct CreateParams {
        /// The armored block of the public key.
        key: String,
    }
}

pub(crate) fn routes(api: &mut Routes) {
    api.tag("GPG keys")
        .scope(ScopeRule::ReadUser)
        .get("/user/gpg_keys", Guard::SignedIn, list, "The caller's GPG keys.")
        .post("/user/gpg_keys", Guard::SignedIn, create, "Adds a GPG key.")
        .get("/user/gpg_keys/{key_id}", Guard::SignedIn, show, "One of the caller's GPG keys.")
        .delete("/user/gpg_keys/{key_id}", Guard::SignedIn, delete, "Removes a GPG key.")
        .post(
            "/user/gpg_keys/{key_id}/revoke",
            Guard::SignedIn,
            revoke,
            "Withdraws a GPG key: it verifies nothing any more.",
        )
        .get("/users/{id:int}/gpg_keys", Guard::SignedIn, list_of, "The GPG keys of a user; administrators only.")
        .post("/users/{id:int}/gpg_keys", Guard::SignedIn, create_for, "Adds a GPG key to a user; administrators only.")
        .get(
            "/users/{id:int}/gpg_keys/{key_id}",
            Guard::SignedIn,
            show_of,
            "One GPG key of a user; administrators only.",
        )
        .delete(
            "/users/{id:int}/gpg_keys/{key_id}",
            Guard::SignedIn,
            delete_of,
            "Removes a GPG key of a user; administrators only.",
        )
        .post(
            "/users/{id:int}/gpg_keys/{key_id}/revoke",
            Guard::SignedIn,
            revoke_of,
            "Withdraws a GPG key of a user: it verifies nothing any more; administrators only.",
        );
}

impl KeyParams {
    const fn id(&self) -> GpgKeyId {
        GpgKeyId::new(self.key_id)
    }
}

fn account(caller: &Caller) -> Result<AccountReference, ApiError> {
    caller.path_i64("id").map(UserId::new).map(AccountReference::Of)
}

async fn found(Call { caller, params }: Call<Paging>, account: AccountReference) -> Result<Paged<GpgKeyDto>, ApiError> {
    let page = caller.read(move |query| gpg_key::list(query, account, params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn list(call: Call<Paging>) -> Result<Paged<GpgKeyDto>, ApiError> {
    found(call, AccountReference::Own).await
}

async fn list_of(call: Call<Paging>) -> Result<Paged<GpgKeyDto>, ApiError> {
    let account = account(&call)?;
    found(call, account).await
}

async fn one(Call { caller, params }: Call<KeyParams>, account: AccountReference) -> Result<Json<GpgKeyDto>, ApiError> {
    let key = caller.read(move |query| gpg_key::show(query, account, params.id())).await?;
    Ok(Json(key.into()))
}

async fn show(call: Call<KeyParams>) -> Result<Json<GpgKeyDto>, ApiError> {
    one(call, AccountReference::Own).await
}

async fn show_of(call: Call<KeyParams>) -> Result<Json<GpgKeyDto>, ApiError> {
    let account = account(&call)?;
    one(call, account).await
}

async fn add(
    Call { caller, params }: Call<CreateParams>,
    account: AccountReference,
) -> Result<Created<GpgKeyDto>, ApiError> {
    let new = caller.app().new_gpg_key(caller.identity(), account, &params.key).await?;
    let key = caller.write(move |command| gpg_key::create(command, account, new)).await?;
    Ok(Created(key.into()))
}

async fn create(call: Call<CreateParams>) -> Result<Created<GpgKeyDto>, ApiError> {
    add(call, AccountReference::Own).await
}

async fn create_for(call: Call<CreateParams>) -> Result<Created<GpgKeyDto>, ApiError> {
    let account = account(&call)?;
    add(call, account).await
}

async fn remove(Call { caller, params }: Call<KeyParams>, account: AccountReference) -> Result<NoContent, ApiError> {
    let since = caller.head().unmodified_since;
    caller.write(move |command| gpg_key::delete(command, account, params.id(), since)).await?;
    Ok(NoContent)
}

async fn delete(call: Call<KeyParams>) -> Result<NoContent, ApiError> {
    remove(call, AccountReference::Own).await
}

async fn delete_of(call: Call<KeyParams>) -> Result<NoContent, ApiError> {
    let account = account(&call)?;
    remove(call, account).await
}

/// Signatures are judged by the keys that users have, so that to remove a key is to withdraw it.
async fn revoke(call: Call<KeyParams>) -> Result<Accepted, ApiError> {
    remove(call, AccountReference::Own).await.map(|NoContent| Accepted)
}

async fn revoke_of(call: Call<KeyParams>) -> Result<Accepted, ApiError> {
    let account = account(&call)?;
    remove(call, account).await.map(|NoContent| Accepted)
}
