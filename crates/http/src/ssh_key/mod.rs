//! SSH keys.

mod any;
mod change;
mod read;

use tenon_app::identity::Guard;
use tenon_domain::id::SshKeyId;
use tenon_domain::token::ScopeRule;

use crate::endpoint::Routes;
use crate::params::params;

params! {
    /// An SSH key of the user.
    pub(crate) struct KeyParams {
        /// Its id.
        key_id: i64,
    }
}

impl KeyParams {
    const fn id(&self) -> SshKeyId {
        SshKeyId::new(self.key_id)
    }
}

pub(crate) fn routes(api: &mut Routes) {
    api.tag("SSH keys")
        .get("/keys", Guard::Administrator, any::by_fingerprint, "The SSH key with a fingerprint, and its user.")
        .get("/keys/{id:int}", Guard::Administrator, any::by_id, "The SSH key of an id, and its user.")
        .scope(ScopeRule::ReadUser)
        .get("/user/keys", Guard::SignedIn, read::list, "The caller's SSH keys.")
        .post("/user/keys", Guard::SignedIn, change::create, "Adds an SSH key.")
        .get("/user/keys/{key_id}", Guard::SignedIn, read::show, "One of the caller's SSH keys.")
        .delete("/user/keys/{key_id}", Guard::SignedIn, change::delete, "Removes an SSH key.")
        .get("/users/{id_or_username}/keys", Guard::Anyone, read::list_of, "The SSH keys of a user.")
        .get("/users/{id:int}/keys/{key_id}", Guard::Anyone, read::show_of, "One SSH key of a user.")
        .post(
            "/users/{id_or_username}/keys",
            Guard::SignedIn,
            change::create_for,
            "Adds an SSH key to a user; administrators only.",
        )
        .delete(
            "/users/{id:int}/keys/{key_id}",
            Guard::SignedIn,
            change::delete_of,
            "Removes an SSH key of a user; administrators only.",
        );
}
