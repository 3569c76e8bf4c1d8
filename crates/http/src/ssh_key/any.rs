//! SSH keys of all users.

use tenon_app::{ssh_key, user};
use tenon_domain::id::SshKeyId;
use tenon_edge::error::ApiError;

use crate::dto::ssh_key::SshKeyWithUserDto;
use crate::endpoint::{Call, Json};
use crate::params::params;

params! {
    /// The key, by its fingerprint.
    pub(crate) struct FingerprintParams {
        /// `SHA256:` and Base64, or MD5 in hexadecimal with colons.
        fingerprint: String,
    }
}

pub(super) async fn by_id(call: Call<()>) -> Result<Json<SshKeyWithUserDto>, ApiError> {
    let id = SshKeyId::new(call.path_i64("id")?);
    let found = call
        .read(move |query| {
            let key = ssh_key::find(query, id)?;
            let user = user::show(query, key.user, false)?;
            Ok((key, user))
        })
        .await?;
    Ok(Json(found.into()))
}

pub(super) async fn by_fingerprint(
    Call { caller, params }: Call<FingerprintParams>,
) -> Result<Json<SshKeyWithUserDto>, ApiError> {
    let found = caller
        .read(move |query| {
            let key = ssh_key::find_by_fingerprint(query, &params.fingerprint)?;
            let user = user::show(query, key.user, false)?;
            Ok((key, user))
        })
        .await?;
    Ok(Json(found.into()))
}
