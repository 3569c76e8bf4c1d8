//! Applications that act for users (OAuth 2.0, `OpenID` Connect): registration, authorization, tokens.
//!
//! A *grant* is what a user has allowed an application; it begins as an authorization code, a password, or the
//! application's own secret. At any time it has one access token and one refresh token. A presented credential is
//! looked up by its digest, so that whether a token was withdrawn is decided by the row that identifies it.

mod application;
mod authorize;
mod authorized;
mod client;
mod device;
mod error;
mod exchange;
mod info;
mod issue;
mod own;
mod purge;
mod revoke;
mod userinfo;

pub use application::{NewApplication, create, delete, list, plain_http, renew_secret};
pub use authorize::{Authorization, AuthorizationRequest, NotAuthorized, authorize, deny, review};
pub use authorized::{AuthorizedApplication, list_authorized, withdraw};
pub use client::ClientCredentials;
pub use device::{DeviceAuthorization, DeviceRequest};
pub use error::{OAuthError, Refusal};
pub use exchange::{GrantRequest, TokenRequest};
pub use info::{Introspector, TokenInfo, TokenReport};
pub use issue::IssuedTokens;
pub use own::{ApplicationFields, change, create_own, list_own, may_have_own, show};
pub(crate) use purge::PurgeGrants;
pub use tenon_auth::PublicKey;
pub use userinfo::{UserInfo, userinfo};
