//! Access tokens.

mod access;
mod impersonation;
mod personal;

use tenon_app::identity::Guard;
use tenon_domain::token::ScopeRule;

use self::access::{Subject, of_group, of_project};
use crate::endpoint::Routes;
use crate::params::choice;

choice! {
    /// The state of tokens.
    pub(crate) enum Activity {
        /// Valid.
        Active = "active",
        /// Revoked or expired.
        Inactive = "inactive",
    }
}

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Impersonation tokens")
        .scope(ScopeRule::ReadUser)
        .get(
            "/users/{user_id:int}/impersonation_tokens",
            Guard::Administrator,
            impersonation::list,
            "The impersonation tokens of a user.",
        )
        .post(
            "/users/{user_id:int}/impersonation_tokens",
            Guard::Administrator,
            impersonation::create,
            "Makes a token with which an administrator acts as the user.",
        )
        .get(
            "/users/{user_id:int}/impersonation_tokens/{impersonation_token_id:int}",
            Guard::Administrator,
            impersonation::show,
            "One impersonation token of a user.",
        )
        .delete(
            "/users/{user_id:int}/impersonation_tokens/{impersonation_token_id:int}",
            Guard::Administrator,
            impersonation::revoke,
            "Withdraws an impersonation token.",
        );
    api.tag("Personal access tokens")
        .get(
            "/personal_access_tokens",
            Guard::SignedIn,
            personal::list,
            "The caller's tokens; for administrators, all.",
        )
        .get("/personal_access_tokens/{id:int}", Guard::SignedIn, personal::show, "One token.")
        .delete("/personal_access_tokens/{id:int}", Guard::SignedIn, personal::revoke, "Revokes a token.")
        .post(
            "/personal_access_tokens/{id:int}/rotate",
            Guard::SignedIn,
            personal::rotate,
            "Replaces a token by a new one.",
        )
        .scope(ScopeRule::ReadUser)
        .post(
            "/user/personal_access_tokens",
            Guard::SignedIn,
            personal::create_limited,
            "Makes a token for the caller that opens nothing of the caller's.",
        )
        .post(
            "/users/{user_id:int}/personal_access_tokens",
            Guard::Administrator,
            personal::create,
            "Makes a token for a user.",
        )
        // Every token may read itself, whatever its scopes; the use cases decide what else it may do to itself.
        .scope(ScopeRule::Any)
        .get("/personal_access_tokens/self", Guard::SignedIn, personal::show_self, "The token of this request.")
        .delete(
            "/personal_access_tokens/self",
            Guard::SignedIn,
            personal::revoke_self,
            "Withdraws the token of this request.",
        )
        .post(
            "/personal_access_tokens/self/rotate",
            Guard::SignedIn,
            personal::rotate_self,
            "Replaces the token of this request by a new one.",
        );
    api.tag("Access tokens of projects and groups");
    of_container(api, ["/projects/{id}/access_tokens", "/projects/{id}/access_tokens/{token_id:int}"], of_project);
    of_container(api, ["/groups/{id}/access_tokens", "/groups/{id}/access_tokens/{token_id:int}"], of_group);
    let rotations = ["/projects/{id}/access_tokens/{token_id:int}/rotate", "/projects/{id}/access_tokens/self/rotate"];
    rotated(api, rotations, of_project);
    let rotations = ["/groups/{id}/access_tokens/{token_id:int}/rotate", "/groups/{id}/access_tokens/self/rotate"];
    rotated(api, rotations, of_group);
}

fn of_container(api: &mut Routes, [all, one]: [&'static str; 2], of: Subject) {
    api.get(all, Guard::SignedIn, move |call| access::list(call, of), "The access tokens there.")
        .get(one, Guard::SignedIn, move |call| access::show(call, of), "An access token.")
        .post(all, Guard::SignedIn, move |call| access::create(call, of), "Makes an access token with an account.")
        .delete(one, Guard::SignedIn, move |call| access::revoke(call, of), "Revokes an access token.");
}

fn rotated(api: &mut Routes, [one, own]: [&'static str; 2], of: Subject) {
    api.scope(ScopeRule::Api)
        .post(one, Guard::SignedIn, move |call| access::rotate(call, of), "Replaces an access token by a new one.")
        .scope(ScopeRule::Any)
        .post(
            own,
            Guard::SignedIn,
            move |call| access::rotate_self(call, of),
            "Replaces the access token of this request by a new one.",
        );
}
