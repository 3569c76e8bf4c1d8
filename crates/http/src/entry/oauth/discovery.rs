//! The metadata of this server for clients (RFC 8414, `OpenID` Connect Discovery).

use serde_json::{Value, json};
use tenon_domain::token::Scope;

use super::{DEVICE, DEVICE_CODE, INTROSPECT, KEYS, REVOKE, TOKEN, USERINFO};

/// The path of the page on which users are asked for their consent.
const AUTHORIZE: &str = "/oauth/authorize";

/// The description of a server at `base`.
pub(super) fn document(base: &str) -> Value {
    let at = |path: &str| format!("{base}{path}");
    let proofs = ["client_secret_basic", "client_secret_post", "none"];
    json!({
        "issuer": base,
        "authorization_endpoint": at(AUTHORIZE),
        "token_endpoint": at(TOKEN),
        "device_authorization_endpoint": at(DEVICE),
        "revocation_endpoint": at(REVOKE),
        "introspection_endpoint": at(INTROSPECT),
        "userinfo_endpoint": at(USERINFO),
        "jwks_uri": at(KEYS),
        "scopes_supported": Scope::ALL.map(Scope::as_str),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "password", "client_credentials", "refresh_token", DEVICE_CODE],
        "token_endpoint_auth_methods_supported": proofs,
        "revocation_endpoint_auth_methods_supported": proofs,
        "introspection_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "code_challenge_methods_supported": ["S256", "plain"],
        "authorization_response_iss_parameter_supported": true,
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
        "claim_types_supported": ["normal"],
        "claims_supported": [
            "iss", "sub", "aud", "exp", "iat", "nonce", "name", "nickname", "preferred_username", "email",
            "email_verified", "website", "profile", "picture", "groups",
        ],
    })
}
