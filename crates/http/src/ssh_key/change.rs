//! Adding and removing SSH keys.

use chrono::{DateTime, Utc};
use tenon_app::AccountReference;
use tenon_app::ssh_key::{self, KeyUsage, NewSshKey};
use tenon_domain::id::UserId;
use tenon_edge::error::ApiError;

use super::KeyParams;
use crate::dto::ssh_key::SshKeyDto;
use crate::endpoint::{Call, Caller, Created, NoContent};
use crate::params::{Choice, params};

impl Choice for KeyUsage {
    fn parse(text: &str) -> Option<Self> {
        Self::parse(text)
    }

    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|usage| usage.as_str()).collect()
    }
}

params! {
    /// A new SSH key.
    pub(crate) struct CreateParams {
        /// The public key, as `ssh-keygen` writes it.
        key: String,
        /// The title of the key.
        title: String,
        /// The moment from which the key is not accepted.
        expires_at: Option<DateTime<Utc>>,
        /// The permitted usage; authentication and signing by default.
        usage_type: Option<KeyUsage>,
    }
}

fn account(caller: &Caller) -> Result<AccountReference, ApiError> {
    caller.path_i64("id").map(UserId::new).map(AccountReference::Of)
}

async fn add(caller: &Caller, account: AccountReference, params: CreateParams) -> Result<Created<SshKeyDto>, ApiError> {
    let usage = params.usage_type.unwrap_or(KeyUsage::AuthAndSigning);
    let new = NewSshKey::new(params.title, params.key, usage, params.expires_at);
    let key = caller.write(move |command| ssh_key::create(command, account, new)).await?;
    Ok(Created(key.into()))
}

pub(super) async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<SshKeyDto>, ApiError> {
    add(&caller, AccountReference::Own, params).await
}

pub(super) async fn create_for(Call { caller, params }: Call<CreateParams>) -> Result<Created<SshKeyDto>, ApiError> {
    // Only reading takes a name.
    let id: i64 = caller.path("id_or_username").parse().map_err(|_not_a_number| ApiError::unknown_route())?;
    let account = AccountReference::Of(UserId::new(id));
    add(&caller, account, params).await
}

async fn remove(Call { caller, params }: Call<KeyParams>, account: AccountReference) -> Result<NoContent, ApiError> {
    let since = caller.head().unmodified_since;
    caller.write(move |command| ssh_key::delete(command, account, params.id(), since)).await?;
    Ok(NoContent)
}

pub(super) async fn delete(call: Call<KeyParams>) -> Result<NoContent, ApiError> {
    remove(call, AccountReference::Own).await
}

pub(super) async fn delete_of(call: Call<KeyParams>) -> Result<NoContent, ApiError> {
    let account = account(&call)?;
    remove(call, account).await
}
